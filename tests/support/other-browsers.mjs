// Firefox through puppeteer-core, and WebKit through its WebDriver: each as `{ name, open(url), evaluate(script), close() }`.

import { spawn } from "node:child_process";
import { once } from "node:events";
import puppeteer from "puppeteer-core";
import { which } from "../../scripts/lib/run.mjs";
import { freePort } from "./free-port.mjs";
import { withTries } from "./tries.mjs";

const PATIENCE = 40_000;

/** The system's Firefox. */
export async function firefox() {
  const executablePath = which("firefox-esr", "firefox");
  if (!executablePath) throw new Error("Firefox is missing: `npm run setup -- --browsers`");
  const browser = await withTries("Firefox", () => puppeteer.launch({ browser: "firefox", executablePath, headless: true }));
  const page = await browser.newPage();
  return {
    name: `Firefox ${(await browser.version()).replace(/^\w+\//, "")}`,
    open: (url) => page.goto(url),
    evaluate: (script) => page.evaluate(`(() => { ${script} })()`),
    close: () => browser.close(),
  };
}

/** WebKitGTK, on a virtual screen. */
export async function webkit() {
  if (!which("WebKitWebDriver") || !which("xvfb-run")) throw new Error("WebKitWebDriver or Xvfb is missing: `npm run setup -- --browsers`");
  const { driver, ask, end, session } = await withTries("WebKitWebDriver", startWebkit);
  const at = `/session/${session.sessionId}`;
  return {
    name: `WebKit ${session.capabilities.browserVersion}`,
    open: (url) => ask("POST", `${at}/url`, { url }),
    evaluate: (script) => ask("POST", `${at}/execute/sync`, { script, args: [] }),
    close: async () => {
      await ask("DELETE", at).catch(() => {});
      end();
      await Promise.race([once(driver, "exit"), new Promise((done) => setTimeout(done, 2_000))]);
    },
  };
}

/**
 * `xvfb-run` sometimes waits forever for a screen that is there already, and a driver without a screen answers nothing. So one that
 * does not answer is ended.
 */
async function startWebkit() {
  const port = await freePort();
  const driver = spawn("xvfb-run", ["-a", "WebKitWebDriver", `--port=${port}`], { stdio: ["ignore", "ignore", "pipe"], detached: true });
  let said = "";
  driver.stderr.on("data", (chunk) => (said += chunk));
  const end = () => {
    try {
      process.kill(-driver.pid);
    } catch {
      // it is gone already
    }
  };
  const ask = async (method, path, body, patience = PATIENCE) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, body: body && JSON.stringify(body), signal: AbortSignal.timeout(patience) });
    const { value } = await response.json();
    if (value?.error) throw new Error(`${value.error}: ${value.message}`);
    return value;
  };
  try {
    let why;
    await until(() => ask("GET", "/status", undefined, 5_000).catch((error) => void (why = error)), () => `no answer: ${why}`, 20_000);
    const session = await ask("POST", "/session", { capabilities: {} });
    return { driver, ask, end, session };
  } catch (error) {
    end();
    throw new Error(`${error.message} ${said.trim()}`.trim(), { cause: error });
  }
}

/** Waits until `look` returns something. */
export async function until(look, why, patience = PATIENCE) {
  const end = Date.now() + patience;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(typeof why === "function" ? why() : why);
    await new Promise((done) => setTimeout(done, 150));
  }
}
