// Recorded data that is not part of this repository, if available: $CONTEXTFOLD_DATA, or ../shared/data beside it.

import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** Its folder, if it exists. */
export const folder = resolve(process.env.CONTEXTFOLD_DATA ?? join(root, "../shared/data"));

/** Why recorded tests are skipped, or false. */
export const missing = existsSync(folder) ? false : `no recorded data at ${folder}`;

/** The recorded requests of a format that the provider accepted: `{ id, items, opts }`. */
export function recordedRequests(format) {
  const home = join(folder, "recorded-requests");
  return readdirSync(home)
    .filter((name) => name.endsWith(`.${format}.jsonl`))
    .sort()
    .flatMap((name) => readFileSync(join(home, name), "utf8").trim().split("\n").map((line) => JSON.parse(line)));
}

/** The dialogues of a format, by name: lists of messages. */
export function dialogues(format) {
  const home = join(folder, "dialogs");
  return readdirSync(home, { recursive: true })
    .filter((name) => name.endsWith(`.${format}.json`))
    .sort()
    .map((name) => ({ id: name, items: listIn(JSON.parse(readFileSync(join(home, name), "utf8"))) }));
}

/** The list in a file that is a list, or has one under a key. */
const listIn = (file) => (Array.isArray(file) ? file : (file.messages ?? file.items ?? file.input));

/** A recorded message as a view has it: without an empty list of calls, which OpenAI refuses and some hosts with its format send. */
export function withoutEmptyCalls(message) {
  if (!Array.isArray(message.tool_calls) || message.tool_calls.length) return message;
  const { tool_calls, ...rest } = message;
  return rest;
}

/**
 * The validator next to the data, or null if there is none. It is copied into the build folder, so that it
 * finds its one dependency, ajv, in this repository's node_modules; one that is there and cannot be loaded is an error.
 */
export async function validator() {
  const source = join(folder, "../tools/validator");
  if (!existsSync(source)) return null;
  const home = join(root, "target/validator");
  for (const entry of readdirSync(source, { recursive: true, withFileTypes: true }).filter((e) => e.isFile())) {
    const path = join(entry.parentPath ?? entry.path, entry.name); // Node 20.0 to 20.11 have `path` alone
    const copy = join(home, relative(source, path));
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, readFileSync(path));
  }
  return (await import(pathToFileURL(join(home, "validate.mjs")))).validate;
}
