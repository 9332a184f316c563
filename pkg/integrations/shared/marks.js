// Anthropic's marks for the prompt cache in what a request has beside its messages.

import { blocksOf } from "./header.js";

/** The API takes so many. */
const MOST = 4;

/** How many there is room for. Those of messages, tools and the system prompt, the engine counts, but not with one on the body itself. */
export const marksLeft = (body) => (body.cache_control ? Math.max(0, MOST - 1 - marksIn(body.tools) - marksIn(body.system) - marksIn(body.messages)) : MOST);

/** The marks of blocks, and of those inside them. */
function marksIn(blocks) {
  if (!Array.isArray(blocks)) return 0;
  return blocks.reduce((sum, block) => sum + (block?.cache_control ? 1 : 0) + marksIn(block?.content), 0);
}

/** A system prompt with a mark at its end: in its last block, or as a block of its own. */
export function withMark(system, block) {
  if (block) return [...system, block];
  const blocks = blocksOf(system);
  return blocks.map((block, i) => (i === blocks.length - 1 ? { cache_control: { type: "ephemeral" }, ...block } : block));
}
