// The command-line arguments of the walks.

import { FORMATS } from "../tests/support/session.mjs";

/** Seeds, steps, formats, and the time for each format. */
export function walkArguments() {
  const given = (name) => {
    const at = process.argv.indexOf(`--${name}`);
    return at < 0 ? null : process.argv[at + 1];
  };
  const only = given("seed");
  const from = Number(only ?? given("from") ?? 1);
  const most = Number(given("operations") ?? 2000);
  const formats = given("format") ? [given("format")] : FORMATS;
  const milliseconds = (1000 * Number(given("seconds") ?? Infinity)) / formats.length;
  return { only, from, most, formats, milliseconds };
}
