// The model that a browser brings: Chrome's Summarizer, or its Prompt API. Neither sends what it is given anywhere.

interface Model {
  /** Tokens that it takes; the Prompt API's newer name is `contextWindow`. */
  inputQuota?: number;
  contextWindow?: number;
  summarize?(text: string, options?: { signal?: AbortSignal }): Promise<string>;
  prompt?(text: string, options?: { signal?: AbortSignal }): Promise<string>;
  destroy?(): void;
}
interface Maker {
  availability(options?: object): Promise<"unavailable" | "downloadable" | "downloading" | "available" | null>;
  create(options?: object): Promise<Model>;
}

export type BrowserModel = "summarizer" | "prompt";

const makers = () => {
  const { Summarizer, LanguageModel } = globalThis as { Summarizer?: Maker; LanguageModel?: Maker };
  return { summarizer: Summarizer, prompt: LanguageModel };
};

/** What is asked for: the same for `availability` and `create`, which would answer of something else otherwise. */
const OPTIONS = {
  summarizer: { type: "tldr", format: "markdown", length: "long", expectedInputLanguages: ["en"], outputLanguage: "en" },
  prompt: { expectedInputs: [{ type: "text", languages: ["en"] }], expectedOutputs: [{ type: "text", languages: ["en"] }] },
};

/** Which of them this browser has. */
export const browserModels = (): BrowserModel[] => (["summarizer", "prompt"] as const).filter((which) => makers()[which] !== undefined);

/** A model of the browser's, ready to sum up; to be destroyed. */
export interface Loaded {
  sumUp(text: string): Promise<string>;
  destroy(): void;
}

/**
 * Loads one of them. To be called at once when the visitor has pressed a button: while that is fresh, and only then, a browser
 * fetches a model that is not there yet. `onDownload` is told how much of it is, 0 to 1.
 */
export async function loadBrowserModel(which: BrowserModel, onDownload: (share: number) => void): Promise<Loaded> {
  const maker = makers()[which];
  const state = await maker?.availability(OPTIONS[which]);
  if (!maker || state === "unavailable" || state == null) throw new Error("this browser knows such a model, but has none for this device");
  if (state !== "available") onDownload(0);
  const model = await maker.create({
    ...OPTIONS[which],
    monitor: (monitor: EventTarget) => monitor.addEventListener("downloadprogress", (event) => onDownload((event as ProgressEvent).loaded)),
  });
  return {
    sumUp: async (text) => {
      try {
        return await (which === "summarizer" ? model.summarize!(text) : model.prompt!(text));
      } catch (error) {
        const most = model.inputQuota ?? model.contextWindow;
        const tooLong = error instanceof Error && error.name === "QuotaExceededError";
        throw tooLong ? new Error(`it is too long for this model${most ? `, which takes ${most} tokens` : ""}: choose an earlier call, or a smaller window`) : error;
      }
    },
    destroy: () => model.destroy?.(),
  };
}
