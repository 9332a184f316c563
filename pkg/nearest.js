// Finds the known word that a misspelt word was probably meant to be.

/** ` (did you mean …?)`, or an empty text if no known word is similar. */
export function meant(word, known) {
  const found = nearest(word, known);
  return found === undefined ? "" : ` (did you mean ${found}?)`;
}

/** What is wrong with the keys of these options, as the text of an error; `undefined` if all of them are known. */
export function unknownKeyIn(options, known) {
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown === undefined) return undefined;
  const near = nearest(unknown, known);
  if (near !== undefined) return `\`${unknown}\`: unknown key; did you mean \`${near}\`?`;
  return `\`${unknown}\`: unknown key; known keys are ${known.map((key) => `\`${key}\``).join(", ")}`;
}

/** The most similar known word; `undefined` if none is similar enough. One that ends with `word` is: `contextWindow` for `window`. */
export function nearest(word, known) {
  const far = Math.floor((word.length + 2) / 4);
  const lower = word.toLowerCase();
  const endsWithIt = (name) => word.length > 3 && name.endsWith(lower);
  const near = known.map((name) => [endsWithIt(name.toLowerCase()) ? 1 : distance(lower, name.toLowerCase()), name]).filter(([steps]) => steps <= far);
  return near.length === 0 ? undefined : near.reduce((best, next) => (next[0] < best[0] ? next : best))[1];
}

/** The Levenshtein distance. */
function distance(a, b) {
  let row = Array.from({ length: a.length + 1 }, (_, i) => i);
  for (let j = 1; j <= b.length; j++) {
    const next = [j];
    for (let i = 1; i <= a.length; i++) next[i] = Math.min(row[i - 1] + (a[i - 1] === b[j - 1] ? 0 : 1), row[i] + 1, next[i - 1] + 1);
    row = next;
  }
  return row[a.length];
}
