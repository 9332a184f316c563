// The engine's own thread: answers the page's questions one after the other.

import init from "contextfold";
import { troubleOf } from "./explain";
import type { Ask, Questions, Reply, Request } from "./protocol";
import { seal } from "./seal";
import { Workbench } from "./workbench";

type Answers = { [A in Ask]: (takes: Questions[A]["takes"]) => Promise<Questions[A]["gives"]> | Questions[A]["gives"] };

const TITLES: Record<Ask, string> = {
  open: "The transcript could not be read",
  run: "The engine refused these settings",
  detail: "The message could not be shown",
  read: "The output could not be read",
  grep: "The search failed",
  view: "The view could not be written",
};

const ready = init().then(seal);
const bench = new Workbench();
const answers: Answers = {
  open: ({ file, name }) => bench.open(file, name),
  run: (settings) => bench.run(settings),
  detail: (id) => bench.detail(id),
  read: (query) => bench.read(query),
  grep: (query) => bench.grep(query),
  view: (format) => bench.view(format),
};

let last: Promise<unknown> = ready.catch(() => {});

addEventListener("message", ({ data }: MessageEvent<Request>) => {
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
