// contextfold repair: repairs a broken history.

import { check, repair as repairList } from "contextfold";
import { EXIT } from "../failure.js";
import { printJson, progress } from "../terminal.js";
import { write } from "../write.js";
import { listed, optionsOf, refuseProvider } from "./check.js";
import { refuseTwoOutputs, printChanges } from "../change-report.js";

export function repair(read, flags) {
  refuseTwoOutputs(flags, "repair");
  refuseProvider(flags, "repair");
  const transcript = read();
  progress("mending");
  const { format, key } = transcript;
  const options = optionsOf(transcript, flags);
  const { output, changes } = repairList(format, listed(transcript), options);
  const left = check(format, output, options).filter((found) => found.severity === "error");
  const list = Array.isArray(output) ? output : output[key];
  const written = flags.out === undefined ? null : write(flags.out, { value: output, list });
  progress("");
  if (flags.json) printJson({ format, output, changes });
  else {
    const rows = changes.map(({ index, rule, what }) => ({ index, label: rule, text: what }));
    const unmended = left.map(({ index, rule, message }) => ({ index, label: rule, text: `not repaired: ${message}` }));
    const verdict = changes.length === 0 && left.length === 0 ? "nothing to repair" : null;
    printChanges({ transcript, what: "change", rows: [...rows, ...unmended], verdict, format, list, written, failed: left.length > 0 }, flags);
  }
  return left.length ? EXIT.violations : EXIT.fine;
}
