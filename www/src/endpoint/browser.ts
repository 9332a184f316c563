// A browser's built-in model: Chrome's Summarizer or its Prompt API. Neither sends its input anywhere.

interface Model {
  /** Maximum input in tokens. The Prompt API's newer name is `contextWindow`. */
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

/** The same options must be passed to `availability` and to `create`, or the former's answer would not hold for the latter. */
const OPTIONS = {
  summarizer: { type: "tldr", format: "markdown", length: "long", expectedInputLanguages: ["en"], outputLanguage: "en" },
  prompt: { expectedInputs: [{ type: "text", languages: ["en"] }], expectedOutputs: [{ type: "text", languages: ["en"] }] },
};

/** The models that this browser has. */
export const browserModels = (): BrowserModel[] => (["summarizer", "prompt"] as const).filter((which) => makers()[which] !== undefined);

/** A loaded browser model. Destroy it after use. */
export interface Loaded {
  sumUp(text: string): Promise<string>;
  destroy(): void;
}

/**
 * Loads a model. Call it right after the visitor has pressed a button, because a browser downloads a missing model only shortly after
 * a user gesture. `onDownload` is called with the downloaded share, 0 to 1.
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
