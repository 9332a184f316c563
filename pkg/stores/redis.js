// Journals and items in Redis, through `ioredis` or `redis`, whichever the caller uses.
//
// A journal is one list: the snapshot's position, the snapshot, then each later record; the journal's position follows from the
// number of records. Because it is one key, it expires, is evicted, and is stored on a node of a cluster as a whole. Each change is
// one script, and Redis runs one script at a time, so nobody sees half a change, and of two writers that expect the same position,
// only one succeeds.
//
// An item is a hash: its value, and when it was stored by the server's clock.

import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { conflict } from "./conflict.js";
import { optionsOf, refusal } from "./options.js";

const POSITION = `
  local start = redis.call("LINDEX", KEYS[1], 0)
  local count = redis.call("LLEN", KEYS[1]) - 2`;

// ARGV: the position that the caller has. Without a position, the list is read directly, because Lua would copy the snapshot
// twice; but not in a cluster, whose client may ask a replica.
const READ = script(`${POSITION}
  if not start then return false end
  local from = tonumber(ARGV[1])
  local isKnown = from >= tonumber(start)
  local behind = isKnown and math.min(count, start + count - from) or count
  local records = behind > 0 and redis.call("LRANGE", KEYS[1], -behind, -1) or {}
  return {start, count, not isKnown and redis.call("LINDEX", KEYS[1], 1), records}`);

// ARGV of APPEND and REPLACE: the expected position (empty: there is no journal), the time to live, what to write.
const EXPECT = `${POSITION}
  local position = start and string.format("%.0f", start + count) or ""
  if position ~= ARGV[1] then return position end`;
const EXPIRE = `
  if ARGV[2] == "" then redis.call("PERSIST", KEYS[1]) else redis.call("PEXPIRE", KEYS[1], ARGV[2]) end
  return "done"`;
// A thousand at a time, because Lua limits the number of arguments.
const APPEND = script(`${EXPECT}
  for i = 3, #ARGV, 1000 do redis.call("RPUSH", KEYS[1], unpack(ARGV, i, math.min(i + 999, #ARGV))) end
  ${EXPIRE}`);
const REPLACE = script(`${EXPECT}
  redis.call("UNLINK", KEYS[1])
  redis.call("RPUSH", KEYS[1], ARGV[3], ARGV[4])
  ${EXPIRE}`);
const REMOVE = script(`return redis.call("UNLINK", KEYS[1])`);

const NOW = `
  local time = redis.call("TIME")
  local now = time[1] * 1000 + math.floor(time[2] / 1000)`;
const GET_ITEM = script(`return redis.call("HGET", KEYS[1], "value")`);
// The old value is deleted first, because its time to live would remain.
const SET_ITEM = script(`${NOW}
  redis.call("UNLINK", KEYS[1])
  redis.call("HSET", KEYS[1], "value", ARGV[1], "since", string.format("%.0f", now))`);
// ARGV: the next value, the time to live, and the expected value (left out: no item).
const SWAP_ITEM = script(`${NOW}
  if redis.call("HGET", KEYS[1], "value") ~= (ARGV[3] or false) then return 0 end
  redis.call("UNLINK", KEYS[1])
  redis.call("HSET", KEYS[1], "value", ARGV[1], "since", string.format("%.0f", now))
  if ARGV[2] ~= "" then redis.call("PEXPIRE", KEYS[1], ARGV[2]) end
  return 1`);
const REMOVE_OLDER = script(`${NOW}
  local since = redis.call("HGET", KEYS[1], "since")
  if not since or now - since <= tonumber(ARGV[1]) then return 0 end
  return redis.call("UNLINK", KEYS[1])`);

export function redisStore(client, options) {
  const { prefix = "contextfold:", ttlMs } = optionsOf(options, { prefix: "text", ttlMs: "milliseconds" });
  const { evaluate, listAt, keysLike } = isIoredis(client) ? ofIoredis(client) : ofNodeRedis(client);
  const [journals, items] = [`${prefix}journal:`, `${prefix}item:`];
  const life = milliseconds(ttlMs);

  async function run({ text, sha }, key, ...values) {
    try {
      return await evaluate("evalsha", sha, key, values);
    } catch (error) {
      if (!/^NOSCRIPT/.test(error?.message)) throw error;
      return evaluate("eval", text, key, values); // this server does not have the script yet, or was restarted
    }
  }

  async function write(script, key, expected, values) {
    const answer = String(await run(script, journals + key, expected === null ? "" : String(expected), life, ...values));
    if (answer !== "done") throw conflict(key, expected, answer === "" ? null : Number(answer));
  }

  async function list(kind, start) {
    const found = await keysLike(`${literally(kind + start)}*`);
    return [...new Set(found)].map((name) => name.slice(kind.length));
  }

  return {
    async read(key, from = -1) {
      const answer = from < 0 && listAt ? whole(await listAt(journals + key)) : await run(READ, journals + key, String(from));
      if (answer === null) return null;
      const [start, count, snapshot, records] = answer;
      const snapshotPosition = Number(start);
      return { position: snapshotPosition + Number(count), snapshot: snapshot && new Uint8Array(snapshot), snapshotPosition, records: joined(records) };
    },
    async append(key, expectedPosition, records) {
      await write(APPEND, key, expectedPosition, records.map(copied));
    },
    async replace(key, expectedPosition, snapshot, position) {
      await write(REPLACE, key, expectedPosition, [String(position), copied(snapshot)]);
    },
    async remove(key) {
      await Promise.all([run(REMOVE, journals + key), run(REMOVE, `${items}${key}:lease`)]);
    },
    list: (start = "") => list(journals, start),

    async getItem(key) {
      const value = await run(GET_ITEM, items + key);
      return value === null ? null : value.toString("utf8");
    },
    async setItem(key, value) {
      await run(SET_ITEM, items + key, String(value));
    },
    async removeItem(key) {
      await run(REMOVE, items + key);
    },
    async getItemRaw(key) {
      const value = await run(GET_ITEM, items + key);
      return value === null ? null : new Uint8Array(value);
    },
    async setItemRaw(key, value) {
      await run(SET_ITEM, items + key, copied(value));
    },
    getKeys: (start = "") => list(items, start),
    async compareAndSet(key, expected, next, options = {}) {
      const there = expected === null ? [] : [expected];
      return (await run(SWAP_ITEM, items + key, next, milliseconds(options.ttlMs), ...there)) === 1;
    },
    async removeOlder(key, ms) {
      return (await run(REMOVE_OLDER, items + key, String(ms))) === 1;
    },
  };
}

/** Makes the answer of `READ` without a position from the whole list. */
const whole = ([start, snapshot, ...records]) => (start === undefined ? null : [start, records.length, snapshot, records]);

function script(text) {
  return { text, sha: createHash("sha1").update(text).digest("hex") };
}

const isIoredis = (client) => typeof client?.callBuffer === "function";

function ofIoredis(client) {
  const added = client.options?.keyPrefix ?? ""; // the client prepends it to the keys of scripts, but not to patterns
  return {
    evaluate: (command, script, key, values) => client.callBuffer(command, script, 1, key, ...values),
    listAt: !client.isCluster && ((key) => client.callBuffer("lrange", key, 0, -1)),
    async keysLike(pattern) {
      const nodes = client.isCluster ? client.nodes("master") : [client];
      const found = await Promise.all(nodes.map((node) => scanned((cursor) => node.scan(cursor, "MATCH", literally(added) + pattern, "COUNT", 1000))));
      return found.flat().map((name) => name.slice(added.length));
    },
  };
}

function ofNodeRedis(client) {
  if (typeof client?.withTypeMapping !== "function") throw refusal("redisStore needs a client of `ioredis`, or of `redis` 5 or newer");
  const BLOB_STRING = 36; // RESP_TYPES.BLOB_STRING
  const binary = client.withTypeMapping({ [BLOB_STRING]: Buffer });
  const commands = { evalsha: "evalSha", eval: "eval" };
  return {
    evaluate: (command, script, key, values) => binary[commands[command]](script, { keys: [key], arguments: values }),
    listAt: !client.masters && ((key) => binary.lRange(key, 0, -1)),
    async keysLike(MATCH) {
      const nodes = client.masters ? await Promise.all(client.masters.map((node) => client.nodeClient(node))) : [client];
      const scan = async (node, cursor) => Object.values(await node.scan(cursor, { MATCH, COUNT: 1000 }));
      return (await Promise.all(nodes.map((node) => scanned((cursor) => scan(node, cursor))))).flat();
    },
  };
}

/** Everything that `scan` finds, from cursor to cursor. */
async function scanned(scan) {
  const all = [];
  let cursor = "0";
  do {
    const [next, names] = await scan(cursor);
    all.push(...names);
    cursor = String(next);
  } while (cursor !== "0");
  return all;
}

/** A pattern that matches exactly this text. */
const literally = (text) => text.replace(/[\\*?[\]]/g, "\\$&");

const milliseconds = (ms) => (ms === undefined ? "" : String(Math.max(1, Math.round(ms))));

/** Copies bytes, because the caller may overwrite its array right after the call. */
const copied = (bytes) => Buffer.from(bytes);

const joined = (buffers) => {
  const all = new Uint8Array(buffers.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const buffer of buffers) {
    all.set(buffer, at);
    at += buffer.length;
  }
  return all;
};
