// The loss of a message after a prompt: the mean negative log-likelihood per token. Losses are cached on disk.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { getLlama } from "node-llama-cpp";
import { cache, model } from "./models.mjs";
import { said, templates } from "./template.mjs";

/** At most this many tokens of the recorded message are scored. */
const TOKENS = 160;

export async function scorer(name) {
  const { gguf, weights, scorer: program } = model(name);
  const llama = await getLlama({ gpu: false, build: "never", logLevel: "error" });
  const vocabulary = await llama.loadModel({ modelPath: gguf, vocabOnly: true });
  const template = templates[name];
  const file = join(cache, `losses-${name}.jsonl`);
  const known = new Map(existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line)) : []);
  const texts = new Map();
  let child;
  let lines;

  const tokens = (text) => {
    let found = texts.get(text);
    if (!found) texts.set(text, (found = vocabulary.tokenize(text, false, "trimLeadingSpace")));
    return found;
  };
  const marks = new Map();
  const mark = (text) => {
    if (!marks.has(text)) marks.set(text, vocabulary.tokenize(text, true));
    return marks.get(text);
  };
  const start = async () => {
    child = spawn(program, [weights], { stdio: ["pipe", "pipe", "inherit"] });
    lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    if ((await lines.next()).value !== "ready") throw new Error("the scorer does not start");
  };

  return {
    computed: 0,
    /** The prompt's tokens. */
    prompt: (messages) => template(messages).flatMap((p) => (typeof p === "string" ? tokens(p) : mark(p.mark))),
    /** null if prompt and message together are too long for the model. */
    async loss(messages, next) {
      const prompt = this.prompt(messages);
      const continuation = tokens(said(next)).slice(0, TOKENS);
      const key = createHash("sha256").update(`${prompt.join()}|${continuation.join()}`).digest("base64url").slice(0, 22);
      if (known.has(key)) return known.get(key);
      if (!child) await start();
      child.stdin.write(`${prompt.length} ${continuation.length} ${prompt.join(" ")} ${continuation.join(" ")}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error("the scorer stopped");
      const [reused, ...logs] = value.split(" ").map(Number);
      const loss = reused < 0 ? null : -logs.reduce((a, b) => a + b, 0) / logs.length;
      known.set(key, loss);
      appendFileSync(file, `${JSON.stringify([key, loss])}\n`);
      this.computed++;
      return loss;
    },
    async end() {
      child?.stdin.end();
      await vocabulary.dispose();
    },
  };
}
