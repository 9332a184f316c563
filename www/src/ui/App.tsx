import { useState } from "preact/hooks";
import type { Row } from "../engine/protocol";
import { Bars } from "./Bars";
import { Controls } from "./Controls";
import { Decisions } from "./Decisions";
import { Facts } from "./Facts";
import { Header } from "./Header";
import { Intro } from "./Intro";
import { MessageDialog } from "./MessageDialog";
import { Messages } from "./Messages";
import { Result } from "./Result";
import { Source } from "./Source";
import { TroubleNotice } from "./TroubleNotice";
import { ViewJson } from "./ViewJson";
import { useEngine } from "./useEngine";

export function App() {
  const { opened, settings, outcome, trouble, busy, open, change } = useEngine();
  const [shown, setShown] = useState<Row | null>(null);
  return (
    <>
      <Header />
      <main class={opened ? "page" : "page page-empty"}>
        <Source opened={opened} busy={busy === "reading"} onFile={open} />
        {trouble && <TroubleNotice trouble={trouble} />}
        {!opened && <Intro />}
        {opened && settings && (
          <>
            <Facts opened={opened} />
            <div class="bench">
              <Controls settings={settings} onChange={change} outcome={outcome} busy={busy === "running"} />
              {outcome && (
                <div class="results" aria-busy={busy === "running"}>
                  {outcome.trouble && <TroubleNotice trouble={outcome.trouble} />}
                  <Result opened={opened} outcome={outcome} />
                  <Bars opened={opened} outcome={outcome} />
                  <Decisions opened={opened} outcome={outcome} />
                  <Messages key={opened.name} rows={outcome.rows} onShow={setShown} />
                  <ViewJson outcome={outcome} initial={opened.format} />
                </div>
              )}
            </div>
          </>
        )}
      </main>
      <footer class="footer">The engine is Rust, compiled to WebAssembly, in a thread of this page. The page makes no request to any other place.</footer>
      {shown && <MessageDialog row={shown} onClose={() => setShown(null)} />}
    </>
  );
}
