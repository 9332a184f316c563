// The model that a browser brings: Chrome's Summarizer, or its Prompt API. Neither sends what it is given anywhere.

interface Model {
  summarize?(text: string): Promise<string>;
  prompt?(text: string): Promise<string>;
  destroy?(): void;
}
interface Maker {
  availability(options?: object): Promise<string>;
  create(options?: object): Promise<Model>;
}

export type BrowserModel = "summarizer" | "prompt";

const makers = () => {
  const { Summarizer, LanguageModel } = globalThis as { Summarizer?: Maker; LanguageModel?: Maker };
  return { summarizer: Summarizer, prompt: LanguageModel };
};
const LANGUAGE = { expectedInputLanguages: ["en"], outputLanguage: "en" };
const OPTIONS = { summarizer: { type: "tldr", format: "markdown", length: "long", ...LANGUAGE }, prompt: { expectedOutputs: [{ type: "text", languages: ["en"] }] } };

/** Which of them this browser has. */
export const browserModels = (): BrowserModel[] => (["summarizer", "prompt"] as const).filter((which) => makers()[which] !== undefined);

/** Has one of them sum a text up. */
export async function askBrowser(which: BrowserModel, text: string): Promise<string> {
  const maker = makers()[which];
  const state = await maker?.availability(OPTIONS[which]);
  if (!maker || state === "unavailable") throw new Error("this browser knows such a model, but has none on this device");
  const model = await maker.create(OPTIONS[which]);
  try {
    return await (which === "summarizer" ? model.summarize!(text) : model.prompt!(text));
  } finally {
    model.destroy?.();
  }
}
