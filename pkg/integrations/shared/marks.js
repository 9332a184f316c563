// Anthropic's prompt-cache marks in the parts of a request besides its messages.

import { blocksOf } from "./header.js";

/** The most marks that the API accepts in a request. */
const MAX_MARKS = 4;

/** How many marks we may set. The engine counts existing marks itself, except one on the body; if there is one, all are counted here. */
export const marksLeft = (body) => (body.cache_control ? Math.max(0, MAX_MARKS - 1 - marksIn(body.tools) - marksIn(body.system) - marksIn(body.messages)) : MAX_MARKS);

/** The number of marks on blocks and on blocks inside them. */
function marksIn(blocks) {
  if (!Array.isArray(blocks)) return 0;
  return blocks.reduce((sum, block) => sum + (block?.cache_control ? 1 : 0) + marksIn(block?.content), 0);
}

/** A system prompt with a mark at its end: on its last block, or as the separate block `block`. */
export function withMark(system, block) {
  if (block) return [...system, block];
  const blocks = blocksOf(system);
  return blocks.map((block, i) => (i === blocks.length - 1 ? { cache_control: { type: "ephemeral" }, ...block } : block));
}
