// Journals and items in PostgreSQL, through `pg` or `postgres`, whichever the caller uses.
//
// A journal is a row with its position and the snapshot, and one row for each later record. Each call is one statement and therefore
// its own transaction. No state is left in the connection, so a pooler may give the connection to anybody next.
//
// An append or a replacement first updates the journal's row `WHERE position = expected`. PostgreSQL lets one transaction at a
// time update a row; a transaction that waited reads the row again, finds another position, and writes nothing. A reader's
// statement sees all rows as of one moment, so journal and records belong together. A removal or replacement that began before an
// append was committed does not see the records of that append. After a removal, the foreign key deletes them, because its cascade
// sees them; after a replacement they are never read, because they do not follow the new snapshot.

import { Buffer } from "node:buffer";
import { conflict } from "./conflict.js";
import { optionsOf, refusal } from "./options.js";

const VERSION = 1;
/** An arbitrary number, the same in every process: the holder of this advisory lock makes the tables. */
const LOCK = 7_310_204_118;
/** How often a statement is tried if it clashes with another one. */
const MAX_TRIES = 10;
/**
 * Bytes of a snapshot in one row of a result, so that PostgreSQL makes the next row while one is being transferred. They are sent as
 * base64, which is shorter than the hexadecimal digits in which bytes are sent otherwise, and which Node decodes in half the time.
 */
const PIECE = 3 * 2 ** 16;

export function postgresSchema(schema = "public") {
  if (typeof schema !== "string" || schema === "") throw refusal("`schema`: expected a text that is not empty");
  const { at, name } = named(schema);
  return (schema === "public" ? "" : `CREATE SCHEMA IF NOT EXISTS ${name};\n`) + tablesAt(at);
}

function tablesAt(at) {
  return `CREATE TABLE IF NOT EXISTS ${at}_journals (
  key text COLLATE "C" PRIMARY KEY,
  position bigint NOT NULL,
  snapshot_position bigint NOT NULL,
  snapshot bytea NOT NULL
);
ALTER TABLE ${at}_journals ALTER COLUMN snapshot SET STORAGE EXTERNAL; -- not compressed: any piece of it can be read by itself
CREATE TABLE IF NOT EXISTS ${at}_records (
  key text COLLATE "C" NOT NULL REFERENCES ${at}_journals (key) ON DELETE CASCADE,
  position bigint NOT NULL,
  frame bytea NOT NULL,
  PRIMARY KEY (key, position)
);
CREATE TABLE IF NOT EXISTS ${at}_items (
  key text COLLATE "C" PRIMARY KEY,
  value bytea NOT NULL,
  stored_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz
);
CREATE TABLE IF NOT EXISTS ${at}_version (version integer PRIMARY KEY);
INSERT INTO ${at}_version VALUES (${VERSION}) ON CONFLICT DO NOTHING;
`;
}

export function postgresStore(client, options) {
  const { schema = "public", migrate = true } = optionsOf(options, { schema: "name", migrate: "flag" });
  const { at, name } = named(schema);
  const [journals, records, items] = [`${at}_journals`, `${at}_records`, `${at}_items`];
  const ask = typeof client?.unsafe === "function" ? ofPostgresJs(client) : ofPg(client);

  // The first row also has the records. All rows are from one moment.
  const READ = `
    SELECT n::text, position::text, snapshot_position::text,
      CASE WHEN has_it THEN NULL ELSE encode(substring(snapshot FROM 1 + n * ${PIECE} FOR ${PIECE}), 'base64') END,
      CASE WHEN n = 0 THEN (SELECT string_agg(frame, ''::bytea) FROM (
        SELECT frame FROM ${records} WHERE key = journal.key AND position > greatest(snapshot_position, $2::bigint) ORDER BY position
      ) AS behind) END
    FROM (SELECT *, $2::bigint >= snapshot_position AS has_it FROM ${journals} WHERE key = $1::text) AS journal,
      generate_series(0, CASE WHEN has_it THEN 0 ELSE greatest(length(snapshot) - 1, 0) / ${PIECE} END) AS n`;

  // The frames are passed as one value, with the start and length of each, because clients write arrays of bytes differently.
  const APPEND = `
    WITH head AS (
      UPDATE ${journals} SET position = $2::bigint + $3::bigint WHERE key = $1::text AND position = $2::bigint RETURNING key
    ), added AS (
      INSERT INTO ${records} (key, position, frame)
      SELECT key, $2::bigint + n, substring($4::bytea FROM start FOR length)
      FROM head, unnest($5::text::int[], $6::text::int[]) WITH ORDINALITY AS part (start, length, n)
    )
    ${outcome("head")}`;
  const BEGIN = `
    WITH made AS (
      INSERT INTO ${journals} (key, position, snapshot_position, snapshot) VALUES ($1::text, $2::bigint, $2::bigint, $3::bytea)
      ON CONFLICT (key) DO NOTHING RETURNING key
    )
    ${outcome("made")}`;
  const REPLACE = `
    WITH head AS (
      UPDATE ${journals} SET position = $3::bigint, snapshot_position = $3::bigint, snapshot = $4::bytea
      WHERE key = $1::text AND position = $2::bigint RETURNING key
    ), cleared AS (
      DELETE FROM ${records} AS record USING head WHERE record.key = head.key
    )
    ${outcome("head")}`;
  const REMOVE = `
    WITH lease AS (DELETE FROM ${items} WHERE key = $1::text || ':lease')
    DELETE FROM ${journals} WHERE key = $1::text`;
  const LIST = `SELECT key FROM ${journals} WHERE starts_with(key, $1::text)`;

  const LIVES = "(expires_at IS NULL OR expires_at > clock_timestamp())";
  const UNTIL = "clock_timestamp() + $3::double precision * interval '1 millisecond'"; // null if $3 is null
  const RENEWED = "value = excluded.value, stored_at = clock_timestamp(), expires_at = excluded.expires_at";
  const GET_ITEM = `SELECT value FROM ${items} WHERE key = $1::text AND ${LIVES}`;
  const SET_ITEM = `INSERT INTO ${items} (key, value) VALUES ($1::text, $2::bytea) ON CONFLICT (key) DO UPDATE SET ${RENEWED}`;
  const REMOVE_ITEM = `DELETE FROM ${items} WHERE key = $1::text`;
  const LIST_ITEMS = `SELECT key FROM ${items} WHERE starts_with(key, $1::text) AND ${LIVES}`;
  const FIRST_ITEM = `
    INSERT INTO ${items} AS item (key, value, expires_at) VALUES ($1::text, $2::bytea, ${UNTIL})
    ON CONFLICT (key) DO UPDATE SET ${RENEWED} WHERE item.expires_at <= clock_timestamp() RETURNING true`;
  const SWAP_ITEM = `
    UPDATE ${items} SET value = $2::bytea, stored_at = clock_timestamp(), expires_at = ${UNTIL}
    WHERE key = $1::text AND value = $4::bytea AND ${LIVES} RETURNING true`;
  const REMOVE_OLDER = `
    DELETE FROM ${items} WHERE key = $1::text AND stored_at < clock_timestamp() - $2::double precision * interval '1 millisecond' RETURNING true`;

  /** Selects whether a statement wrote, and the journal's position before it. */
  function outcome(written) {
    return `SELECT (SELECT count(*) FROM ${written})::text, (SELECT position::text FROM ${journals} WHERE key = $1::text)`;
  }

  let tables = null;
  /** Makes the tables once, before the first statement. After a failure, the next statement tries again. */
  const ready = () => (tables ??= repeated(prepare).catch((error) => ((tables = null), Promise.reject(error))));

  async function prepare() {
    const [[there, within]] = await ask("SELECT to_regclass($1::text)::text, to_regnamespace($2::text)::text", [`${at}_version`, name]);
    if (there === null) {
      if (!migrate) throw new Error(`contextfold's tables are missing in the schema \`${schema}\`: run the SQL that \`postgresSchema\` returns, or leave \`migrate\` out`);
      // Statements that are sent together are one transaction, and the lock ends with it. The schema is created only if it is missing,
      // because a role that may create tables in a schema may not be allowed to create schemas.
      await ask(`SELECT pg_advisory_xact_lock(${LOCK});\n${within === null ? postgresSchema(schema) : tablesAt(at)}`);
    }
    const [[version]] = await ask(`SELECT max(version)::text FROM ${at}_version`, []);
    if (Number(version) > VERSION) throw new Error(`contextfold's tables in the schema \`${schema}\` have version ${version}, but this package supports only versions up to ${VERSION}`);
  }

  async function run(statement, ...values) {
    await ready();
    return repeated(() => ask(statement, values));
  }

  async function write(key, expected, statement, ...values) {
    const [[written, there]] = await run(statement, key, ...values);
    if (written === "0") throw conflict(key, expected, there === null ? null : Number(there));
  }

  const value = async (key) => {
    const [row] = await run(GET_ITEM, key);
    return row ? row[0] : null;
  };
  const keys = (rows) => rows.map(([key]) => key);

  return {
    async read(key, from = -1) {
      const rows = await run(READ, key, String(from));
      if (rows.length === 0) return null;
      rows.sort(([one], [other]) => one - other);
      const [[, position, snapshotPosition, first, behind]] = rows;
      const snapshot = first === null ? null : own(Buffer.concat(rows.map(([, , , piece]) => Buffer.from(piece, "base64"))));
      return { position: Number(position), snapshot, snapshotPosition: Number(snapshotPosition), records: own(behind ?? new Uint8Array(0)) };
    },
    async append(key, expectedPosition, frames) {
      const starts = [];
      let end = 1; // PostgreSQL counts from one
      for (const { length } of frames) {
        starts.push(end);
        end += length;
      }
      const lengths = frames.map(({ length }) => length);
      await write(key, expectedPosition, APPEND, String(expectedPosition), String(frames.length), Buffer.concat(frames), array(starts), array(lengths));
    },
    async replace(key, expectedPosition, snapshot, position) {
      const bytes = Buffer.from(snapshot);
      if (expectedPosition === null) await write(key, null, BEGIN, String(position), bytes);
      else await write(key, expectedPosition, REPLACE, String(expectedPosition), String(position), bytes);
    },
    async remove(key) {
      await run(REMOVE, key);
    },
    list: async (prefix = "") => keys(await run(LIST, prefix)),

    async getItem(key) {
      const bytes = await value(key);
      return bytes && Buffer.from(bytes).toString("utf8");
    },
    async setItem(key, text) {
      await run(SET_ITEM, key, Buffer.from(String(text)));
    },
    async removeItem(key) {
      await run(REMOVE_ITEM, key);
    },
    async getItemRaw(key) {
      const bytes = await value(key);
      return bytes && own(bytes);
    },
    async setItemRaw(key, bytes) {
      await run(SET_ITEM, key, Buffer.from(bytes));
    },
    getKeys: async (prefix = "") => keys(await run(LIST_ITEMS, prefix)),
    async compareAndSet(key, expected, next, { ttlMs = null } = {}) {
      const values = [key, Buffer.from(next), ttlMs === null ? null : String(ttlMs)];
      const rows = expected === null ? await run(FIRST_ITEM, ...values) : await run(SWAP_ITEM, ...values, Buffer.from(expected));
      return rows.length === 1;
    },
    removeOlder: async (key, ms) => (await run(REMOVE_OLDER, key, String(ms))).length === 1,
  };
}

/** Returns rows as arrays. Statements are unnamed, because the next transaction may have another connection. */
function ofPg(client) {
  if (typeof client?.query !== "function") throw refusal("postgresStore needs a Pool or a Client of `pg`, or an instance of `postgres`");
  return async (text, values) => (values ? (await client.query({ text, values, rowMode: "array" })).rows : client.query(text));
}

function ofPostgresJs(sql) {
  return (text, values) => (values ? sql.unsafe(text, values, { prepare: false }).values() : sql.unsafe(text).simple());
}

/** Repeats a statement that clashes with another: with a strict isolation level, it fails instead of waiting. */
async function repeated(act) {
  const IN_THE_WAY = ["40001", "40P01"]; // serialization failure, deadlock
  for (let turn = 1; ; turn++) {
    try {
      return await act();
    } catch (error) {
      if (turn === MAX_TRIES || !IN_THE_WAY.includes(error?.code)) throw error;
    }
  }
}

function named(schema) {
  const name = `"${schema.replaceAll('"', '""')}"`;
  return { name, at: `${name}.contextfold` };
}

const array = (numbers) => `{${numbers.join(",")}}`;

/** The bytes in memory that they do not share with anything else. */
const own = (bytes) => (bytes.byteLength === bytes.buffer.byteLength ? new Uint8Array(bytes.buffer) : new Uint8Array(bytes));
