// The stores accept each client as its own types declare it.

import * as commands from "@aws-sdk/client-s3";
import { AwsClient } from "aws4fetch";
import { Cluster, Redis } from "ioredis";
import { Redis as Redis5 } from "ioredis-5";
import pg from "pg";
import postgres from "postgres";
import { createClient, createCluster } from "redis";
import { createClient as createClient5 } from "redis-5";
import type { JournalStore } from "../../../pkg/stores/journal.js";
import { postgresSchema, postgresStore } from "../../../pkg/stores/postgres.js";
import { redisStore } from "../../../pkg/stores/redis.js";
import { s3Store } from "../../../pkg/stores/s3.js";

export const stores: JournalStore[] = [
  redisStore(new Redis()),
  redisStore(new Redis5(), { prefix: "chats:", ttlMs: 1000 }),
  redisStore(new Cluster([{ port: 1, host: "127.0.0.1" }])),
  redisStore(createClient()),
  redisStore(createClient5()),
  redisStore(createCluster({ rootNodes: [] })),
  postgresStore(new pg.Pool()),
  postgresStore(new pg.Client(), { schema: "chats", migrate: false }),
  postgresStore(postgres()),
  s3Store({ client: new commands.S3Client({}), commands, bucket: "chats" }),
  s3Store({ client: new AwsClient({ accessKeyId: "", secretAccessKey: "" }), endpoint: "https://s3.eu-central-1.amazonaws.com", bucket: "chats", prefix: "own/" }),
];
export const sql: string = postgresSchema();

// @ts-expect-error not a client
redisStore({});
// @ts-expect-error not a client
postgresStore({});
// @ts-expect-error its commands are missing
s3Store({ client: new commands.S3Client({}), bucket: "chats" });
// @ts-expect-error the bucket is missing
s3Store({ client: new AwsClient({ accessKeyId: "", secretAccessKey: "" }), bucket: "chats" });
