// A process that appends to a journal shared with others: `node segments-writer.mjs FOLDER NAME COUNT`. Prints what it saw as JSON.

import { segmented } from "../../pkg/stores/segments.js";
import { frame } from "../../pkg/stores/frames.js";
import { sharedFolder } from "../support/writer.mjs";

const [folder, name, count] = process.argv.slice(2);
const journals = segmented(sharedFolder(folder));
const seen = { conflicts: 0, notices: 0 };
for (let n = 0; n < Number(count); ) {
  const { position, notice } = await journals.read("shared");
  if (notice) seen.notices++;
  try {
    if (n % 25 === 24) await journals.replace("shared", position, new TextEncoder().encode("put together"), position);
    await journals.append("shared", position, [frame(position + 1, new TextEncoder().encode(`${name} ${n}\n`))]);
    n++;
  } catch (error) {
    if (error.code !== "STORE_CONFLICT") throw error;
    seen.conflicts++;
  }
}
console.log(JSON.stringify(seen));
