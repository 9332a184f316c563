import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Row } from "../engine/protocol";
import { Bars } from "./Bars";
import { Code } from "./Code";
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
import { Source } from "./Source";
import { Summariser } from "./Summariser";
import { Timeline } from "./Timeline";
import { TroubleNotice } from "./TroubleNotice";
import { ViewJson } from "./ViewJson";
import { ask, useEngine, wordsOf } from "./useEngine";

export function App() {
  const engine = useEngine();
  const { opened, settings, outcome, moment, call, trouble, busy, change, show } = engine;
  const [shown, setShown] = useState<Row | null>(null);
  const [models, setModels] = useState<string[]>([]);
  const [goTo, setGoTo] = useState<{ key: string } | null>(null);
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
  const unfold = useCallback(
    (id: string) =>
      void ask("unfold", id).then(
        (next) => (show(next), setUnfoldTrouble(null)),
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
      <main id="main" class={opened ? "page" : "page page-empty"}>
        <Source opened={opened} busy={busy} progress={engine.progress} onFile={engine.open} onCancel={engine.cancel} />
        {trouble && <TroubleNotice trouble={trouble} onReadPart={engine.openPart} />}
        {!opened && <Intro />}
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
                  />
                  <Decisions moment={moment} calls={outcome.calls.length} />
                  <Money opened={opened} outcome={outcome} />
                  <Graph moment={moment} lanes={opened.lanes} onGoTo={(id) => setGoTo({ key: id })} />
                  <Summariser settings={settings} call={call} onMoment={show} />
                  <ViewJson moment={moment} initial={opened.format} />
                  <Code settings={settings} />
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
