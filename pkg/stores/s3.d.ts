import type { JournalStore } from "./journal.js";

/** The commands of `@aws-sdk/client-s3` that the store sends. You can pass the whole module. */
export interface S3Commands {
  GetObjectCommand: new (input: any) => any;
  HeadObjectCommand: new (input: any) => any;
  PutObjectCommand: new (input: any) => any;
  DeleteObjectCommand: new (input: any) => any;
  ListObjectsV2Command: new (input: any) => any;
}

/** The response of a `fetch`. */
export interface S3Response {
  /** Whether the status is between 200 and 299. */
  ok: boolean;
  /** The status. */
  status: number;
  /** The headers. */
  headers: {
    /** The header of this name; `null` if there is none. */
    get(name: string): string | null;
  };
  /** The body as text. */
  text(): Promise<string>;
  /** The body as bytes. */
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** Options of `s3Store`: where the objects are, and the client that sends the requests. */
export type S3StoreOptions = {
  /** The bucket, which has to exist. */
  bucket: string;
  /** The prefix of all object names, such as `"chats/"`. Default: none. */
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
      /** A client that signs requests and sends them, such as an `AwsClient` of `aws4fetch`. */
      client: {
        /** Signs a request and sends it. */
        fetch(url: string, init: { method: string; headers?: Record<string, string>; body?: any }): Promise<S3Response>;
      };
      /** The server's address, without the bucket: `"https://s3.eu-central-1.amazonaws.com"`. */
      endpoint: string;
    }
);

/**
 * Sessions in Amazon S3, or in a compatible server with **conditional writes**: `If-None-Match: *` and `If-Match` on PUT. A server
 * that ignores these would let one writer overwrite another.
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
 * **Guarantees.** Each change of a journal takes effect with one conditional PUT of one small object, its head. An append is stored
 * completely or not at all, in order; if two processes save at the same position, one succeeds, even if the other writes a new
 * snapshot. When `save` resolves, S3 has stored it redundantly. A reader sees a consistent journal. If a response is lost and the
 * client retries, that is not a conflict.
 *
 * **Costs.** An append is one PUT, of up to 64 kB, plus one GET if this process has neither read nor appended to the journal before.
 * With records of 1.2 kB, about every 50th append merges records, which takes a second PUT and, on average, a GET and a DELETE. A
 * reader that lacks only the last records needs one GET. A reader that has nothing needs one for the head, then, in parallel, one for
 * the snapshot and one for each segment (11 of them after 10,000 records of 1.2 kB). A new snapshot takes two PUTs, a LIST, and the
 * DELETEs of what it replaces.
 *
 * **Limits.** A call takes some tens of milliseconds, as S3 does. A bucket with versioning keeps every head, so add a rule that lets
 * old versions expire. Some services accept only one write per second to an object (Cloudflare's R2); faster saves wait for the
 * client's retry. A process that dies in the middle of a save may leave an object that no head names. The next snapshot removes it,
 * or a `remove` at least a day later. A lease's `ttlMs` is ignored. `removeOlder` compares S3's time of an item, in whole seconds,
 * with this computer's clock. If the server has no conditional DELETE, an output that is stored again in the few milliseconds between
 * may be lost.
 *
 * Give the role `s3:GetObject`, `s3:PutObject`, `s3:DeleteObject` and, on the bucket, `s3:ListBucket`: without that, S3 answers
 * 403 for missing objects.
 */
export declare function s3Store(options: S3StoreOptions): JournalStore;
