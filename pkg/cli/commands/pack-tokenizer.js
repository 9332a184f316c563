// contextfold pack-tokenizer: the fast-loading form of a tokenizer.json.

import { packTokenizer } from "contextfold";
import { EXIT, usage } from "../failure.js";
import { readBytes } from "../input.js";
import { print, printJson, progress, style } from "../terminal.js";
import { writeBytes } from "../write.js";

export async function packTokenizerFile(file, flags) {
  const { out } = flags;
  if (out === "-" && flags.json) throw usage("--json and OUT - would both go to standard output", "pack-tokenizer");
  const bytes = readBytes(file);
  progress("packing");
  const packed = await packTokenizer(bytes);
  progress("");
  writeBytes(out, packed, "pack-tokenizer");
  if (flags.json) printJson({ out, bytes: bytes.length, packed_bytes: packed.length });
  else if (out !== "-") {
    const { paint } = style(process.stdout, flags);
    print(`${paint.bold(out)}: ${megabytes(packed.length)} of ${megabytes(bytes.length)}; \`loadTokenizer\` takes it as it takes the file\n`);
  }
  return EXIT.fine;
}

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
