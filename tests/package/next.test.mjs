// A Next.js app without any configuration, built and started: a route, a page rendered on the server, and pages that run in the
// browser.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { install, nodeOf } from "../../scripts/lib/installed.mjs";
import { env, root } from "../../scripts/lib/paths.mjs";
import { placePackage } from "../integrations/place.mjs";
import { launch, open } from "../support/browser.mjs";
import { run } from "./consumer.mjs";
import { RUNTIMES } from "./job.mjs";

// Next to the folder that contains Next, which does not compile anything inside a `node_modules`.
const app = join(root, RUNTIMES, ".next-app");
const extraEnv = { NEXT_TELEMETRY_DISABLED: "1" };

let server, browser, url, expected;

/** Starts the built app on a free port and returns its address. */
function start(next) {
  server = spawn(nodeOf(22), [next, "start", "--port", "0"], { cwd: app, env: { ...env, ...extraEnv }, stdio: ["ignore", "pipe", "pipe"] });
  return new Promise((resolve, reject) => {
    let said = "";
    const late = setTimeout(() => reject(new Error(`the app did not start in 30 s:\n${said}`)), 30_000);
    const hear = (text) => {
      said += text;
      const [address] = said.match(/http:\/\/localhost:\d+/) ?? [];
      if (!address || !/Ready/.test(said)) return;
      clearTimeout(late);
      resolve(address);
    };
    server.stdout.on("data", hear);
    server.stderr.on("data", hear);
    server.on("exit", () => reject(new Error(`the app ended:\n${said}`)));
  });
}

before(async () => {
  install(RUNTIMES);
  rmSync(app, { recursive: true, force: true });
  cpSync(join(root, "tests/package/next-app"), app, { recursive: true });
  writeFileSync(join(app, "package.json"), '{ "private": true, "type": "module" }');
  mkdirSync(join(app, "node_modules"));
  placePackage(app);
  const next = join(root, RUNTIMES, "node_modules/next/dist/bin/next");
  run(nodeOf(22), [next, "build"], { cwd: app, extraEnv });
  url = await start(next);
  browser = await launch();
  expected = await (await fetch(`${url}/api/fold`)).json();
});
after(async () => {
  await browser?.close();
  server?.kill();
  rmSync(app, { recursive: true, force: true });
});

describe("Next.js", () => {
  test("a route folds", () => {
    const [tokens, folds] = expected;
    assert.ok(tokens > 100 && tokens < 2_000 && folds > 0, String(expected));
  });

  test("a page rendered on the server", async () => {
    const html = await (await fetch(url)).text();
    assert.deepEqual(html.match(/<p id="out">(\d+)\D+(\d+)<\/p>/)?.slice(1).map(Number), expected);
  });

  test("a page in the browser", async () => {
    const { page, problems } = await open(browser, `${url}/client`);
    await page.waitForFunction(() => document.querySelector("#out")?.textContent, null, { timeout: 20_000 }).catch(() => {});
    assert.deepEqual(problems, []);
    assert.equal(await page.textContent("#out"), expected.join(" "));
  });
});
