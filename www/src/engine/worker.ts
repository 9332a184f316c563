// The worker in which the engine runs. It answers the page's questions one after the other.

import init, { type Summarize, type SummaryRequest } from "contextfold";
import { troubleOf } from "./explain";
import type { Ask, Hurry, Progress, Questions, Reply, Request, SummaryAnswer } from "./protocol";
import { seal } from "./seal";
import { Workbench } from "./workbench";

type Answers = { [A in Ask]: (takes: Questions[A]["takes"]) => Promise<Questions[A]["gives"]> | Questions[A]["gives"] };

const TITLES: Record<Ask, string> = {
  open: "The transcript could not be read",
  prices: "The prices could not be read",
  run: "The engine refused these settings",
  facts: "The facts could not be looked for",
  compare: "The engine refused these settings",
  at: "The view could not be made",
  changes: "The views could not be compared",
  summarise: "The summary failed",
  report: "The report could not be written",
  detail: "The message could not be shown",
  search: "The search failed",
  read: "The output could not be read",
  grep: "The search failed",
  view: "The view could not be written",
};

const ready = init().then(seal);
const bench = new Workbench();
const tell = (progress: Progress) => postMessage({ progress } satisfies Reply);
const answers: Answers = {
  open: (takes) => bench.open(takes, tell),
  prices: () => bench.prices(),
  run: (settings) => bench.run(settings, tell),
  facts: () => bench.facts(),
  compare: (takes) => bench.compare(takes),
  at: (takes) => bench.at(takes),
  changes: (format) => bench.changes(format),
  summarise: (takes) => bench.summarise(takes, askPage),
  report: (takes) => bench.report(takes),
  detail: (id) => bench.detail(id),
  search: (text) => bench.search(text),
  read: (query) => bench.read(query),
  grep: (query) => bench.grep(query),
  view: (format) => bench.view(format),
};

/** Pending requests to the page for summaries. */
const asked = new Map<number, { resolve: (text: string) => void; reject: (error: Error) => void }>();
let questions = 0;

/** Asks the page for a summary, because this worker cannot send requests. */
const askPage: Summarize = (request: SummaryRequest) =>
  new Promise((resolve, reject) => {
    const question = ++questions;
    asked.set(question, { resolve, reject });
    const body = request.as("openai-chat");
    const text = request.messages.map((message) => (typeof message.content === "string" ? message.content : JSON.stringify(message.content ?? ""))).join("\n\n");
    const { model, max_tokens, temperature } = request;
    postMessage({ question, request: { model, max_tokens, temperature, body, text } } satisfies Reply);
  });

let last: Promise<unknown> = ready.catch(() => {});

addEventListener("message", ({ data }: MessageEvent<Request | SummaryAnswer | Hurry>) => {
  if ("hurry" in data) return bench.hurry();
  if ("answer" in data) {
    const waiting = asked.get(data.answer);
    asked.delete(data.answer);
    if (data.error !== undefined) waiting?.reject(new Error(data.error));
    else waiting?.resolve(data.text ?? "");
    return;
  }
  last = last.then(() => reply(data)).then((message) => postMessage(message));
});

async function reply(request: Request): Promise<Reply> {
  try {
    await ready;
    const answer = answers[request.ask] as (takes: unknown) => unknown;
    return { id: request.id, gives: await answer(request.takes) };
  } catch (thrown) {
    return { id: request.id, trouble: troubleOf(thrown, TITLES[request.ask]) };
  }
}
