// The browser's own database as a store: the contracts of all stores, run in a page.

import assert from "node:assert/strict";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { build } from "esbuild";
import { root } from "../../scripts/lib/paths.mjs";
import { launch, open } from "../support/browser.mjs";
import { serve } from "../support/serve.mjs";
import { temporaryFolder } from "../support/temp.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const MAP = { imports: { contextfold: "./pkg/web.js", "contextfold/stores/indexeddb": "./pkg/stores/indexeddb.js" } };
const PROGRAM = `
  import init, { Session } from "contextfold";
  import { indexedDBStore } from "contextfold/stores/indexeddb";
  import { storeContract } from "./store-contract.mjs";
  const assert = (holds, why) => { if (!holds) throw new Error(why); };
  await init();
  const said = await storeContract({ open: async () => indexedDBStore(), Session, assert, prefix: "page" }).then((n) => n + " hold", (error) => error.message);
  document.querySelector("#out").textContent = said;`;

test("IndexedDB can hold a session, and keeps it over a reload", async (t) => {
  const folder = temporaryFolder(t);
  cpSync(join(root, "pkg"), join(folder, "pkg"), { recursive: true });
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

test("IndexedDB, plain and encrypted, fulfils the contract of journal stores, and a journal survives a reload", async (t) => {
  const folder = temporaryFolder(t);
  const shim = join(root, "tests/support/page-tests.mjs");
  await build({
    stdin: {
      contents: `
        import { runTests } from ${JSON.stringify(shim)};
        import { contract, recordsBehind, snapshotAt } from "./tests/stores/contract.mjs";
        import { indexedDBStore } from "./pkg/stores/indexeddb.js";
        import { wrapStore } from "./pkg/stores/encrypted.js";
        const out = document.querySelector("#out");
        if (location.hash === "") {
          const bytes = new Uint8Array(32).fill(7);
          contract("IndexedDB", async () => indexedDBStore("journals"), { bigBytes: 5_000_000, racers: 20, many: 1000 });
          contract("encrypted", async () => wrapStore(indexedDBStore("encrypted"), { encrypt: () => ({ id: "k", key: bytes }) }), { bigBytes: 5_000_000, racers: 20, many: 1000 });
          const { passed, failed } = await runTests();
          const store = indexedDBStore("journals");
          await store.replace("stays", null, snapshotAt(1), 1);
          await store.append("stays", 1, recordsBehind(1, 2));
          out.textContent = failed.length ? failed.join("\\n") : passed + " passed";
        } else {
          const { position, records } = await indexedDBStore("journals").read("stays");
          out.textContent = position + ", " + records.length + " bytes";
        }`,
      resolveDir: root,
    },
    alias: { "node:test": shim, "node:assert/strict": shim, "node:timers/promises": shim },
    bundle: true,
    format: "esm",
    outfile: join(folder, "program.js"),
    logLevel: "warning",
  });
  writeFileSync(
    join(folder, "index.html"),
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>t</title><link rel="icon" href="data:,"><p id="out"></p><script type="module" src="./program.js"></script></html>`,
  );
  const server = await serve(folder);
  t.after(() => server.close());
  const { page, problems } = await open(browser, server.url);
  const said = async () => {
    await page.waitForFunction(() => document.querySelector("#out").textContent !== "", null, { timeout: 90_000 }).catch(() => {});
    return page.textContent("#out");
  };
  const result = await said();
  t.diagnostic(result.slice(0, 100));
  assert.match(result, /^\d+ passed$/);
  await page.goto(`${server.url}#again`);
  await page.reload();
  assert.match(await said(), /^3, \d+ bytes$/);
  assert.deepEqual(problems, []);
});
