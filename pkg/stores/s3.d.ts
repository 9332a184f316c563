import type { JournalStore } from "./journal.js";

/** The commands of `@aws-sdk/client-s3` that a store sends. You can pass the whole module. */
export interface S3Commands {
  GetObjectCommand: new (input: any) => any;
  HeadObjectCommand: new (input: any) => any;
  PutObjectCommand: new (input: any) => any;
  DeleteObjectCommand: new (input: any) => any;
  ListObjectsV2Command: new (input: any) => any;
}

/** What answers a `fetch`. */
export interface S3Response {
  /** Whether the status is one of 200 to 299. */
  ok: boolean;
  /** The status. */
  status: number;
  /** The headers. */
  headers: {
    /** The header of this name; `null` if there is none. */
    get(name: string): string | null;
  };
  /** The body as a text. */
  text(): Promise<string>;
  /** The body as bytes. */
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** Where the objects are, and who sends the requests. */
export type S3StoreOptions = {
  /** The bucket, which has to exist. */
  bucket: string;
  /** The prefix of all object names, such as `"chats/"`; default: none. */
  prefix?: string | undefined;
} & (
  | {
      /** An `S3Client` of `@aws-sdk/client-s3` 3. */
      client: {
        /** Sends a command. */
        send(command: any): Promise<any>;
      };
      /** `import * as commands from "@aws-sdk/client-s3"`. */
      commands: S3Commands;
    }
  | {
      /** Signs requests and sends them, as an `AwsClient` of `aws4fetch` does. */
      client: {
        /** Signs a request and sends it. */
        fetch(url: string, init: { method: string; headers?: Record<string, string>; body?: any }): Promise<S3Response>;
      };
      /** The address in front of the bucket: `"https://s3.eu-central-1.amazonaws.com"`. */
      endpoint: string;
    }
);

/**
 * Sessions in Amazon's S3, or in a compatible server with **conditional writes**: `If-None-Match: *` and `If-Match` of a PUT. A
 * server that ignores these would let one writer overwrite another.
 *
 * ```js
 * import * as commands from "@aws-sdk/client-s3";
 * import { s3Store } from "contextfold/stores/s3";
 *
 * const store = s3Store({ client: new commands.S3Client({}), commands, bucket: "my-bucket", prefix: "chats/" });
 * await session.save(store, "chat-17");
 * ```
 *
 * Without an SDK (`npm install aws4fetch`):
 *
 * ```js
 * import { AwsClient } from "aws4fetch";
 * import { s3Store } from "contextfold/stores/s3";
 *
 * const client = new AwsClient({ accessKeyId, secretAccessKey, region: "eu-central-1", service: "s3" });
 * const store = s3Store({ client, endpoint: "https://s3.eu-central-1.amazonaws.com", bucket: "my-bucket" });
 * ```
 *
 * **What it promises.** Each change of a journal takes effect with one conditional PUT of one small object, its head. An append
 * is there whole or not at all, in order, and if two expect one position, one gets it, even if one of them puts a new snapshot.
 * When `save` resolves, S3 has it in several places. A reader sees a whole journal. If an answer is lost and the client tries
 * again, that is no conflict.
 *
 * **What it costs.** An append is one PUT, of up to 64 kB; a process that did not read or append to this journal before has one GET more.
 * About each 50th append of 1.2 kB has a second PUT and, on average, a GET and a DELETE, in which records are put together. A reader that
 * lacks only the last records has one GET; one that has nothing has one for the head, then at once one for the snapshot and each segment:
 * 11 of them behind 10,000 records of 1.2 kB. A new snapshot is two PUTs, a LIST, and the DELETEs of what it replaces.
 *
 * **What it does not.** It takes some tens of milliseconds, as S3 does. A bucket with versions keeps each head: give it a rule that lets
 * old versions expire. Some services take only one write per second to one object (Cloudflare's R2): faster saves wait for the client's
 * next try. A process that dies in the middle of a save may leave an object that no head names; the next snapshot removes it or, a day
 * later, `remove`. A lease's `ttlMs` is ignored. `removeOlder` compares S3's time of an item, in whole seconds, with this computer's
 * clock, and if the server has no conditional DELETE, an output that is put again in the few milliseconds between may be lost.
 *
 * Give the role `s3:GetObject`, `s3:PutObject`, `s3:DeleteObject` and, on the bucket, `s3:ListBucket`: without that, S3 answers
 * 403 for missing objects.
 */
export declare function s3Store(options: S3StoreOptions): JournalStore;
