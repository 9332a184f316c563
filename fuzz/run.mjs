// Runs a script against the package. Returns what went wrong, or null.

import { ContextError, Session, loadEncoding } from "contextfold";
import { entries, refusals } from "./alone.mjs";
import { summarizer } from "./answers.mjs";
import { ended, install, reset, tick } from "./clock.mjs";
import { OPERATIONS } from "./operations.mjs";
import { faulty } from "./stores.mjs";
import { Boo, real } from "./strange.mjs";

const FORMATS = ["messages", "openai-responses", "openai-chat", "anthropic", "ai-sdk", "gemini", "bedrock-converse"];

const encoding = await loadEncoding("o200k_base");

let unhandled = null;
process.on("unhandledRejection", (error) => {
  unhandled = error;
});
// contextfold reports a listener that throws on the console. These listeners are ours, so the report is hidden.
const { error: told } = console;
console.error = (message, ...more) => String(message).startsWith("contextfold: a listener threw") || told(message, ...more);

// The first save in an ordinary store imports a file, which takes an unknown number of turns of the event loop.
const warm = new Session();
await warm.save({ getItem: async () => null, setItem: async () => {}, removeItem: async () => {} }, "warm").catch(() => {});
warm.free();
install();

/** Throws the error if it is a bug: anything but a coded error that a caller can act on, or what the caller's own code threw. */
function expected(error) {
  if (error instanceof Boo || (error instanceof TypeError && error.message.endsWith("has been revoked"))) return error;
  if (!ContextError.isInstance(error) || error.code === "INTERNAL") throw error;
  return error;
}

export async function run(script) {
  unhandled = null;
  reset();
  const world = { session: null, open: [], pinned: [], running: [], where: "at the beginning", busy: false, does: 0, disturbed: 0, found: null, expected, sound, encoding };
  try {
    begin(world, script);
    if (world.session && !(await ended(live(world, script)))) return `${world.where}: it waits for what never comes`;
  } catch (error) {
    freed(world.open);
    return `${world.where}: ${String(error?.stack ?? error).split("\n").slice(0, 8).join("\n")}`;
  }
  world.busy = false;
  try {
    for (const session of world.open) session.free();
  } catch (error) {
    return `it cannot be freed: ${error.stack}`;
  }
  await tick();
  return unhandled ? `an unhandled rejection: ${unhandled?.stack ?? unhandled}` : world.found;
}

/** Frees all sessions after a failure, which may have been a trap. */
function freed(sessions) {
  try {
    for (const session of sessions) session.free();
  } catch {
    // the failure is reported already
  }
}

function begin(world, script) {
  world.store = faulty(script.store?.kind, script.store?.slow);
  world.busy = true;
  const options = real(script.options, world);
  const stored = script.memory ? { store: world.store, toolOutputCache: { ...plain(options.toolOutputCache), ...script.memory } } : {};
  const { redact } = plain(options.compaction);
  world.given = { summarize: summarizer(world, script), ...(script.memory && { store: world.store }), ...(redact && { compaction: { redact } }) };
  try {
    world.session = new Session({ ...options, ...stored, summarize: world.given.summarize });
    world.open.push(world.session);
  } catch (error) {
    expected(error);
  }
}

/** The properties of an object that may throw when it is read. */
function plain(object) {
  try {
    return { ...object };
  } catch {
    return {};
  }
}

async function live(world, script) {
  for (const [at, op] of script.ops.entries()) {
    if (isFreed(world.session)) await begunAgain(world);
    const { session } = world;
    const before = session.messages.length;
    world.where = `operation ${at}, ${op.op}`;
    const refused = await operate(world, op);
    if (unhandled) throw unhandled;
    if (world.found) throw new Error(world.found);
    world.spoilt ||= op.spoilt && !refused;
    if (isFreed(world.session)) continue;
    const now = world.session.messages.length;
    if (world.session === session && now < before) throw new Error(`the history was ${before} messages and is ${now}`);
    sound(world.session, world.where, world.spoilt);
  }
  [world.where, world.ends, world.busy] = ["at the end", true, false];
  for (const promise of world.running) await promise;
  const { session } = world;
  if (isFreed(session)) return;
  for (let rounds = 0; rounds < 5; rounds++) {
    await session.prepare().catch(expected);
    await session.flush().catch(expected);
  }
  const prepared = await session.prepare().catch(expected);
  if (!prepared.report || prepared instanceof Error) return;
  if (session.limit !== null && prepared.report.counter.corrected_tokens > session.limit + 1) throw new Error(`${session.tokens} tokens of ${session.limit}: ${JSON.stringify(prepared.report)}`);
  const view = JSON.stringify(session.view("messages"));
  const again = await session.prepare();
  if (again.report.decisions.length > 0 || JSON.stringify(session.view("messages")) !== view) throw new Error(`preparing again: ${JSON.stringify(again.report.decisions)}`);
  sound(session, "the end", world.spoilt);
}

function isFreed(session) {
  try {
    return session.tokens < 0;
  } catch (error) {
    return expected(error).code === "FREED";
  }
}

/** The caller's code freed the session: everything that waits for it ends, and a new session begins. */
async function begunAgain(world) {
  for (const promise of world.running.splice(0)) await promise;
  world.open = world.open.filter((session) => session !== world.session);
  world.session = new Session(world.given);
  world.open.push(world.session);
  world.plan = world.branch = world.line = null;
}

/** Runs an operation. Returns whether it was refused. */
async function operate(world, op) {
  const { session } = world;
  const before = session.messages.length;
  [world.busy, world.does] = [true, 0];
  let waits = null;
  try {
    waits = OPERATIONS[op.op](world, op);
    if (waits instanceof Promise) {
      const settled = waits.then(() => false, (error) => (expected(error), true));
      if (op.wait ?? true) return await settled;
      world.running.push(settled);
      settled.catch(() => {}); // reported when it is awaited
    }
    return false;
  } catch (error) {
    // Check before anything else runs: a callback in the background may push at its next await.
    const taken = ["push", "pushFrom", "native", "setHeader"].includes(op.op) && world.does === 0 && session.messages.length !== before;
    expected(error);
    if (taken) throw new Error("refused, and taken all the same");
    return true;
  } finally {
    world.busy = false;
  }
}

/** Checks what must hold at any time. */
function sound(session, where, spoiltOnce) {
  const items = session.items();
  const sum = items.reduce((total, item) => total + item.tokens, 0);
  if (sum > session.tokens) throw new Error(`the items take ${sum} of ${session.tokens} tokens`);
  if (new Set(items.map((item) => item.id)).size !== items.length) throw new Error("a message stands twice");
  for (const format of FORMATS) {
    const view = entries(session.view(format));
    if (spoiltOnce) continue; // parts that are not understood pass through unchanged and may be refused
    const wrong = refusals(format, view);
    if (wrong.length > 0) throw new Error(`${where}: ${format}: ${JSON.stringify(wrong[0])}`);
  }
}
