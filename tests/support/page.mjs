// The built page in Chromium: served from a subfolder, as a static host may do.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { build } from "vite";
import { root } from "../../scripts/lib/paths.mjs";
import { launch } from "./browser.mjs";
import { serve } from "./serve.mjs";

export const SAMPLE = join(root, "examples/transcript.responses.json");
const PATIENCE = 20_000;

/** Shared by the tests of a file; set once they run. */
export const built = { folder: "", url: "", browser: undefined };
let server;

before(async () => {
  built.folder = mkdtempSync(join(tmpdir(), "contextfold-page-"));
  await build({ root: join(root, "www"), logLevel: "error", build: { outDir: join(built.folder, "some/where") } });
  server = await serve(built.folder);
  built.url = `${server.url}some/where/`;
  built.browser = await launch();
});
after(async () => {
  await built.browser?.close();
  await server?.close();
  rmSync(built.folder, { recursive: true, force: true });
});

/** Opens the page (without the sample unless `at` says otherwise); after the test there must be no errors and no outgoing requests. */
export async function visit(t, { mayAsk, first, at = "#own", ...options } = {}) {
  const page = await built.browser.newPage(options);
  if (first) await page.addInitScript(first);
  page.setDefaultTimeout(PATIENCE);
  const problems = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && !mayAsk && problems.push(message.text()));
  // A request cancelled because the test went on to another page did not fail.
  const wentWrong = (request) => request.failure()?.errorText !== "net::ERR_ABORTED";
  page.on("requestfailed", (request) => mayAsk || !wentWrong(request) || problems.push(`${request.url()} failed`));
  page.on("request", (request) => request.url().startsWith(built.url) || request.url().startsWith(mayAsk ?? built.url) || mayAsk || problems.push(`a request to ${request.url()}`));
  t.after(async () => {
    await page.close();
    assert.deepEqual(problems, []);
  });
  await page.goto(built.url + at);
  return page;
}

/** The value of a figure on the page. */
export const figure = async (page, name) => Number((await page.getByTestId(name).textContent()).replaceAll(",", ""));

export async function openSample(page) {
  await page.getByRole("button", { name: "Use the sample" }).click();
  await page.getByTestId("tokens-after").waitFor();
}

/** Sets a control's value and waits until the result reflects it. */
export async function set(page, label, value, shownThreshold) {
  await page.getByLabel(label, { exact: true }).fill(String(value));
  await page.keyboard.press("Tab");
  await page.getByTestId("threshold").filter({ hasText: shownThreshold }).waitFor();
}

/** Drops a file onto the page, as a user does from a folder. */
export async function drop(page, name, text) {
  const data = await page.evaluateHandle(
    ([name, text]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], name));
      return transfer;
    },
    [name, text],
  );
  await page.dispatchEvent("main", "dragover", { dataTransfer: data });
  await page.dispatchEvent("main", "drop", { dataTransfer: data });
}

/** A conversation of `turns` turns in Chat Completions' shape, with one tool call each. */
export function conversation(turns) {
  const messages = [{ role: "system", content: "You answer questions about the weather." }];
  for (let i = 0; i < turns; i++) {
    const call = { id: `call_${i}`, type: "function", function: { name: "weather", arguments: `{"day":${i}}` } };
    messages.push(
      { role: "user", content: `What was the weather on day ${i}?` },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: call.id, content: `Day ${i}:\nrain ${i} mm\n${"wind from the west, turning later\n".repeat(12)}` },
      { role: "assistant", content: `It rained ${i} mm on day ${i}.` },
    );
  }
  return messages;
}
