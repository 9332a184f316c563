// The system's Chromium, headless.

import { chromium } from "playwright-core";
import { which } from "../../scripts/lib/run.mjs";
import { withTries } from "./tries.mjs";

const QUIET = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-dev-shm-usage",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A browser with a fresh profile; the caller closes it. */
export function launch() {
  const executablePath = which("chromium", "chromium-browser", "google-chrome");
  if (!executablePath) throw new Error("Chromium is missing: `npm run setup -- --browsers`");
  return withTries("Chromium", () => chromium.launch({ executablePath, headless: true, args: QUIET }));
}

/** Opens `url` in a new page; `problems` collects everything that the page reports as an error. */
export async function open(browser, url) {
  const page = await browser.newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("requestfailed", (request) => problems.push(`${request.url()}: ${request.failure()?.errorText}`));
  await page.goto(url);
  return { page, problems };
}
