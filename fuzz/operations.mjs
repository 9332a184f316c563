// What a caller does with a session: a table of operations. If an operation returns a promise, the caller awaits it.

import { isDeepStrictEqual } from "node:util";
import { Session } from "contextfold";
import { ALONE, entries, functions, wellFormed } from "./alone.mjs";
import { pass, tick } from "./clock.mjs";
import { code, real } from "./strange.mjs";

/** Entries with new item ids, so that they may be pushed again. */
let renamed = 0;
const withoutIds = (list) => JSON.parse(JSON.stringify(list, (key, value) => (["id", "itemId"].includes(key) && /^[a-z]+_call_|^ws_|^(ci|cmp|ctc|fs|ig|mcp|mcpl|ref)_\d+$/.test(value) ? (/^(rs|fc|msg)/.test(value) ? undefined : `${value.split("_")[0]}_${++renamed}`) : value)));

/** A copy; if the value cannot be cloned, a copy of its JSON. */
function copied(value) {
  try {
    return structuredClone(value);
  } catch {
    return JSON.parse(JSON.stringify(value) ?? "null");
  }
}

/** A copy of the value in which `junk` replaces the property number `at`, counted over all nested properties. */
function spoilt(value, at, junk) {
  const copy = copied(value);
  const places = [];
  const walk = (of) => {
    for (const key of Object.keys(of)) {
      places.push([of, key]);
      if (of[key] && typeof of[key] === "object") walk(of[key]);
    }
  };
  if (copy !== null && typeof copy === "object") walk(copy);
  if (places.length === 0) return junk;
  const [of, key] = places[at % places.length];
  if (!Reflect.set(of, key, junk)) return junk; // a character of a boxed string
  return copy;
}

/** The caller changes a message after pushing it. That is a mistake, but must harm only his own objects. */
function change(messages, at, junk) {
  const message = messages[at % messages.length];
  if (message === null || typeof message !== "object") return;
  try {
    message.content = junk;
    if (at % 3 === 0) message.role = "assistant";
    if (at % 5 === 0) message.tool_calls?.pop();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // the message is frozen
  }
}

const nth = (list, at) => (list.length ? list[at % list.length] : undefined);
const idOf = ({ session }, at) => nth(session.messages, at)?.id ?? "nobody";
const refOf = ({ session }, at) => nth(session.toolOutputs.refs(), at)?.id ?? "out_0";

/** Starts a run, which a signal may abort at once. */
function run(world, op, name, options) {
  const abort = new AbortController();
  const started = world.session[name]({ ...options, ...(op.abort && { signal: abort.signal }) });
  if (op.abort) abort.abort();
  return started;
}

/** Continues with another session. */
function goOn(world, session) {
  world.session = session;
  world.plan = world.branch = world.line = null;
}

function letGo(world, session) {
  world.open = world.open.filter((open) => open !== session);
  session.free();
}

async function again(world, op) {
  const { session, store } = world;
  const options = { ...world.given, ...real(op.options ?? {}, world) };
  if (op.saves) {
    store.fail();
    await session.save(store, "s").catch(world.expected);
  }
  store.fail(op.fault?.at, op.fault?.lasts, op.fault?.gives);
  if (op.spoils) {
    const bytes = session.snapshot();
    bytes[op.spoils % bytes.length] ^= 1 + (op.spoils % 255);
    Session.restore(bytes, options).free();
    throw new Error("damaged bytes are taken for a session");
  }
  const before = op.op === "restore" && !world.spoilt && Object.keys(op.options).length === 0 && wellFormed(session.view("anthropic"));
  const other = op.op === "load" ? await Session.load(store, "s", options) : Session.restore(session.snapshot(), options);
  world.open.push(other);
  if (before && !isDeepStrictEqual(wellFormed(other.view("anthropic")), before)) throw new Error("restored to another view");
  if (op.frees) letGo(world, session); // otherwise it stays alive, and may hold the lease
  goOn(world, other);
}

/** An SDK that passes its own list at every step: longer, with a changed past, or the view that it was given. */
function line(world, op) {
  const { session } = world;
  let list = world.line?.format === op.format ? [...world.line.list] : [];
  if (op.edit === "view") list = entries(session.view(op.format));
  if (op.edit === "back") list = list.slice(0, op.at % (list.length + 1));
  if (op.edit === "copy") list = copied(list);
  if (op.edit === "within" && list.length > 0) list = list.toSpliced(op.at % list.length, 1);
  while (list.at(-1)?.type === "reasoning") list.pop(); // reasoning must be followed by what it led to
  list = [...list, ...op.input];
  session.sync(op.format, list);
  world.line = { format: op.format, list };
  if (world.does > 0) return; // a listener pushed something after it
  const [messages, view] = [session.messages.length, JSON.stringify(session.view(op.format))];
  for (const again of [list, copied(list)]) {
    const { added, diverged_at } = session.sync(op.format, again);
    if (world.does > 0) return;
    if (added !== 0 || diverged_at !== null || session.messages.length !== messages || JSON.stringify(session.view(op.format)) !== view)
      throw new Error(`the same list again is another one: ${JSON.stringify({ added, diverged_at })}`);
  }
}

/** How providers refuse a view of `counted` tokens when they take `takes`. */
const REFUSALS = [
  (counted, takes) => new Error(`prompt is too long: ${counted} tokens > ${takes} maximum`),
  (counted, takes) => ({ error: { code: "context_length_exceeded", message: `This model's maximum context length is ${takes} tokens. However, your messages resulted in ${counted} tokens.` } }),
  () => Object.assign(new Error("400"), { status: 400, error: { code: "context_length_exceeded", message: "Your input exceeds the context window of this model." } }),
  (counted, takes) => `The input token count (${counted}) exceeds the maximum number of tokens allowed (${takes}).`,
];

/** How servers refuse a request for its bytes or its images. */
const TOO_MANY = [
  '413 {"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}',
  "request contains 52 images, exceeding the maximum of 2 allowed per request",
  "messages.0.content.0.image.source.base64: image exceeds 5 MB maximum: 9 bytes > 5 bytes",
  "At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
  "413 status code (no body)",
];

/** A refusal that is not about tokens must not change the token limit if the view has images. */
async function refuse(session, op) {
  const said = TOO_MANY[op.at % TOO_MANY.length];
  const [limit, holdsMedia] = [session.limit, session.messages.some(({ content }) => Array.isArray(content) && content.some((part) => ["image", "document", "audio"].includes(part?.type)))];
  const answer = session.recover(Object.assign(new Error(said), { status: 413 }));
  if (holdsMedia && /image/.test(said) && session.limit !== limit) throw new Error("images taught a limit in tokens");
  const mayBeOther = /image/.test(said); // another error, if the view has no images
  if ((await answer) === null && !mayBeOther) throw new Error("it refused the request");
}

/** A server with its own token counts, and an agent that retries with what `recover` returns until it is served or told why not. */
async function serve(session, op) {
  const counted = () => Math.ceil((JSON.stringify(session.view(op.format)).length * op.counts) / 400);
  const takes = Math.ceil((counted() * op.takes) / 100);
  for (let tries = 1; counted() > takes; tries++) {
    if (tries > 4) throw new Error(`refused ${tries} times, and no error`);
    const view = await session.recover(REFUSALS[op.at % REFUSALS.length](counted(), takes));
    if (view === null) throw new Error("it said too long");
    if (session.limit === null) throw new Error("no limit was learnt");
  }
  if ((await session.recover(new Error("429 rate limit reached"))) !== null) throw new Error("it did not say too long");
}

/** A step of the agent's loop. What it returns or throws is passed on. */
function hook(world, op) {
  const { session } = world;
  const usage = real(op.usage, world);
  if (op.hook === "afterModelCall") return session.afterModelCall(usage);
  if (op.hook in session) return session[op.hook]();
  const gives = { usage };
  const own = code(op.does, world);
  return session.loop()[op.hook](async () => (await tick(), own(), gives)).then((given) => {
    if (given !== gives) throw new Error("a loop gave something else");
  });
}

export const OPERATIONS = {
  push(world, op) {
    const messages = real(op.messages, world);
    world.session.push(messages);
    if (op.changes === undefined) return;
    world.spoilt = true;
    change(messages, op.changes, op.with);
  },
  pushFrom(world, op) {
    const view = withoutIds(entries(world.session.view(op.format)).slice(-4));
    world.session.pushFrom(op.format, op.spoilt ? spoilt(view, op.at, op.with) : view);
  },
  sync(world, op) {
    const view = entries(world.session.view(op.format));
    const kept = view.slice(0, Math.max(0, view.length - op.cut));
    while (kept.at(-1)?.type === "reasoning") kept.pop(); // reasoning must be followed by what it led to
    const list = [...kept, { role: "user", content: "on second thoughts" }];
    world.session.sync(op.format, op.spoilt ? spoilt(list, op.at, op.with) : list);
  },
  line,
  native: (world, op) => world.session.pushFrom(op.format, real(op.input, world)),
  whole: (world, op) => world.session.sync(op.format, real(op.input, world)),
  prepare: (world, op) => run(world, op, "prepare", op.options),
  compact: (world, op) => run(world, op, "compact", op.options),
  checkAndCompact: (world, op) => run(world, op, "checkAndCompact"),
  hook,
  recover({ session }, op) {
    const share = (percent) => Math.max(1, Math.round((session.tokens * percent) / 100));
    return session.recover(new Error(`prompt is too long: ${share(op.counted)} tokens > ${share(op.takes)} maximum`));
  },
  refuse: ({ session }, op) => refuse(session, op),
  serve: ({ session }, op) => serve(session, op),
  tick,
  wait: (_, op) => pass(op.ms),
  setContext: (world, op) => world.session.setContext(real(op.parts, world)),
  unfold: ({ session }, op) => session.unfold(nth(session.folds(), op.at)?.id ?? "nothing"),
  rewind: (world, op) => world.session.rewind(idOf(world, op.at)),
  fork(world, op) {
    world.branch = world.session.fork(idOf(world, op.at), real(op.options, world));
    world.open.push(world.branch);
    world.branch.push(op.messages);
    world.branch.push({ role: "assistant", content: "found it" });
    world.sound(world.branch, "in the branch", true);
  },
  merge(world, op) {
    const call = world.session.view("messages").findLast((m) => m.tool_calls)?.tool_calls.at(-1)?.id ?? "none";
    if (world.branch) world.session.merge(world.branch, op.role === "user" ? { role: "user" } : { tool_call_id: call });
  },
  plan(world, op) {
    world.plan = world.session.plan(op.options);
    const all = [...world.plan.folded, ...world.plan.kept, ...world.plan.trimmed];
    const items = world.session.items().filter((item) => !all.includes(item.id));
    if (items.length > 0) throw new Error(`a plan says nothing of ${items[0].id}`);
  },
  apply(world, op) {
    if (!world.plan) return undefined;
    const ids = (list) => list.map((at) => nth(world.session.messages, at)?.id).filter(Boolean);
    const abort = new AbortController();
    const started = world.plan.apply({ keep: ids(op.keep), fold: ids(op.fold), signal: abort.signal });
    if (op.abort) abort.abort();
    return started;
  },
  save(world, op) {
    world.store.fail(op.fault.at, op.fault.lasts, op.fault.gives);
    return world.session.save(world.store, "s");
  },
  load: again,
  restore: again,
  switch(world, op) {
    const other = nth(world.open.filter((session) => session !== world.branch), op.at);
    if (other) goOn(world, other);
  },
  free(world) {
    const bytes = world.session.snapshot();
    letGo(world, world.session);
    try {
      world.session.view("messages");
    } catch (error) {
      if (world.expected(error).code !== "FREED") throw error;
    }
    goOn(world, Session.restore(bytes, world.given));
    world.open.push(world.session);
  },
  flush: ({ session }) => session.flush(),
  graph: ({ session }) => [session.graph.nodes(), session.graph.edges()],
  listen(world, op) {
    const own = code(op.does, world);
    const off = world.session.on(op.event, () => own());
    if (op.off) off();
  },
  pin: (world, op) => world.session.pin(idOf(world, op.at)),
  unpin(world, op) {
    const pinned = op.text && nth(world.pinned, op.at);
    world.session.unpin(pinned || idOf(world, op.at));
  },
  pinText(world, op) {
    const pinned = { id: idOf(world, op.at), text: String(nth(world.session.messages, op.at)?.content ?? "").slice(op.from, op.from + op.length) };
    world.session.pin(pinned);
    world.pinned.push(pinned);
  },
  setHeader: (world, op) => world.session.setHeader(real(op.header, world)),
  setTools: (world, op) => world.session.setTools(op.format, real(op.tools, world)),
  setOptions: (world, op) => world.session.setOptions(real(op.options, world)),
  recordUsage: (world, op) => world.session.recordUsage(real(op.usage, world)),
  put: (world, op) => world.session.toolOutputs.put(real(op.content, world), op.id ? { id: op.id } : undefined),
  append: (world, op) => world.session.toolOutputs.append(refOf(world, op.at), real(op.chunk, world)),
  read: (world, op) => world.session.toolOutputs.read({ ref_id: refOf(world, op.at), ...op.args }),
  grep: (world, op) => world.session.toolOutputs.grep({ ref_id: refOf(world, op.at), ...op.args }),
  get: (world, op) => world.session.toolOutputs.get(refOf(world, op.at)),
  collectGarbage({ session }, op) {
    const before = session.toolOutputs.refs().length;
    session.toolOutputs.collectGarbage(op.dryRun ? { dryRun: true } : undefined);
    if (op.dryRun && session.toolOutputs.refs().length < before) throw new Error("a dry run took something away");
  },
  search: (world, op) => world.session.search(real(op.query, world), op.options),
  summary({ session }, op) {
    const state = session.summaryState;
    if (state !== null && op.gives) session.restoreSummary(state);
  },
  read_all: ({ session }) => [session.messages, session.lower(), session.items(), session.folds(), session.memory(), session.report, session.window, session.threshold, session.ladder, session.tools, session.shouldCompact(), JSON.stringify(session), FORMATS.map((format) => session.view(format, { onNote: () => {} }))],
  functions: (world, op) => functions(spoilt(entries(world.session.view(op.format)), op.at, real(op.with, world)), { ...op, with: real(op.with, world) }, world.expected),
  alone: (world, op) => ALONE[op.what](world, { ...op, with: real(op.with, world), options: real(op.options, world) }),
};

const FORMATS = ["messages", "openai-responses", "openai-chat", "anthropic", "ai-sdk", "gemini", "bedrock-converse"];
