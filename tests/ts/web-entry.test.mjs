// The browsers' entry, loaded in Node: its errors before, during and after fetching the module.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { WRAPPER_FILES } from "../../pkg/stack.js";
import init, { ContextError, Session, version } from "../../pkg/web.js";
import { serve } from "../support/serve.mjs";

const folder = fileURLToPath(new URL("../../pkg/wasm", import.meta.url));
let server;
before(async () => (server = await serve(folder)));
after(() => server.close());

const notInitialized = (words) => (error) =>
  ContextError.isInstance(error) && error.code === "NOT_INITIALIZED" && words.test(error.message);

test("a call before `await init()` gives an error that says so", () => {
  assert.throws(() => version(), notInitialized(/call `await init\(\)` first/));
});

test("a module that cannot be loaded is refused with the reason, and init may be called again", async () => {
  await assert.rejects(init(`${server.url}nothing.wasm`), notInitialized(/answers 404/));
  await assert.rejects(init(`${server.url}contextfold_bg.js`), notInitialized(/not a WebAssembly module/));
  await server.close();
  await assert.rejects(init(`${server.url}contextfold_bg.wasm`), notInitialized(/cannot be fetched/));
  server = await serve(folder, { types: { ".wasm": "application/octet-stream" } });
  assert.throws(() => version(), notInitialized(/init/));
});

test("a page whose policy forbids WebAssembly is told which source to allow", async () => {
  const { compile, compileStreaming } = WebAssembly;
  const said = {
    Chromium: new WebAssembly.CompileError("WebAssembly.compileStreaming(): Compiling or instantiating WebAssembly module violates the following Content Security policy directive because neither 'wasm-eval' nor 'unsafe-eval' is an allowed source of script"),
    Firefox: new WebAssembly.CompileError("call to WebAssembly.compile() blocked by CSP"),
    WebKit: new EvalError("Refused to create a WebAssembly object because 'unsafe-eval' or 'wasm-unsafe-eval' is not an allowed source of script"),
  };
  try {
    for (const [browser, thrown] of Object.entries(said)) {
      WebAssembly.compile = WebAssembly.compileStreaming = () => Promise.reject(thrown);
      await assert.rejects(init(`${server.url}contextfold_bg.wasm`), (error) => notInitialized(/'wasm-unsafe-eval'.*script-src/)(error) && error.cause === thrown, browser);
    }
  } finally {
    Object.assign(WebAssembly, { compile, compileStreaming });
  }
});

test("it loads once, also from a server with the wrong content type, however often init is called", async () => {
  await Promise.all([init(`${server.url}contextfold_bg.wasm`), init(`${server.url}contextfold_bg.wasm`)]);
  const { version: expected } = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8"));
  assert.equal(version(), expected);
  await init(`${server.url}nothing.wasm`); // ignored: the module is loaded
  assert.equal(version(), expected);
});

test("an error's stack starts with the caller's own line, whatever package code it went through", async () => {
  const files = (await readdir(new URL("../../pkg", import.meta.url))).filter((name) => name.endsWith(".js") && !name.includes(".bundle."));
  assert.deepEqual([...WRAPPER_FILES].sort(), files.map((name) => name.slice(0, -3)).sort());
  const session = new Session({ contextWindow: 1000 });
  const prepared = await session.prepare();
  session.free();
  for (const use of [() => prepared.messages, () => session.push({ role: "user", content: "x" })])
    assert.throws(use, ({ stack }) => /web-entry\.test\.mjs/.test(stack.split("\n").find((line) => /^ +at /.test(line))), String(use));
});
