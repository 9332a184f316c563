// The clients of the servers, for the tests in the parent folder: their packages are installed here.

export * as s3 from "@aws-sdk/client-s3";
export { AwsClient } from "aws4fetch";
export { Cluster, Redis } from "ioredis";
export { Redis as Redis5 } from "ioredis-5";
export { default as pg } from "pg";
export { default as postgres } from "postgres";
export * as nodeRedis from "redis";
export * as nodeRedis5 from "redis-5";
