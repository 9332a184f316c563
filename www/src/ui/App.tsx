import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Row } from "../engine/protocol";
import { Bars } from "./Bars";
import { Changes } from "./Changes";
import { Compare } from "./Compare";
import { Controls } from "./Controls";
import { Decisions } from "./Decisions";
import { Facts } from "./Facts";
import { Graph } from "./Graph";
import { Header } from "./Header";
import { Intro } from "./Intro";
import { MessageDialog } from "./MessageDialog";
import { Messages } from "./Messages";
import { Money } from "./Money";
import { Result } from "./Result";
import { SAMPLE, Source, fetchSample } from "./Source";
import { Share } from "./Share";
import { Summariser } from "./Summariser";
import { Timeline } from "./Timeline";
import { TroubleNotice } from "./TroubleNotice";
import { UndoRedo } from "./UndoRedo";
import { ViewJson } from "./ViewJson";
import { readLink, writeLink } from "./link";
import { ask, useEngine } from "./useEngine";

export function App() {
  const engine = useEngine();
  const { opened, settings, outcome, moment, call, trouble, busy, change, show } = engine;
  const [shown, setShown] = useState<Row | null>(null);
  const [models, setModels] = useState<string[]>([]);
  const [goTo, setGoTo] = useState<{ key: string } | null>(null);
  // The page starts with the sample and its result, unless the address is for a file of the visitor's own.
  const [alone] = useState(() => readLink(location.hash).own);
  useEffect(() => void (alone || engine.open(fetchSample(), SAMPLE)), []);
  const own = opened !== null && opened.name !== SAMPLE;
  const link = settings && call !== null && opened ? writeLink({ settings, call, own }) : "";
  useEffect(() => {
    if (!link) return;
    const timer = setTimeout(() => history.replaceState(null, "", link), 300); // browsers limit the rate of calls
    return () => clearTimeout(timer);
  }, [link]);
  useEffect(() => void ask("prices", null).then(({ models }) => setModels(models), () => {}), []);

  // A message that was just pinned may have moved in the list, so scroll to it.
  const pinned = useRef<string | null>(null);
  useEffect(() => {
    if (pinned.current !== null && moment?.rows.some((row) => row.id === pinned.current)) setGoTo({ key: pinned.current });
    pinned.current = null;
  }, [moment]);
  const pin = useCallback(
    (id: string) => {
      const pins = settings?.pins ?? [];
      pinned.current = id;
      change({ pins: pins.includes(id) ? pins.filter((other) => other !== id) : [...pins, id] });
    },
    [settings, change],
  );
  return (
    <>
      <a class="skip" href="#main">
        Skip to the transcript
      </a>
      <Header />
      <main id="main" class={alone && !opened ? "page page-empty" : "page"}>
        <Source opened={opened} alone={alone && !opened} busy={busy} progress={engine.progress} onFile={engine.open} onCancel={engine.cancel} />
        {trouble && <TroubleNotice trouble={trouble} onOpenAnyway={engine.openAnyway} />}
        {alone && !opened && <Intro />}
        {opened && settings && (
          <>
            <Facts opened={opened} />
            <div class="bench">
              <Controls settings={settings} onChange={change} outcome={outcome} moment={moment} models={models} redraw={engine.redraw} busy={busy === "running"}>
                <UndoRedo undoes={engine.steps.past.at(-1)?.what ?? null} redoes={engine.steps.future.at(-1)?.what ?? null} onUndo={engine.undo} onRedo={engine.redo} />
              </Controls>
              {outcome && moment && call !== null && (
                <div class={engine.partial ? "results results-old" : "results"} aria-busy={busy === "running"}>
                  <Result outcome={outcome} moment={moment} />
                  <Timeline key={`timeline ${opened.name}`} outcome={engine.partial ?? outcome} share={engine.partial ? (engine.progress?.share ?? 0) : 1} call={call} onCall={engine.goTo} />
                  {(moment.trouble ?? moment.refused) && <TroubleNotice trouble={(moment.trouble ?? moment.refused)!} />}
                  <Bars moment={moment} calls={outcome.calls.length} />
                  <Messages
                    key={opened.name}
                    moment={moment}
                    calls={outcome.calls.length}
                    pins={settings.pins}
                    target={goTo}
                    onShow={setShown}
                    onPin={pin}
                    onUnfold={engine.unfold}
                    onFoldAgain={engine.unfolded.length === 0 ? null : () => engine.unfold(null)}
                  />
                  <Decisions moment={moment} calls={outcome.calls.length} />
                  <Changes moment={moment} calls={outcome.calls.length} format={opened.format} onGoTo={(id) => setGoTo({ key: id })} />
                  <Compare key={`compare ${opened.name}`} settings={settings} onLook={change} />
                  <Money opened={opened} outcome={outcome} />
                  <Graph moment={moment} lanes={opened.lanes} onGoTo={(id) => setGoTo({ key: id })} />
                  <Summariser settings={settings} call={call} onMoment={show} />
                  <ViewJson moment={moment} initial={opened.format} />
                  <Share settings={settings} link={link} name={opened.name} />
                </div>
              )}
            </div>
          </>
        )}
      </main>
      <footer class="footer">
        The engine is Rust, compiled to WebAssembly, in a thread of this page. Nothing that you open leaves it, unless you ask an endpoint of your own for a summary.
      </footer>
      {shown && <MessageDialog row={shown} pinned={settings?.pins.includes(shown.id) ?? false} onPin={pin} onClose={() => setShown(null)} />}
    </>
  );
}
