#!/usr/bin/env node
// The command line: parses the arguments, runs one command, and reports any error as one line and an exit code.

import { version } from "contextfold";
import { check } from "./commands/check.js";
import { compact } from "./commands/compact.js";
import { convert } from "./commands/convert.js";
import { count } from "./commands/count.js";
import { inspect } from "./commands/inspect.js";
import { mcp } from "./commands/mcp.js";
import { packTokenizerFile } from "./commands/pack-tokenizer.js";
import { repair } from "./commands/repair.js";
import { simulate } from "./commands/simulate.js";
import { withEncoding } from "./engine.js";
import { EXIT, asFailure, failedToWrite } from "./failure.js";
import { readTranscript, readTranscripts } from "./input.js";
import { help, parse } from "./options.js";
import { plain } from "./paint.js";
import { forgiveClosedPipe, print, progress, style } from "./terminal.js";

const COMMANDS = { inspect, count, compact, simulate, check, repair, convert };

async function run(argv) {
  const { command, topic, file, flags } = parse(argv);
  if (command === "version") return print(`${version()}\n`);
  if (command === "help") return print(help(topic, style(process.stdout).paint));
  if (command === "mcp") return void (process.exitCode = await mcp(flags));
  if (command === "proxy") return void (process.exitCode = await (await import("./commands/proxy.js")).proxy(flags)); // imported here, because other commands do not need the server
  if (command === "pack-tokenizer") return void (process.exitCode = await packTokenizerFile(file, flags));
  progress("reading");
  const read = command === "check" ? readTranscripts : readTranscript;
  process.exitCode = await COMMANDS[command](() => read(file, flags), await withEncoding(flags));
}

/** Prints an error as one line, and returns the exit code. */
function tell(thrown) {
  const { code, message, exitCode } = asFailure(thrown);
  progress("");
  const { paint } = style(process.stderr, { "no-color": process.argv.includes("--no-color") });
  process.stderr.write(`contextfold: ${paint.red(code)}: ${plain(message)}\n`);
  return exitCode;
}

forgiveClosedPipe(process.stdout, (error) => tell(failedToWrite("standard output", error)));
forgiveClosedPipe(process.stderr, () => EXIT.unwritable);
try {
  await run(process.argv.slice(2));
} catch (thrown) {
  process.exitCode = tell(thrown); // not exit(), which would cut off output that is still being written to a pipe
}
