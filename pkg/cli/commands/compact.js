// contextfold compact: makes a transcript fit its window, and reports how.

import { Session } from "contextfold";
import { measure, output, push, sessionOptions } from "../engine.js";
import { asFailure, EXIT, usage } from "../failure.js";
import { plural, size } from "../paint.js";
import { renderReport } from "../report.js";
import { printJson, progress, style } from "../terminal.js";
import { write } from "../write.js";

export async function compact(read, flags) {
  if (flags.model === undefined && flags.window === undefined)
    throw usage("the context window is not known: set --window N or --model NAME", "compact");
  if (flags.json && flags.out === "-")
    throw usage("--json and --out - both print to standard output: use only one", "compact");
  const session = new Session(sessionOptions(flags)); // before anything is read, so that a wrong flag is reported at once
  const transcript = read();
  progress(`counting ${plural(transcript.items.length, "item")}`);
  const came = await measure(transcript, flags);
  came.session.free();
  push(session, transcript);
  progress("compacting");
  const run = { transcript, before: came.report, format: flags.to ?? transcript.format, session };
  try {
    run.report = (await session.prepare({ fill: true })).report;
  } catch (thrown) {
    if (!thrown?.report) throw thrown;
    return doesNotFit({ ...run, report: thrown.report }, asFailure(thrown), flags);
  }
  return fits(run, flags);
}

function fits(run, flags) {
  const { transcript, session, format, report } = run;
  const result = output(session, transcript, format);
  const written = flags.out === undefined ? null : write(flags.out, result);
  progress("");
  if (flags.json) printJson({ format, output: result.value, report });
  else {
    const where = written
      ? [`${flags.out} (${format}, ${plural(result.list.length, "item")}, ${size(written)})`]
      : ["not written: --out FILE writes it, --json prints it"];
    if (result.left_behind.length)
      where.push(`left out, because only ${transcript.format} has it: ${result.left_behind.join(", ")}`);
    show(run, { written: where }, flags);
  }
  return EXIT.fine;
}

function doesNotFit(run, failure, flags) {
  progress("");
  if (flags.json)
    printJson({
      format: run.format,
      output: null,
      report: run.report,
      error: { code: failure.code, message: failure.message },
    });
  else show(run, { failure, written: flags.out === undefined ? [] : ["nothing was written"] }, flags);
  process.stderr.write(`contextfold: ${failure.code}: ${failure.message}\n`);
  return EXIT.overLimit;
}

/** Prints the report to standard output, or to standard error if the transcript goes to standard output. */
function show({ transcript, before, session, report }, more, flags) {
  const stream = flags.out === "-" ? process.stderr : process.stdout;
  const { color, width } = style(stream, flags);
  const format = transcript.forced ? transcript.format : `${transcript.format} (detected)`;
  const source = [format, plural(transcript.items.length, "item"), size(transcript.bytes)].join(" · ");
  stream.write(
    renderReport(report, { title: transcript.name, source, before, folds: session.folds(), color, width, ...more }),
  );
}
