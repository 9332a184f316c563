// Arguments of the wrong type where text is expected: a typed error, and the module keeps working. Each runs in its own process.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));

/** The code of what `expression` threw (or "none"), and whether the module still works. */
async function outcome(expression) {
  const program = `
    import * as package_ from "contextfold";
    const { Session, compressJson, contextLimit, toolDefinitions, truncateHeadTail, ContextError } = package_;
    const session = new Session({ contextWindow: 1000 });
    let code = "none";
    try { await (${expression}); } catch (error) { code = ContextError.isInstance(error) ? error.code : error.name; }
    let alive = true;
    try { new Session().push({ role: "user", content: "x" }); } catch { alive = false; }
    console.log(JSON.stringify({ code, alive }));`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", program], { cwd: root });
  return JSON.parse(stdout);
}

const WANT_TEXT = {
  "session.pin": (x) => `session.pin(${x})`,
  "session.unpin": (x) => `session.unpin(${x})`,
  "session.view": (x) => `session.view(${x})`,
  "session.pushFrom": (x) => `session.pushFrom(${x}, [])`,
  "session.setTools": (x) => `session.setTools(${x}, [])`,
  "session.on": (x) => `session.on(${x}, () => {})`,
  contextLimit: (x) => `contextLimit(${x})`,
  compressJson: (x) => `compressJson(${x})`,
  truncateHeadTail: (x) => `truncateHeadTail(${x})`,
  toolDefinitions: (x) => `toolDefinitions(${x})`,
  "request.as": (x) => `(async () => {
    let thrown;
    const asking = new Session({ contextWindow: 1000, summarize: (request) => { try { request.as(${x}); } catch (error) { thrown = error; } return "s"; } });
    asking.push([{ role: "user", content: "long ".repeat(300) }, { role: "assistant", content: "long ".repeat(300) }, { role: "user", content: "next" }]);
    await asking.compact();
    if (thrown) throw thrown;
  })()`,
  "toolOutputs.append": (x) => `session.toolOutputs.append(${x}, "x")`,
  "toolOutputs.get": (x) => `session.toolOutputs.get(${x})`,
};

describe("an argument that must be text", { concurrency: 2 }, () => {
  for (const [name, call] of Object.entries(WANT_TEXT))
    for (const value of ["5", "{}", "undefined", "null", "Symbol('x')"])
      test(`${name}(${value})`, async () => {
        const { code, alive } = await outcome(call(value));
        assert.ok(alive, `the module is dead: ${code}`);
        assert.equal(code, "INVALID_ARGUMENT");
      });
});
