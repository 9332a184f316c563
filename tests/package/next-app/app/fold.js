// The same session everywhere: its result shows whether the module works.
export async function fold({ Session }) {
  const session = new Session({ contextWindow: 2_000 });
  session.push({ role: "user", content: "Read the files." });
  for (let i = 0; i < 20; i++) session.push([{ role: "assistant", content: `I read file ${i}. ${"It is long. ".repeat(20)}` }, { role: "user", content: "Go on." }]);
  const { report } = await session.prepare();
  return { session, tokens: report.tokens_after, folds: session.folds().length };
}
