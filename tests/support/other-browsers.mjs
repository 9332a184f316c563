// Firefox through puppeteer-core, and WebKit through its WebDriver: each as `{ name, open(url), evaluate(script), close() }`.

import { spawn } from "node:child_process";
import { once } from "node:events";
import puppeteer from "puppeteer-core";
import { which } from "../../scripts/lib/run.mjs";

const PATIENCE = 40_000;

/** The system's Firefox. */
export async function firefox() {
  const executablePath = which("firefox-esr", "firefox");
  if (!executablePath) throw new Error("Firefox is missing: `npm run setup -- --browsers`");
  const browser = await puppeteer.launch({ browser: "firefox", executablePath, headless: true });
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
  const port = 20_000 + (process.pid % 20_000);
  const driver = spawn("xvfb-run", ["-a", "WebKitWebDriver", `--port=${port}`], { stdio: "ignore", detached: true });
  const ask = async (method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, body: body && JSON.stringify(body) });
    const { value } = await response.json();
    if (value?.error) throw new Error(`${value.error}: ${value.message}`);
    return value;
  };
  const end = () => {
    try {
      process.kill(-driver.pid);
    } catch {
      // it is gone already
    }
  };
  let session;
  try {
    session = await until(() => ask("POST", "/session", { capabilities: {} }).catch(() => null), "WebKitWebDriver does not answer");
  } catch (error) {
    end();
    throw error;
  }
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

/** Waits until `look` returns something. */
export async function until(look, why) {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(why);
    await new Promise((done) => setTimeout(done, 150));
  }
}
