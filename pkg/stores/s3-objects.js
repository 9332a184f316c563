// The S3 operations that a store needs, through either kind of client: `@aws-sdk/client-s3`, or one whose `fetch` signs requests.
//
//   get(name)                   { bytes, etag }, or null
//   head(name)                  { etag, size, modified }, or null
//   put(name, bytes, over)      the new etag, or null if the condition did not hold
//   remove(name, etag)          with an etag: only if the object has it
//   list(prefix)                { name, size, modified } of each
//
// `over` of a put: an etag (replaces only that object), null (only if there is none), or left out (replaces anything).

import { refusal } from "./options.js";

/** So that no browser cache and no proxy returns an old object. */
const FRESH = "no-store";

/** A missing bucket also gives 404, but that must be reported as an error. */
const NO_BUCKET = "NoSuchBucket";

const isMissing = (status, why) => status === 404 && !why.includes(NO_BUCKET);

/** The condition failed: the object is gone, has another etag (412), or was changed at the same time (409), which may be retried. */
const isRefused = (status, why) => isMissing(status, why) || status === 409 || status === 412;

const never = () => false;

export function objectsOf({ client, commands, bucket, endpoint }) {
  const isSdk = typeof client?.send === "function";
  if (isSdk || (typeof client?.fetch === "function" && endpoint)) {
    if (bucket === undefined) throw refusal("`bucket`: expected the name of the bucket");
    return isSdk ? ofSdk(client, commands, bucket) : ofFetch(client, `${endpoint.replace(/\/+$/, "")}/${bucket}`);
  }
  throw refusal("s3Store needs `client` and `commands` of `@aws-sdk/client-s3`, or a `client` whose `fetch` signs requests, and `endpoint`");
}

function ofSdk(client, commands, bucket) {
  if (!commands?.PutObjectCommand) throw refusal('s3Store needs the commands of its client: `import * as commands from "@aws-sdk/client-s3"`');
  const send = (name, input) => client.send(new commands[`${name}Command`]({ Bucket: bucket, ...input }));
  /** The response; `null` if S3's error satisfies `isNull`. */
  const unless = async (isNull, sent) => {
    try {
      return await sent;
    } catch (error) {
      if (isNull(error?.$metadata?.httpStatusCode, String(error?.name))) return null;
      throw error;
    }
  };
  return {
    async get(name) {
      const found = await unless(isMissing, send("GetObject", { Key: name }));
      return found && { bytes: await found.Body.transformToByteArray(), etag: found.ETag };
    },
    async head(name) {
      const found = await unless(isMissing, send("HeadObject", { Key: name }));
      return found && { etag: found.ETag, size: found.ContentLength, modified: Number(found.LastModified) };
    },
    async put(name, bytes, over) {
      const condition = over === undefined ? {} : over === null ? { IfNoneMatch: "*" } : { IfMatch: over };
      const object = { Key: name, Body: bytes, ContentType: "application/octet-stream", CacheControl: FRESH };
      const done = await unless(over === undefined ? never : isRefused, send("PutObject", { ...object, ...condition }));
      return done && done.ETag;
    },
    async remove(name, etag) {
      await unless(isRefused, send("DeleteObject", { Key: name, ...(etag && { IfMatch: etag }) }));
    },
    async list(prefix) {
      const all = [];
      let token;
      do {
        const page = await send("ListObjectsV2", { Prefix: prefix, ContinuationToken: token });
        for (const { Key, Size, LastModified } of page.Contents ?? []) all.push({ name: Key, size: Size, modified: Number(LastModified) });
        token = page.NextContinuationToken;
      } while (token);
      return all;
    },
  };
}

function ofFetch(client, base) {
  const url = (name) => `${base}/${name.split("/").map(encodeURIComponent).join("/")}`;
  /** The response; `null` if its error satisfies `isNull`. Throws for any other error. */
  async function ask(isNull, url, init) {
    const response = await client.fetch(url, init);
    if (response.ok) return response;
    const text = await response.text(); // always read, so that the connection is free again
    if (isNull(response.status, text)) return null;
    throw Object.assign(new Error(`S3 answered ${response.status}: ${text.slice(0, 300)}`), { status: response.status });
  }
  return {
    async get(name) {
      const response = await ask(isMissing, url(name), { method: "GET" });
      return response && { bytes: new Uint8Array(await response.arrayBuffer()), etag: response.headers.get("etag") };
    },
    async head(name) {
      const response = await ask(isMissing, url(name), { method: "HEAD" });
      return response && { etag: response.headers.get("etag"), size: Number(response.headers.get("content-length")), modified: Date.parse(response.headers.get("last-modified")) };
    },
    async put(name, bytes, over) {
      const condition = over === undefined ? {} : over === null ? { "if-none-match": "*" } : { "if-match": over };
      const headers = { "content-type": "application/octet-stream", "cache-control": FRESH, ...condition };
      const response = await ask(over === undefined ? never : isRefused, url(name), { method: "PUT", headers, body: bytes });
      await response?.arrayBuffer();
      return response && response.headers.get("etag");
    },
    async remove(name, etag) {
      const response = await ask(isRefused, url(name), { method: "DELETE", headers: etag ? { "if-match": etag } : {} });
      await response?.arrayBuffer();
    },
    async list(prefix) {
      const all = [];
      let token = "";
      do {
        const query = `list-type=2&prefix=${encodeURIComponent(prefix)}${token && `&continuation-token=${encodeURIComponent(token)}`}`; // spaces as %20, as signatures require
        const text = await (await ask(never, `${base}?${query}`, { method: "GET" })).text();
        for (const [, entry] of text.matchAll(/<Contents>(.*?)<\/Contents>/gs)) all.push({ name: element(entry, "Key"), size: Number(element(entry, "Size")), modified: Date.parse(element(entry, "LastModified")) });
        token = element(text, "NextContinuationToken");
      } while (token);
      return all;
    },
  };
}

/** The text of an XML element; empty if there is no such element. */
function element(xml, name) {
  const ENTITIES = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? "";
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, word) => (word ? (ENTITIES[word] ?? whole) : String.fromCodePoint(hex ? parseInt(hex, 16) : Number(decimal))));
}
