// The proxy as a separate process, and the servers that may be behind it.

import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const CLI = join(fileURLToPath(new URL("..", import.meta.url)), "node_modules/contextfold/pkg/cli/main.js");

/** Starts `contextfold proxy`. `said()`: all its output; `ended`: its exit code; it is ended with the test. */
export async function proxyTo(t, upstream, ...flags) {
  const child = spawn(process.execPath, [CLI, "proxy", "--upstream", upstream, "--port", "0", ...flags], { stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  const ended = new Promise((done) => child.once("exit", (code, signal) => done(code ?? signal)));
  t.after(async () => (child.kill("SIGKILL"), await ended));
  const url = await new Promise((ready, failed) => {
    const hear = (chunk) => {
      text += chunk;
      const [, address] = /ANTHROPIC_BASE_URL=(http:\S+) or/.exec(text) ?? [];
      if (address) ready(address);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.once("exit", () => failed(new Error(text)));
  });
  return { url, child, ended, said: () => text, reports: async () => (await fetch(`${url}/contextfold/reports`)).json() };
}

/** A server that answers with `handle(request, response, bytes)`; `requests`: what arrived, with the bytes of each body. */
export async function upstreamOf(t, handle) {
  const requests = [];
  const server = createServer(async (request, response) => {
    const chunks = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return; // the client went away midway
    }
    const bytes = Buffer.concat(chunks);
    requests.push({ method: request.method, url: request.url, headers: request.headers, rawHeaders: request.rawHeaders, bytes });
    await handle(request, response, bytes, requests.length);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  t.after(() => new Promise((done) => (server.close(done), server.closeAllConnections())));
  return { url: `http://127.0.0.1:${server.address().port}`, requests };
}

export const sendJson = (response, status, value, headers = {}) => response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));

/** A completion with this text. */
export const completion = (content) => ({ id: "c", object: "chat.completion", created: 0, model: "m", choices: [{ index: 0, finish_reason: "stop", logprobs: null, message: { role: "assistant", content, refusal: null } }], usage: { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 } });
