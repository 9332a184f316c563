// The header (system prompt) as an SDK has it, outside its list, compared with the header of a view.

export const isInstruction = (entry) => entry?.role === "system" || entry?.role === "developer";

/** Anthropic's system prompt as blocks. */
export const blocksOf = (system) => (typeof system === "string" ? [{ type: "text", text: system }] : (system ?? []));

/** The parts of Gemini's instructions; `undefined` if there are none. */
export const partsOf = (instruction) => (Array.isArray(instruction?.parts) && instruction.parts.length > 0 ? instruction.parts : undefined);

/** Puts a list and its header together, for formats that have the header outside the list, as blocks or parts. */
export const WITH_PIECES = {
  anthropic: (system, messages) => ({ system, messages }),
  "bedrock-converse": (system, messages) => ({ system, messages }),
  gemini: (parts, contents) => ({ systemInstruction: { parts }, contents }),
};

/**
 * A view without the header that was set (`header`), because the SDK sends that itself. What follows it (memory and other parts of
 * `setContext`, instructions that a pass has merged into it) is kept: among the entries, or as blocks of the system prompt.
 */
export function withoutHeader(view, header) {
  const headerPieces = header === undefined ? [] : [header].flat();
  if (view.messages) return { entries: view.messages, system: entriesAfterHeader(blocksOf(view.system), headerPieces) };
  if (view.contents) return { entries: view.contents, system: entriesAfterHeader(partsOf(view.systemInstruction) ?? [], headerPieces) };
  return { entries: entriesAfterHeader(view.input ?? view, headerPieces), system: [] };
}

function entriesAfterHeader(entries, headerPieces) {
  const other = headerPieces.findIndex((one, i) => wordsOf(entries[i]) !== wordsOf(one));
  const [first, ...rest] = entries.slice(other < 0 ? headerPieces.length : other);
  if (first === undefined) return [];
  const headerTexts = headerPieces.slice(other).map(wordsOf);
  const more = other < 0 ? undefined : (mergedInto(wordsOf(first), headerTexts.join("\n\n")) ?? mergedInto(wordsOf(first), headerTexts[0]));
  return more === undefined ? [first, ...rest] : [withWords(first, more), ...rest];
}

/** What a pass appended to the words of a header; `undefined` if the text does not begin with them. */
const mergedInto = (words, own) => (own && words?.startsWith(`${own}\n\n`) ? words.slice(own.length + 2) : undefined);

const withWords = (one, words) => (one.content === undefined ? { ...one, text: words } : { ...one, content: words });

/** The text of a header's message, an entry or a block. */
function wordsOf(one) {
  const content = typeof one === "string" ? one : (one?.content ?? one?.text);
  return Array.isArray(content) ? content.map(({ text }) => text).join("\n\n") : content;
}
