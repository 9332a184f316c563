#!/usr/bin/env node
// Records examples/transcript.responses.json: a scripted agent works with real tools on a clone of this repository.
//   node examples/record.mjs [--repo DIR] [--out DIR]
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { addRemedy } from "./recorder/change.mjs";
import { measure, orient, readThrough } from "./recorder/explore.mjs";
import { factsOf } from "./recorder/facts.mjs";
import { leaks } from "./recorder/scrub.mjs";
import { makeTools } from "./recorder/tools.mjs";
import { Transcript } from "./recorder/transcript.mjs";
import { SYSTEM, TASK, checkWildcards, closeLongTurn, leaveUnfinished, writeChangelog } from "./recorder/turns.mjs";
import { openWorkspace } from "./recorder/workspace.mjs";

/** Text of the whole recording, in bytes: well over 180,000 tokens at four bytes each, and less than a mebibyte as JSON. */
const BYTES = 770_000;
const LEAST_TOKENS = 180_000;
const LEAST_ITEMS = 150;
const LEAST_STEPS = 60;
const MOST_FILE_BYTES = 1 << 20;
/** What the change and the later turns take, apart from repeated reads of the error file and test runs. */
const LATER_BYTES = 30_000;
const LATER_STEPS = 25;

const here = dirname(fileURLToPath(import.meta.url));
const { values } = parseArgs({ options: { repo: { type: "string" }, out: { type: "string" } } });
const source = resolve(values.repo ?? join(here, ".."));
const out = resolve(values.out ?? here);

const workspace = openWorkspace(source);
const agent = new Transcript(makeTools(workspace));
agent.system(SYSTEM);
agent.user(TASK);

const errorFile = orient(agent);
const place = { repo: workspace.repo, errorFile };
measure(agent, errorFile);
const tests = agent.calls.find((call) => call.args.command === "cargo test --lib").output.length;
const reserve = LATER_BYTES + tests + 6 * readFileSync(join(workspace.repo, errorFile)).length;
readThrough(agent, { ...place, bytes: BYTES - reserve, steps: LEAST_STEPS - LATER_STEPS });
const result = addRemedy(agent, place);
closeLongTurn(agent, { ...place, ...result });
checkWildcards(agent, place);
writeChangelog(agent, place);
leaveUnfinished(agent, place);

const facts = factsOf(agent, place);
const json = agent.toJson();
const size = Buffer.byteLength(json);
const tokens = Math.ceil(agent.bytes / 4);
const problems = [
  ...leaks(json, workspace, source).map((name) => `names this machine: ${name}`),
  ...(agent.items.length < LEAST_ITEMS ? [`only ${agent.items.length} items`] : []),
  ...(agent.steps[0] < LEAST_STEPS ? [`the long turn has only ${agent.steps[0]} steps`] : []),
  ...(tokens < LEAST_TOKENS ? [`only ${tokens} tokens (bytes / 4)`] : []),
  ...(size >= MOST_FILE_BYTES ? [`${size} bytes of JSON`] : []),
];
console.log(
  `${agent.items.length} items, ${agent.calls.length} calls, steps per turn ${agent.steps.join(" + ")}, ` +
    `${tokens} tokens (bytes / 4), ${size} bytes`,
);
if (problems.length) throw new Error(`not written: ${problems.join("; ")}`);

writeFileSync(join(out, "transcript.responses.json"), json);
writeFileSync(join(out, "transcript.facts.json"), `${JSON.stringify(facts, null, 2)}\n`);
