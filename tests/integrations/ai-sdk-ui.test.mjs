// `contextfold/ai-sdk-ui` as in its guide: the guide's server and the guide's component, with the real `useChat` and the SDK's
// own provider, over HTTP on 127.0.0.1; in both majors.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { Readable } from "node:stream";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import * as ai from "ai";
import * as ai6 from "ai-6";
import { Session, countTokens } from "contextfold";
import { foldMetadata, foldsOf, updateFolds, withFolds } from "contextfold/ai-sdk-ui";
import { transformSync } from "esbuild";
import { act, createElement } from "react";
import { create } from "react-test-renderer";
import { provider } from "./support/provider.mjs";
import { TASK, WINDOW, assertFits, outputOf, warnings } from "./support/work.mjs";

globalThis.IS_REACT_ACT_ENVIRONMENT = true;

const folder = fileURLToPath(new URL(`.ui-${process.pid}/`, import.meta.url));
after(() => rmSync(folder, { recursive: true, force: true }));
const guide = readFileSync(new URL("../../docs/ai-sdk-ui.md", import.meta.url), "utf8");
const blockOf = (language) => new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, "m").exec(guide)[1].replace("128_000", WINDOW);

const MAJORS = [
  { name: "ai 7", sdk: "ai", ui: "@ai-sdk/react", openai: "@ai-sdk/openai" },
  { name: "ai 6", sdk: "ai-6", ui: "ai-sdk-react-3", openai: "ai-sdk-openai-3" },
];

/** The guide's examples, as modules whose model calls the provider at `url`. */
async function modules({ sdk, ui, openai }, url, edit = (code) => code) {
  const place = `${folder}${Math.random()}/`;
  mkdirSync(place, { recursive: true });
  const written = (name, code, loader) => {
    const named = code.replace('from "ai"', `from "${sdk}"`).replace('from "@ai-sdk/react"', `from "${ui}"`).replace("./your-agent.js", "./agent.mjs");
    writeFileSync(`${place}${name}.mjs`, transformSync(named, { loader, jsx: "automatic" }).code);
    return `${place}${name}.mjs`;
  };
  globalThis.outputOf = outputOf;
  written(
    "agent",
    `import { jsonSchema, tool } from "ai";
     import { createOpenAI } from "${openai}";
     export const model = createOpenAI({ apiKey: "none", baseURL: "${url}/v1" }).chat("m");
     export const tools = { build: tool({ inputSchema: jsonSchema({ type: "object", properties: { n: { type: "number" } } }), execute: async ({ n }) => outputOf(n) }) };`,
    "js",
  );
  return { ...(await import(written("server", edit(blockOf("ts")), "ts"))), ...(await import(written("page", blockOf("jsx"), "jsx"))) };
}

/** The guide's chat on its own page: what is shown there, and what a user does. */
async function chat(t, major, { edit, ...settings } = {}) {
  const model = await provider({ window: WINDOW, ...settings });
  const { chat, undo, Chat } = await modules(major, model.url, edit);
  const server = createServer(async (request, response) => {
    const handle = { "/api/chat": chat, "/api/undo": undo }[request.url];
    const answer = await handle(new Request(`http://host${request.url}`, { method: "POST", body: Readable.toWeb(request), duplex: "half" }));
    response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), connection: "close" });
    for await (const chunk of answer.body) response.write(chunk);
    response.end();
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const { fetch } = globalThis;
  globalThis.fetch = (url, options) => {
    if (!url.toString().startsWith("/")) return fetch(url, options);
    return fetch(`http://127.0.0.1:${server.address().port}${url}`, options);
  };
  t.after(() => {
    globalThis.fetch = fetch;
    server.closeAllConnections();
    return Promise.all([new Promise((done) => server.close(done)), model.close()]);
  });
  let root;
  await act(async () => (root = create(createElement(Chat, { id: "chat-1" }))));
  let whileStreamed = 0;
  const settled = async () => {
    while (root.root.findByType("input").props.disabled) {
      await act(() => new Promise((go) => setTimeout(go, 100)));
      whileStreamed = Math.max(whileStreamed, root.root.findAllByType("details").length);
    }
  };
  t.after(() => act(async () => root.unmount()));
  const textOf = (node) => (typeof node === "string" ? node : node.children.map(textOf).join(""));
  return {
    model,
    /** Sends, and waits for the end of the answer. */
    async send(text) {
      await act(async () => void root.root.findByType("form").props.action({ get: () => text }));
      await settled();
    },
    dividers: () => root.root.findAllByType("details"),
    /** The texts of the messages in the list, and of those inside the dividers. */
    lines: () => root.root.findByType("main").children.filter(({ type }) => type === "p").map(textOf),
    folded: () => root.root.findAllByType("details").flatMap((details) => details.children.filter(({ type }) => type === "p").map(textOf)),
    textOf,
    whileStreamed: () => whileStreamed,
    async press(divider) {
      await act(async () => divider.findByType("button").props.onClick());
    },
  };
}

const question = (n) => `Question ${n} about TICKET-${4700 + n}: ${"what is to be done about this part of the build? ".repeat(20)}`;

for (const major of MAJORS)
  describe(major.name, () => {
    test("a chat folds, a divider replaces the folded messages, and after an undo they are sent to the model again", async (t) => {
      const { model, send, dividers, lines, folded, textOf, press } = await chat(t, major, { calls: 0 });
      let n = 0;
      for (; dividers().length === 0 && n < 100; n++) await send(question(n));
      assert.equal(dividers().length, 1);
      const hidden = folded();
      assert.ok(hidden.length >= 3, `${hidden.length} are hidden`);
      assert.equal(hidden.length + lines().length, 2 * n, "every message stands once");
      assert.match(textOf(dividers()[0].findByType("summary")), new RegExp(`^${hidden.length} earlier steps are summarised \\(\\d{3,4} tokens, now \\d+\\)$`));
      const asked = hidden.find((text) => text.startsWith("Question 1 "));
      const isSent = () => model.bodies.at(-1).messages.some(({ content }) => JSON.stringify(content).replace(/^.*"text":/, "").startsWith('"Question 1 about TICKET-4701: what is'));
      assert.ok(asked && !isSent(), "the model is not sent it");

      await press(dividers()[0]);
      assert.deepEqual([dividers().length, lines().length], [0, 2 * n]);
      assert.ok(lines().includes(asked));
      await send("And now?");
      assert.ok(isSent(), "the model is sent it again");
      assert.deepEqual([dividers().length, model.refused], [0, 0]);

      for (; dividers().length === 0 && n < 200; n++) await send(question(n)); // until there is no more room for it
      assert.ok(folded().includes(asked));
      for (const body of model.bodies) assertFits("openai-chat", body);
    });

    test("without the hook, the window is exceeded and there is no divider", async (t) => {
      t.mock.method(console, "error", () => {});
      const { model, send, dividers } = await chat(t, major, { calls: 0, edit: (code) => code.replace(", prepareStep: prepareStep({ session })", "") });
      for (let n = 0; model.refused === 0 && n < 100; n++) await send(question(n));
      assert.deepEqual([model.refused > 0, dividers().length], [true, 0]);
    });

    test("one answer of two hundred calls is folded while it is streamed: each of its parts is shown once, in the divider or outside it", async (t) => {
      let asked = 0;
      const summary = () => {
        if (++asked === 2) throw new Error("overloaded");
        return "<summary>The build fails. Never edit src/generated.</summary>";
      };
      const edit = (code) => code.replace(`contextWindow: ${WINDOW}`, `contextWindow: ${WINDOW}, compaction: { onFailure: "extractive" }, summarize: async (request) => {
        const { text } = await generateText({ model, maxRetries: 0, ...request.as("ai-sdk") });
        return text;
      }`).replace("streamText }", "generateText, streamText }");
      const { model, send, dividers, lines, folded, whileStreamed } = await chat(t, major, { calls: 200, summary, edit });
      await send(TASK);
      assert.deepEqual([model.bodies.length, model.refused, dividers().length], [201, 0, 1]);
      assert.ok(asked > 2, `${asked} summaries`);
      assert.equal(whileStreamed(), 1, "it stands there before the answer ends");
      for (const body of model.bodies) assertFits("openai-chat", body);
      const inDivider = folded().join("").split("[tool-build]").length - 1;
      const beside = lines().join("").split("[tool-build]").length - 1;
      assert.equal(inDivider + beside, 200);
      const sent = model.bodies.at(-1).messages.filter(({ role }) => role === "tool").length;
      assert.equal(beside, sent, "what stands beside the divider is what the model was sent last");
      assert.equal(lines()[0], TASK);
    });
  });

// ---- counting steps on both sides

const pick = (random, ...list) => list[Math.floor(random() * list.length)];

/** The same numbers for the same seed. */
const randomOf = (seed) => () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;

/** A list of UI messages with every kind of part, all of which the SDK accepts. */
function anyMessages(random, { isSeven }) {
  let calls = 0;
  const state = (ended) => pick(random, { state: "output-available", output: "out" }, { state: "output-error", errorText: "broken" }, ...(ended ? [] : [{ state: "input-streaming" }]));
  const call = () => ({ type: pick(random, "tool-build", "dynamic-tool"), toolName: "build", toolCallId: `c${++calls}`, input: { n: 1 }, ...state(random() < 0.8) });
  const part = () =>
    pick(random, () => ({ type: "text", text: pick(random, "", "some words") }), () => ({ type: "reasoning", text: "hm" }), () => ({ type: "data-weather", data: {} }), () => ({ type: "source-url", sourceId: "s", url: "https://example.com" }),
      () => ({ type: "file", mediaType: "image/png", url: "data:image/png;base64,AA==" }), call, call, () => ({ ...call(), approval: { id: `a${calls}`, approved: true } }),
      ...(isSeven ? [() => ({ type: "steering-message", id: "s", parts: [{ type: "text", text: "faster" }] })] : []))();
  const some = (most, make) => Array.from({ length: Math.floor(random() * most) }, make);
  return Array.from({ length: 1 + Math.floor(random() * 8) }, (_, n) => {
    if (random() < 0.5) return { id: `u${n}`, role: "user", parts: [{ type: "text", text: `question ${n}` }, ...some(2, () => ({ type: "data-x", data: 1 }))] };
    return { id: `a${n}`, role: "assistant", parts: some(5, () => [...(random() < 0.9 ? [{ type: "step-start" }] : []), ...some(4, part)]).flat() };
  });
}

for (const [name, { convertToModelMessages }] of [["ai 7", ai], ["ai 6", ai6]])
  test(`${name}: page and server count the same steps, for any messages`, async () => {
    let folds = 0;
    for (let seed = 1; seed <= 400; seed++) {
      const messages = anyMessages(randomOf(seed), { isSeven: name === "ai 7" });
      const session = new Session();
      session.sync("ai-sdk", await convertToModelMessages(messages));
      // The first half of the steps is folded; the page must show exactly that.
      const begins = session.graph.nodes().flatMap(({ message }, n) => (["user", "assistant"].includes(message.role) ? [n] : []));
      const half = begins.length >> 1;
      const members = session.items().slice(0, begins[half]).map(({ id }) => id);
      try {
        session.graph.compress(members, "x");
      } catch (error) {
        if (["GRAPH_CONSTRAINT", "INVALID_ARGUMENT"].includes(error.code)) continue; // nothing to fold, or nothing that may be folded
        throw error;
      }
      assert.deepEqual(foldsOf(session)[0].steps, Array.from({ length: half }, (_, step) => step), `seed ${seed}`);
      const shown = withFolds(updateFolds(messages, foldsOf(session)));
      const rest = shown.filter(({ role }) => role !== "fold");
      assert.equal((await convertToModelMessages(rest)).filter(({ role }) => role !== "tool").length, begins.length - half, `seed ${seed}`);
      const parts = shown.flatMap((entry) => (entry.role === "fold" ? entry.folded : [entry])).flatMap(({ parts }) => parts);
      assert.deepEqual(new Set(parts), new Set(messages.flatMap(({ parts }) => parts)), "no part is lost");
      assert.equal(parts.length, messages.flatMap(({ parts }) => parts).length);
      assert.equal(new Set(shown.map(({ id }) => id)).size, shown.length, "ids are keys");
      folds++;
    }
    assert.ok(folds > 150, `${folds} folds`);
  });

// ---- what is reported

const PART = { part: { type: "start-step" } };
const talk = (n) => Array.from({ length: n }, (_, i) => ({ id: `m${i}`, role: i % 2 ? "assistant" : "user", parts: [{ type: "text", text: question(i) }] }));

async function folded(n = 40) {
  const session = new Session({ contextWindow: 4_000 });
  session.sync("ai-sdk", await ai.convertToModelMessages(talk(n)));
  await session.prepare();
  return session;
}

test("folds are reported when they have changed, and only then; nested folds come back with an undo", async () => {
  const session = await folded();
  const tell = foldMetadata(session, talk(40));
  assert.equal(tell({ part: { type: "text-delta" } }), undefined);
  const { contextfold } = tell(PART);
  assert.deepEqual(contextfold, foldsOf(session));
  assert.equal(tell(PART), undefined);
  const told = updateFolds(talk(40), contextfold);
  assert.equal(foldMetadata(session, told)(PART), undefined, "the page knows it");
  assert.equal(foldMetadata(new Session(), talk(4))(PART), undefined);
  assert.deepEqual(foldMetadata(new Session(), told)(PART), { contextfold: [] }, "what is folded no more is told, too");

  session.sync("ai-sdk", await ai.convertToModelMessages(talk(80)));
  await session.prepare();
  const [outer] = tell(PART).contextfold;
  assert.ok(outer.steps.length > contextfold[0].steps.length && contextfold[0].steps.every((step) => outer.steps.includes(step)));
  session.unfold(outer.id, { hold: true });
  assert.deepEqual(tell(PART).contextfold, contextfold);
  assert.deepEqual(JSON.parse(JSON.stringify(contextfold)), contextfold, "plain JSON");
});

test("steps are those of the current conversation: after a rewritten past, next to a memory, in a fork", async () => {
  const session = await folded(30);
  const other = talk(40).map((message, n) => (n < 10 ? message : { ...message, parts: [{ type: "text", text: `another ${message.parts[0].text}` }] }));
  session.setContext({ memory: ["The user builds."], injections: [{ role: "user", content: "It is Monday." }] });
  session.sync("ai-sdk", [{ role: "system", content: "You build." }, ...(await ai.convertToModelMessages(other))]);
  await session.prepare();
  const check = (session) => {
    const shown = withFolds(updateFolds(other, foldsOf(session)));
    const [divider] = shown.filter(({ role }) => role === "fold");
    const view = JSON.stringify(session.view("ai-sdk"));
    assert.ok(divider.folded.length > 4);
    for (const { parts } of divider.folded) assert.ok(!view.includes(`"${parts[0].text}"`), "what the divider has is not in the view");
    for (const entry of shown) if (entry !== divider) assert.ok(view.includes(entry.parts[0].text.slice(0, 30)), "and the others are");
  };
  check(session);
  const { id } = session.items().at(-1);
  check(session.fork(id, { lane: "kid" }));
});

test("an internal failure leaves the answer as it is, and is reported once; a wrong argument is refused at once", async () => {
  const session = await folded();
  const tell = foldMetadata(session);
  session.free();
  const { result, said } = await warnings(async () => [tell(PART), tell(PART)]);
  assert.deepEqual(result, [undefined, undefined]);
  assert.equal(said.length, 1);
  assert.match(said[0], /^contextfold \(ai-sdk-ui\): the folds cannot be reported.*FREED|freed/i);
  assert.throws(() => foldMetadata({}));
});

test("without folds the same list is returned, also from CommonJS", async () => {
  const messages = talk(4);
  assert.equal(withFolds(messages), messages);
  const session = await folded();
  const { foldsOf: same } = createRequire(import.meta.url)("contextfold/ai-sdk-ui");
  assert.deepEqual(same(session), foldsOf(session));
  assert.ok(countTokens(session.view("ai-sdk")) < 4_000);
});
