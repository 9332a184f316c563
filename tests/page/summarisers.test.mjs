// Who may summarise: the browser's own model, and a custom endpoint.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { openSample, visit } from "../support/page.mjs";

/** Stands in for Chrome's Summarizer and its Prompt API as documented; the calls made to them are in `window.asked`. */
function browserModel({ state, quota }) {
  window.asked = [];
  class Model extends EventTarget {
    static async availability(options) {
      window.asked.push(["availability", options]);
      return state;
    }
    static async create({ monitor, ...options }) {
      window.asked.push(["create", options, navigator.userActivation.isActive]);
      if (state === "unavailable") throw new DOMException("no such model", "NotSupportedError");
      if (state !== "available") {
        if (!navigator.userActivation.isActive) throw new DOMException("needs a user gesture", "NotAllowedError");
        const progress = new EventTarget();
        monitor(progress);
        for (const loaded of [0, 0.5, 1]) {
          progress.dispatchEvent(Object.assign(new Event("downloadprogress"), { loaded, total: 1 }));
          if (loaded === 0.5) await new Promise((goOn) => (window.goOn = goOn)); // until the test has seen it
        }
      }
      return new this();
    }
    inputQuota = quota;
    async summarize(text) {
      window.asked.push([this.constructor.name, text.length]);
      if (text.length > quota) throw new DOMException("too large", "QuotaExceededError");
      return "<summary>The browser’s own model says: all is well, and the tests pass.</summary>";
    }
    prompt(text) {
      return this.summarize(text);
    }
    destroy() {
      window.asked.push(["destroy"]);
    }
  }
  Object.assign(window, { Summarizer: class Summarizer extends Model {}, LanguageModel: class LanguageModel extends Model {} });
}

for (const [state, who] of [["available", "prompt"], ["downloadable", "summarizer"], ["downloading", "prompt"]])
  test(`the browser's own model summarises: ${who}, ${state}`, async (t) => {
    const page = await visit(t, { first: `(${browserModel})(${JSON.stringify({ state, quota: 1e9 })})` });
    await openSample(page);
    await page.getByLabel("Who sums up").selectOption(who);
    await page.getByRole("button", { name: "Sum up the view at this call" }).click();
    if (state !== "available") {
      await page.getByText("The browser fetches its model: 50 %").waitFor();
      await page.evaluate(() => window.goOn());
    }
    await page.getByText("The summary stands in the view above.").waitFor();
    await page.locator(".row-summary").filter({ hasText: "The browser’s own model says" }).waitFor();
    const asked = await page.evaluate(() => window.asked);
    assert.deepEqual(asked.map(([what]) => what), ["availability", "create", who === "prompt" ? "LanguageModel" : "Summarizer", "destroy"]);
    assert.deepEqual(asked[0][1], asked[1][1], "what is asked for is what was said to be there");
    assert.equal(asked[1][2], true, "while the visitor's click is fresh");
  });

for (const [model, says] of [[{ state: "unavailable", quota: 1e9 }, /has none for this device/], [{ state: "available", quota: 10 }, /too long for this model, which takes 10 tokens/]])
  test(`the reason why the browser's model does not summarise is shown: ${says.source}`, async (t) => {
    const page = await visit(t, { first: `(${browserModel})(${JSON.stringify(model)})` });
    await openSample(page);
    await page.getByLabel("Who sums up").selectOption("summarizer");
    await page.getByRole("button", { name: "Sum up the view at this call" }).click();
    assert.match(await page.getByRole("alert").textContent(), says);
    assert.equal(await page.getByText("The browser fetches its model").count(), 0);
  });

test("a custom endpoint summarises in its own frame, and the settings are shown as code", async (t) => {
  const asked = [];
  const endpoint = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": "content-type, authorization" };
      if (request.method === "OPTIONS") return response.writeHead(204, cors).end();
      asked.push({ path: request.url, key: request.headers.authorization, body: JSON.parse(body) });
      const text = "<summary>The endpoint says: all tests pass, and the rest is up to you.</summary>";
      response.writeHead(200, { ...cors, "content-type": "application/json" }).end(JSON.stringify({ choices: [{ message: { content: text } }] }));
    });
  });
  await new Promise((ready) => endpoint.listen(0, "127.0.0.1", ready));
  t.after(() => endpoint.close());
  const there = `http://127.0.0.1:${endpoint.address().port}/v1`;
  const page = await visit(t, { mayAsk: there });
  await openSample(page);
  await page.getByLabel("Who sums up").selectOption("endpoint");
  await page.getByText("The key stays in this page’s memory").waitFor();
  await page.getByLabel("Address").fill(there);
  await page.getByLabel("Model", { exact: true }).fill("tiny");
  await page.getByLabel("Key", { exact: true }).fill("sk-test");
  await page.getByRole("button", { name: "Sum up the view at this call" }).click();
  await page.getByText("The summary stands in the view above.").waitFor();
  assert.deepEqual(asked.map(({ path, key, body }) => [path, key, body.model]), [["/v1/chat/completions", "Bearer sk-test", "tiny"]]);
  await page.locator(".row-summary").filter({ hasText: "The endpoint says" }).waitFor();
  assert.equal(await page.locator("iframe").count(), 0);
  await page.getByLabel("Address").fill("http://127.0.0.1:1/v1");
  await page.getByRole("button", { name: "Sum up the view at this call" }).click();
  await page.getByRole("alert").filter({ hasText: "cannot be reached" }).waitFor();

  const code = await page.locator(".code").textContent();
  assert.match(code, /contextWindow: 32_000/);
});
