// contextfold convert: converts a transcript to another format.

import { convert as convertList } from "contextfold";
import { plainBody, shaped } from "../engine.js";
import { EXIT, usage } from "../failure.js";
import { printJson, progress } from "../terminal.js";
import { write } from "../write.js";
import { refuseTwoOutputs, printChanges } from "../change-report.js";

export function convert(read, flags) {
  if (flags.to === undefined) throw usage("the target format is missing: set --to FORMAT", "convert");
  refuseTwoOutputs(flags, "convert");
  const transcript = read();
  progress("converting");
  const notes = [];
  const converted = convertList(transcript.format, flags.to, requestOf(transcript), { onNote: (note) => notes.push(note) });
  const { value, list, left_behind } = shaped(converted, transcript, flags.to);
  const written = flags.out === undefined ? null : write(flags.out, { value, list });
  progress("");
  if (flags.json) printJson({ format: flags.to, output: value, notes });
  else {
    const rows = notes.map(({ index, what }) => ({ index, label: "", text: what }));
    const verdict = notes.length ? null : `everything can be written in ${flags.to}`;
    printChanges({ transcript, what: "note", rows, verdict, format: flags.to, list, written, left_behind }, flags);
  }
  return EXIT.fine;
}

const KEYS = { "openai-responses": "input", anthropic: "messages", gemini: "contents", "bedrock-converse": "messages" };

/** The input for the engine: the body with the list under the API's own key, because the body's other fields are converted, too. */
function requestOf(transcript) {
  const { format, body, key, items } = transcript;
  const own = KEYS[format];
  if (!body || !own) return body ? plainBody(transcript) : items;
  const { [key]: _, ...beside } = body;
  return { ...beside, [own]: items };
}
