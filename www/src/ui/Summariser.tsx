// Chooses the summariser: the built-in one, a model of the browser, or an endpoint that the visitor names.

import { useState } from "preact/hooks";
import { askEndpoint, completionsUrl } from "../endpoint/ask";
import { browserModels, loadBrowserModel, type Loaded } from "../endpoint/browser";
import type { SentMoment, Settings, Trouble } from "../engine/protocol";
import { TroubleNotice } from "./TroubleNotice";
import { count, milliseconds, plural } from "./numbers";
import { ask, client, wordsOf } from "./useEngine";

type Who = "built-in" | "summarizer" | "prompt" | "endpoint";

const NAMES: Record<Who, string> = {
  "built-in": "Built in: extractive, no model",
  summarizer: "This browser’s Summarizer",
  prompt: "This browser’s language model",
  endpoint: "An OpenAI-compatible endpoint",
};

export function Summariser({ settings, call, onMoment }: { settings: Settings; call: number; onMoment: (moment: SentMoment) => void }) {
  const [who, setWho] = useState<Who>("built-in");
  const [url, setUrl] = useState("http://localhost:11434/v1");
  const [model, setModel] = useState("");
  const [key, setKey] = useState("");
  const [busy, setBusy] = useState(false);
  /** The downloaded share of the browser's model; `null` if it is not being downloaded. */
  const [fetched, setFetched] = useState<number | null>(null);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [done, setDone] = useState("");

  const run = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setTrouble(null);
    setDone("");
    let own: Loaded | undefined;
    try {
      const to = who === "endpoint" ? completionsUrl(url) : "";
      if (who === "summarizer" || who === "prompt") own = await loadBrowserModel(who, setFetched);
      setFetched(null);
      client.summarize = (request) => (own ? own.sumUp(request.text) : askEndpoint({ url: to, key, body: { ...request.body, model, stream: false } }));
      const moment = await ask("summarise", { settings, call, by: NAMES[who] });
      onMoment(moment);
      const { summarised } = moment;
      if (moment.trouble) setTrouble(moment.trouble);
      if (summarised) setDone(`${plural(summarised.requests, "request")} of ${count(summarised.inputTokens)} tokens, ${milliseconds(summarised.ms)}. The summary stands in the view above.`);
    } catch (error) {
      setTrouble(wordsOf(error));
    } finally {
      own?.destroy();
      setFetched(null);
      setBusy(false);
    }
  };

  const choices: Who[] = ["built-in", ...browserModels(), "endpoint"];
  return (
    <section class="panel" aria-labelledby="summariser-title">
      <h2 id="summariser-title">Summariser</h2>
      <form class="form" onSubmit={(event) => void run(event)}>
        <label>
          Who sums up{" "}
          <select value={who} onChange={(event) => setWho(event.currentTarget.value as Who)}>
            {choices.map((name) => (
              <option key={name} value={name}>
                {NAMES[name]}
              </option>
            ))}
          </select>
        </label>
        {who === "built-in" && <p class="quiet small">It draws the task, the state and what is open from what was said. Every view on this page is made with it.</p>}
        {(who === "summarizer" || who === "prompt") && <p class="quiet small">It runs on this device. The first time, the browser may fetch its model.</p>}
        {who === "endpoint" && (
          <>
            <label>
              Address <input type="url" required value={url} onInput={(event) => setUrl(event.currentTarget.value)} />
            </label>
            <label>
              Model <input type="text" required value={model} placeholder="llama3.2" onInput={(event) => setModel(event.currentTarget.value)} />
            </label>
            <label>
              Key <input type="password" autocomplete="off" value={key} placeholder="where it needs one" onInput={(event) => setKey(event.currentTarget.value)} />
            </label>
            <p class="warning">
              What is to be summed up goes to this address, and so does the key. The key stays in this page’s memory and is gone when you leave; still, use one that you can revoke. Nothing else on this page sends anything.
            </p>
          </>
        )}
        {who !== "built-in" && (
          <div class="form-line">
            <button type="submit" class="button button-strong" disabled={busy}>
              {busy ? "Asking…" : "Sum up the view at this call"}
            </button>
            {fetched !== null && <progress max={1} value={fetched} aria-label="The model, fetched" />}
            <span class="quiet" role="status">
              {fetched === null ? done : `The browser fetches its model: ${Math.round(fetched * 100)} %`}
            </span>
          </div>
        )}
      </form>
      {trouble && <TroubleNotice trouble={trouble} />}
    </section>
  );
}
