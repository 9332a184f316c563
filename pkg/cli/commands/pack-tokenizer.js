// contextfold pack-tokenizer: packs a tokenizer.json, so that it loads faster.

import { packTokenizer } from "contextfold";
import { EXIT, Failure, usage } from "../failure.js";
import { readBytes } from "../input.js";
import { print, printJson, progress, style } from "../terminal.js";
import { writeBytes } from "../write.js";

export async function packTokenizerFile(file, flags) {
  const { out } = flags;
  if (out === "-" && flags.json) throw usage("--json and OUT - would both go to standard output", "pack-tokenizer");
  const bytes = readBytes(file);
  progress("packing");
  const packed = await packTokenizer(bytes, flags.template === undefined ? {} : { template: text(flags.template), jinja: await renderer() });
  progress("");
  writeBytes(out, packed);
  if (flags.json) printJson({ out, bytes: bytes.length, packed_bytes: packed.length });
  else if (out !== "-") {
    const { paint } = style(process.stdout, flags);
    print(`${paint.bold(out)}: ${megabytes(packed.length)} of ${megabytes(bytes.length)}; \`loadTokenizer\` can load it like the original file\n`);
  }
  return EXIT.fine;
}

const text = (file) => new TextDecoder().decode(readBytes(file));

async function renderer() {
  try {
    return await import("@huggingface/jinja");
  } catch (error) {
    if (error?.code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new Failure(EXIT.usage, "USAGE", "--template needs a package beside this one: npm install @huggingface/jinja, or, without installing anything, npx -p contextfold -p @huggingface/jinja contextfold pack-tokenizer FILE OUT --template FILE");
  }
}

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
