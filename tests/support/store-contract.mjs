// What every store must do for a session: one list of checks, in Node and in a page. `assert` is passed in: a page has none.

/** Saves a session the way it was done before there were journals: its bytes under a version that a head names. */
export async function saveAsBefore(session, store, key, number) {
  const before = await store.getItem(`${key}:head`);
  const bytes = session.snapshot();
  const version = `v${number}-${new TextDecoder().decode(bytes.subarray(0, 100)).split("\n", 1)[0].split(" ").at(-1)}`;
  if (store.setItemRaw) await store.setItemRaw(`${key}:v:${version}`, bytes);
  else await store.setItem(`${key}:v:${version}`, Buffer.from(bytes).toString("base64"));
  await store.setItem(`${key}:head`, version);
  if (before) await store.removeItem(`${key}:v:${before}`);
}

/** What is under a key of an ordinary store and not named by its head. */
export async function leftOver(store, key) {
  const { itemsOf, readHead } = await import("../../pkg/stores/segments/head.js");
  const named = new Set([`${key}:head`, ...itemsOf(key, readHead(await store.getItem(`${key}:head`)))]);
  return (await store.getKeys(key)).filter((name) => !named.has(name));
}

/** Runs all checks against stores that `open()` returns, each a separate connection to the same items. */
export async function storeContract({ open, Session, assert, prefix = `s${Math.random()}`.replace(".", "") }) {
  let n = 0;
  const key = () => `${prefix}-${++n}`;
  const code = async (promise) => promise.then(() => "none", (error) => error.code);
  const session = (text = "hello") => {
    const made = new Session({ contextWindow: 100_000 });
    made.push([
      { role: "user", content: text },
      { role: "assistant", content: null, tool_calls: [{ id: "c1", type: "function", function: { name: "read", arguments: "{}" } }] },
      { role: "tool", tool_call_id: "c1", content: `{"text": "日本 ${text}"}\n`.repeat(40) },
    ]);
    return made;
  };
  const same = (a, b, why) => assert(JSON.stringify(a.view("openai-chat")) === JSON.stringify(b.view("openai-chat")), why);

  const checks = {
    async "a session comes back from another connection"() {
      const [at, saved] = [key(), session()];
      await saved.save(await open(), at);
      const loaded = await Session.load(await open(), at);
      same(saved, loaded, "another view");
      const [output] = loaded.toolOutputs.refs();
      assert((await loaded.toolOutputs.get(output.id)) === (await saved.toolOutputs.get(output.id)), "another output");
    },
    async "it is saved again, and again, and leaves behind what the session is made of, and no more"() {
      const [at, store] = [key(), await open()];
      const saved = session();
      // A long one is a new snapshot, which replaces everything that was there.
      for (const [rounds, more] of [[3, "more"], [20, "again"], [1, "x".repeat(100_000)], [10, "and again"]])
        for (let i = 0; i < rounds; i++) {
          saved.push({ role: "user", content: `${more} ${i}` });
          await saved.save(store, at);
          if (!store.getKeys) continue;
          const keys = (await store.getKeys(at)).filter((name) => name.includes(at));
          const count = (of) => keys.filter((name) => name.includes(of)).length;
          const records = i + 1 - (more === "more" || more.length > 1_000 ? 1 : 0);
          // A journal store shows none of it; an ordinary one has a head, a snapshot, and segments that are merged eight by eight.
          const holds = keys.length === 0 || (count(":head") === 1 && count(":v:") === 1 && count(":s:") <= Math.min(records + 3, 14) && keys.length === 2 + count(":s:"));
          assert(holds, `${more.slice(0, 10)} ${i}: ${keys}`);
          if (records === 0) assert(keys.length === 0 || keys.length === 2, `${keys}`);
        }
      same(saved, await Session.load(await open(), at), "not the last one");
    },
    async "who did not load what is there does not overwrite it"() {
      const at = key();
      await session("first").save(await open(), at);
      assert((await code(session("second").save(await open(), at))) === "STORE_CONFLICT", "overwritten");
      const loaded = await Session.load(await open(), at);
      assert(loaded.messages[0].content === "first", "not the first");
    },
    async "of two that loaded the same, the second to save loads again"() {
      const at = key();
      await session().save(await open(), at);
      const [storeA, storeB] = [await open(), await open()];
      const [a, b] = [await Session.load(storeA, at), await Session.load(storeB, at)];
      a.push({ role: "user", content: "from a" });
      b.push({ role: "user", content: "from b" });
      await a.save(storeA, at);
      assert((await code(b.save(storeB, at))) === "STORE_CONFLICT", "a was overwritten");
      assert(b.messages.at(-1).content === "from b", "b lost what it had");
      const again = await Session.load(storeB, at);
      same(a, again, "not what a saved");
      again.push({ role: "user", content: "from b" });
      await again.save(storeB, at);
      await a.flush();
    },
    async "what nobody saved is not there"() {
      assert((await code(Session.load(await open(), key()))) === "UNKNOWN_REF", "something was there");
    },
    async "tool outputs beyond the memory that they may take live in the store"() {
      const store = await open();
      const made = new Session({ contextWindow: 100_000, store, toolOutputCache: { memoryBytes: 1_000, maxMessageBytes: 500 } });
      const text = (i) => `line ${prefix} ${i}\n`.repeat(300);
      for (let i = 0; i < 4; i++) {
        made.push({ role: "assistant", content: null, tool_calls: [{ id: `c${i}`, type: "function", function: { name: "read", arguments: "{}" } }] });
        made.push({ role: "tool", tool_call_id: `c${i}`, content: text(i) });
      }
      await made.flush();
      assert(made.memory().outputs_bytes <= 1_000, `${made.memory().outputs_bytes} bytes`);
      const refs = made.toolOutputs.refs();
      assert(refs.length === 4, "a ref is gone");
      assert((await made.toolOutputs.read({ ref_id: refs[0].id, offset: 299 })).includes(`line ${prefix} 0`), "read");
      assert((await made.toolOutputs.grep({ ref_id: refs[1].id, pattern: "line .* 1$", max_matches: 1 })).includes(`${prefix} 1`), "grep");
      const again = Session.restore(made.snapshot(), { store: await open() });
      assert((await again.toolOutputs.get(refs[2].id)) === text(2), "get");
    },
  };
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check();
    } catch (error) {
      throw new Error(`${name}: ${error.code ?? ""} ${error.message}`, { cause: error });
    }
  }
  return Object.keys(checks).length;
}
