// The browser's own database as a store: the contract of all stores, in a page.

import assert from "node:assert/strict";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { root } from "../../scripts/lib/paths.mjs";
import { launch, open } from "../support/browser.mjs";
import { serve } from "../support/serve.mjs";
import { temporaryFolder } from "../support/temp.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const MAP = { imports: { contextfold: "./pkg/web.js", "contextfold/stores/indexeddb": "./pkg/stores/indexeddb.js", "idb-keyval": "./idb-keyval.js" } };
const PROGRAM = `
  import init, { Session } from "contextfold";
  import { indexedDBStore } from "contextfold/stores/indexeddb";
  import { storeContract } from "./store-contract.mjs";
  const assert = (holds, why) => { if (!holds) throw new Error(why); };
  await init();
  const said = await storeContract({ open: async () => indexedDBStore(), Session, assert, prefix: "page" }).then((n) => n + " hold", (error) => error.message);
  document.querySelector("#out").textContent = said;`;

test("IndexedDB does what a session needs, and keeps it over a reload", async (t) => {
  const folder = temporaryFolder(t);
  cpSync(join(root, "pkg"), join(folder, "pkg"), { recursive: true });
  cpSync(join(root, "node_modules/idb-keyval/dist/index.js"), join(folder, "idb-keyval.js"));
  cpSync(join(root, "tests/support/store-contract.mjs"), join(folder, "store-contract.mjs"));
  const html = (script) =>
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>t</title><link rel="icon" href="data:,"><script type="importmap">${JSON.stringify(MAP)}</script><p id="out"></p><script type="module">${script}</script></html>`;
  writeFileSync(join(folder, "index.html"), html(PROGRAM));
  writeFileSync(
    join(folder, "again.html"),
    html(`
      import init, { Session } from "contextfold";
      import { indexedDBStore } from "contextfold/stores/indexeddb";
      await init();
      const session = await Session.load(indexedDBStore(), "page-1");
      document.querySelector("#out").textContent = session.messages[0].content;`),
  );
  const server = await serve(folder);
  t.after(() => server.close());
  const { page, problems } = await open(browser, server.url);
  const said = async () => {
    await page.waitForFunction(() => document.querySelector("#out").textContent !== "", null, { timeout: 20_000 }).catch(() => {});
    return page.textContent("#out");
  };
  assert.match(await said(), /^\d+ hold$/);
  await page.goto(`${server.url}again.html`);
  assert.equal(await said(), "hello");
  assert.deepEqual(problems, []);
});
