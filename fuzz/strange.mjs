// Values that JSON cannot express, by name: a script is plain JSON, with `{ "$": name, with: … }` in place of such a value.

/** What the caller's own code throws. It must come out unchanged, or as the cause of a coded error. */
export class Boo extends Error {}

const boo = () => {
  throw new Boo("boo");
};
const user = (content) => ({ role: "user", content });

/** Values by name. `code` is what the caller's own code does when it is read. */
const VALUES = {
  cyclic() {
    const message = user([]);
    message.content.push(message);
    return message;
  },
  deep: () => Array.from({ length: 2000 }).reduce((inner) => [inner], "x"),
  deepObject: () => Array.from({ length: 2000 }).reduce((inner) => ({ content: inner }), "x"),
  bigint: () => 10n,
  symbol: () => Symbol("s"),
  function: () => () => "f",
  undefined: () => undefined,
  nan: () => NaN,
  infinity: () => -Infinity,
  date: () => new Date(0),
  map: () => new Map([["role", "user"]]),
  set: () => new Set(["x"]),
  bytes: () => new Uint8Array([104, 0xc3, 0x28, 0xe6, 0x97]),
  buffer: () => new ArrayBuffer(8),
  boxed: () => new String("boxed"),
  regexp: () => /l+o(r)em/giu,
  error: () => new Error("prompt is too long: 9000 tokens > 4000 maximum"),
  promise: () => Promise.resolve("x"),
  bare: () => Object.assign(Object.create(null), user("bare")),
  frozen: () => Object.freeze(user(Object.freeze([{ type: "text", text: "frozen" }]))),
  instance: () => new (class Said { role = "user"; #own = 1; get content() { return `own ${this.#own}`; } })(),
  sparse: () => Object.assign([], { 3: user("behind a gap") }),
  long: () => ({ length: 4_000_000_000 }),
  getter: (code) => ({ role: "user", get content() { code(); return "from a getter"; } }),
  getterOfParts: (code) => ({ role: "user", content: [{ type: "text", get text() { code(); return "from a part's getter"; } }] }),
  toJSON: (code) => ({ ...user("x"), toJSON: () => (code(), user("from toJSON")) }),
  proxy: (code) => new Proxy(user("from a proxy"), { get: (of, key) => (code(), Reflect.get(of, key)) }),
  proxyKeys: (code) => new Proxy(user("from a proxy"), { ownKeys: (of) => (code(), Reflect.ownKeys(of)) }),
  proxyHas: (code) => new Proxy([user("from a proxy")], { has: (of, key) => (code(), Reflect.has(of, key)), getOwnPropertyDescriptor: (of, key) => (code(), Reflect.getOwnPropertyDescriptor(of, key)) }),
  proxyList: (code) => new Proxy([user("from a proxied list")], { get: (of, key) => (code(), Reflect.get(of, key)) }),
  iterable: (code) => ({ *[Symbol.iterator]() { code(); yield user("from an iterator"); } }),
  thenable: (code) => ({ then: (resolve) => (code(), resolve("<summary>then</summary>")) }),
  revokedList() {
    const { proxy, revoke } = Proxy.revocable([user("gone")], {});
    revoke();
    return proxy;
  },
  revoked() {
    const { proxy, revoke } = Proxy.revocable(user("gone"), {});
    revoke();
    return proxy;
  },
  tokenizer: (code, { at = 0, gives }, world) => onCall(at, code, gives, world, (text) => text.length),
  redact: (code, { at = 0, gives }, world) => onCall(at, code, gives, world, (text) => text.replaceAll("lorem", "[gone]")),
  toolFilter: (code, { at = 0, gives }, world) => onCall(at, code, gives, world, (name) => name !== "f"),
  now: (code, { at = 0, gives }, world) => onCall(at, code, gives, world, () => 1_700_000_000_000),
  encoding: (_, __, world) => world.encoding,
  prototype: () => JSON.parse('{"role":"user","content":"x","__proto__":{"role":"system"},"constructor":1}'),
};

/** A callback that answers correctly, except for one call. */
function onCall(at, code, gives, world, answer) {
  let calls = 0;
  return (...args) => {
    if (++calls !== at || !world.busy) return answer(...args);
    code();
    return gives === undefined ? answer(...args) : gives;
  };
}

/** Options that are functions. */
export const CALLBACKS = ["tokenizer", "redact", "toolFilter", "now", "encoding"];

/** Values to use in place of data. */
export const NAMES = Object.keys(VALUES).filter((name) => !CALLBACKS.includes(name));

/** The value that a script describes, with its strange values; `world` is what their code may act on. */
export function real(value, world) {
  if (Array.isArray(value)) return value.map((entry) => real(entry, world));
  if (value === null || typeof value !== "object") return value;
  if (Object.hasOwn(VALUES, value.$ ?? "")) return VALUES[value.$](code(value.does, world), value, world);
  // As in `JSON.parse`: a key is a key, whatever its name.
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, real(entry, world)]));
}

/** Code of the caller's that a strange value runs. It acts only during an operation, so that results can be read afterwards. */
export function code(does, world) {
  return () => {
    if (!world.busy || world.does >= 20) return;
    world.does++;
    if (does === "throw") boo();
    else if (does) disturb(world, does);
  };
}

/** Other operations on a session that such code may run; their errors are handled like any others. */
export const DISTURBANCES = ["push", "view", "messages", "free", "setOptions", "setHeader", "setContext", "rewind", "unfold", "snapshot", "fork", "plan", "prepare", "compact", "recordUsage", "put", "pin", "collectGarbage", "sync", "graph", "save", "search"];

export function disturb(world, how) {
  const { session, expected } = world;
  if (session === null) return; // the session is still being created
  const last = () => session.items().at(-1)?.id ?? "nobody";
  const later = (promise) => world.running.push(promise.then(() => {}, expected));
  const doings = {
    push: () => session.push(user("from within")),
    view: () => [session.view("anthropic"), session.tokens, session.lower()],
    messages: () => session.messages,
    free: () => session.free(),
    setOptions: () => session.setOptions({ contextWindow: 700 }),
    setHeader: () => session.setHeader("another header"),
    setContext: () => session.setContext({ memory: ["from within"] }),
    rewind: () => session.rewind(session.messages[0]?.id ?? "nobody"),
    unfold: () => session.unfold(session.folds().at(-1)?.id ?? "nothing"),
    snapshot: () => session.snapshot(),
    fork: () => session.fork(last()).free(),
    plan: () => session.plan().tokens_after_estimate,
    prepare: () => later(session.prepare()),
    compact: () => later(session.compact()),
    recordUsage: () => session.recordUsage({ input_tokens: 5000, output_tokens: 1 }),
    put: () => session.toolOutputs.put("from within"),
    pin: () => session.pin(last()),
    collectGarbage: () => session.toolOutputs.collectGarbage(),
    sync: () => session.sync("openai-chat", [user("from within")]),
    graph: () => session.graph.nodes(),
    save: () => later(session.save(world.store, "s")),
    search: () => session.search("lorem"),
  };
  try {
    doings[how]();
  } catch (error) {
    expected(error);
  }
}
