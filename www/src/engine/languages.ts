// Guesses the languages of a text, by its scripts, and by the most common words of languages that share a script.

const SCRIPTS: [string, RegExp][] = [
  ["Japanese", /[\u3040-\u30ff]/gu],
  ["Korean", /\p{Script=Hangul}/gu],
  ["Chinese", /\p{Script=Han}/gu],
  ["Russian or another in Cyrillic", /\p{Script=Cyrillic}/gu],
  ["Arabic script", /\p{Script=Arabic}/gu],
  ["Hebrew", /\p{Script=Hebrew}/gu],
  ["Greek", /\p{Script=Greek}/gu],
  ["Hindi or another in Devanagari", /\p{Script=Devanagari}/gu],
  ["Thai", /\p{Script=Thai}/gu],
];

const WORDS: [string, Set<string>][] = [
  ["English", new Set("the and is of to in that it you for with this not what are please do does from".split(" "))],
  ["German", new Set("der die das und ist nicht ein eine zu mit auf für ich wir sie bitte wie den von".split(" "))],
  ["French", new Set("le la les et est des une pour dans que pas vous je sur avec ce au il du".split(" "))],
  ["Spanish", new Set("el los las que por una para con del es no se como lo más y por en su".split(" "))],
  ["Portuguese", new Set("os uma para com não que do da em por mais como se você ao isso o um".split(" "))],
  ["Italian", new Set("il di che non per una con sono del della come più si lo gli è le un".split(" "))],
  ["Dutch", new Set("het een van niet dat en ik je voor met zijn op aan deze de wat hoe".split(" "))],
];

/** At most three languages, the most frequent first. */
export function languagesOf(text: string): string[] {
  const found = SCRIPTS.map(([name, script]): [string, number] => [name, text.match(script)?.length ?? 0]);
  const kana = found[0]![1];
  const han = found[2]!;
  if (kana > han[1] / 8) [found[0]![1], han[1]] = [kana + han[1], 0]; // Japanese is written with Chinese characters, too
  const latin = text.toLowerCase().match(/\p{Script=Latin}+/gu) ?? [];
  const votes = WORDS.map(([name, words]): [string, number] => [name, latin.filter((word) => words.has(word)).length]).sort((a, b) => b[1] - a[1]);
  const letters = latin.reduce((sum, word) => sum + word.length, 0);
  // A character of the other scripts carries about as much as three letters.
  found.push([votes[0]![1] > 0 ? votes[0]![0] : "", letters / 3]);
  const all = found.reduce((sum, [, n]) => sum + n, 0);
  return found
    .filter(([name, n]) => name && n > all * 0.08)
    .sort((a, b) => b[1] - a[1])
    .slice(0, 3)
    .map(([name]) => name);
}
