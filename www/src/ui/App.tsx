import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Row } from "../engine/protocol";
import { Bars } from "./Bars";
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
import { ViewJson } from "./ViewJson";
import { readLink, writeLink } from "./link";
import { ask, useEngine, wordsOf } from "./useEngine";

export function App() {
  const engine = useEngine();
  const { opened, settings, outcome, moment, call, trouble, busy, change, show } = engine;
  const [shown, setShown] = useState<Row | null>(null);
  const [models, setModels] = useState<string[]>([]);
  const [goTo, setGoTo] = useState<{ key: string } | null>(null);
  // The page begins with the answer: the sample, unless the address is for a file of the visitor's own.
  const [alone] = useState(() => readLink(location.hash).own);
  useEffect(() => void (alone || engine.open(fetchSample(), SAMPLE)), []);
  const own = opened !== null && opened.name !== SAMPLE;
  const link = settings && call !== null && opened ? writeLink({ settings, call, own }) : "";
  useEffect(() => {
    if (!link) return;
    const timer = setTimeout(() => history.replaceState(null, "", link), 300); // browsers allow so many in a time
    return () => clearTimeout(timer);
  }, [link]);
  useEffect(() => void ask("prices", null).then(({ models }) => setModels(models), () => {}), []);

  // What was pinned may stand elsewhere then: the list follows it.
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
  const [unfoldTrouble, setUnfoldTrouble] = useState<ReturnType<typeof wordsOf> | null>(null);
  /** The call at which something was unfolded by hand. */
  const [unfolded, setUnfolded] = useState<number | null>(null);
  useEffect(() => setUnfolded(null), [call, outcome]);
  const unfold = useCallback(
    (id: string) =>
      void ask("unfold", id).then(
        (next) => (show(next), setUnfolded(next.call), setUnfoldTrouble(null)),
        (error) => setUnfoldTrouble(wordsOf(error)),
      ),
    [show],
  );

  return (
    <>
      <a class="skip" href="#main">
        Skip to the transcript
      </a>
      <Header />
      <main id="main" class={alone && !opened ? "page page-empty" : "page"}>
        <Source opened={opened} alone={alone && !opened} busy={busy} progress={engine.progress} onFile={engine.open} onCancel={engine.cancel} />
        {trouble && <TroubleNotice trouble={trouble} onReadPart={engine.openPart} />}
        {alone && !opened && <Intro />}
        {opened && settings && (
          <>
            <Facts opened={opened} />
            <div class="bench">
              <Controls settings={settings} onChange={change} outcome={outcome} moment={moment} models={models} redraw={engine.redraw} busy={busy === "running"} />
              {outcome && moment && call !== null && (
                <div class="results" aria-busy={busy === "running"}>
                  <Result outcome={outcome} moment={moment} />
                  <Timeline outcome={outcome} call={call} onCall={engine.goTo} />
                  {(moment.trouble ?? unfoldTrouble) && <TroubleNotice trouble={(moment.trouble ?? unfoldTrouble)!} />}
                  <Bars moment={moment} calls={outcome.calls.length} />
                  <Messages
                    key={opened.name}
                    moment={moment}
                    calls={outcome.calls.length}
                    pins={settings.pins}
                    target={goTo}
                    onShow={setShown}
                    onPin={pin}
                    onUnfold={unfold}
                    onFoldAgain={unfolded === null ? null : () => (setUnfolded(null), engine.goTo(unfolded))}
                  />
                  <Decisions moment={moment} calls={outcome.calls.length} />
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
