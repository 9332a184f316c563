// The page that compares contextfold with other libraries: the latest results of the benchmarks, with the source of each figure.

import { Header } from "../ui/Header";
import { BarChart } from "./BarChart";
import { IntervalChart } from "./IntervalChart";
import { Section } from "./Section";
import { figureOf, intervalOf, runOf, type Run } from "./recorded";

const isOwn = (name: string) => name.startsWith("contextfold");

export function Peers() {
  return (
    <>
      <a class="skip" href="#main">
        Skip to the charts
      </a>
      <Header at="compare" />
      <main id="main" class="page peers">
        <p class="quiet">
          The figures that the project’s benchmarks gave when they were recorded last. Nothing here is measured in your browser, and none of it is left out because another library does better.
        </p>
        <Bill run={runOf("bill")} />
        <Fidelity run={runOf("fidelity")} />
        <Tokens run={runOf("tokens")} />
        <Cut run={runOf("cut")} />
      </main>
      <footer class="footer">Every figure stands in the document that is named beside it; the commands print them anew.</footer>
    </>
  );
}

function Bill({ run }: { run: Run }) {
  return (
    <Section
      title="What a session costs"
      run={run}
      about="Millions of token-equivalents that all calls of a session cost at Claude Sonnet 4.5’s prices for reading and writing the prompt cache (a token of input is 1), and the share of the input that the cache served. Shorter is cheaper."
      notes={[
        "contextfold is not the cheapest: it keeps more of the conversation in the view than most of the others, and each token costs something at each call.",
        "“spec” is one of this package’s other ladders. “Outputs trimmed at each call” is a budget of outputs that trims one old output for each new one.",
        "“Too large” is a run most of whose requests no model of that window takes.",
      ]}
    >
      {run.rows.map(([name, ...cells]) => (
        <BarChart
          key={name}
          title={name!}
          unit="millions of token-equivalents, and the share from the cache"
          bars={cells.map((cell, at) => {
            const [cost, cached] = cell.split(", ");
            const policy = run.columns[at + 1]!;
            return { name: policy, value: figureOf(cell), text: cached === undefined ? cell : `${cost} · ${Math.round(Number(cached) * 100)} % cached`, isOwn: isOwn(policy) };
          })}
        />
      ))}
    </Section>
  );
}

function Fidelity({ run }: { run: Run }) {
  return (
    <Section
      title="What the model still knows"
      run={run}
      about="A small language model (SmolLM2-135M) reads a view that was cut to 30 or 10 % of the room, and is scored on the message that the agent really wrote next. 1: as good as with everything before it; 0: as good as with nothing. The line is the 95 % interval. Further right is better."
      notes={[
        "The low mark: a running session is cut to less than there is room for, so that the next calls fit without another cut and the prompt cache holds. “Fill”: one view, cut once, that uses all of the room.",
        "The even cut: older steps stay in their places, and their long texts keep head and tail, all cut to one level. The plain one, which carries no list of facts and none of the user’s rules, scores a little higher than contextfold here.",
        "A figure below −0.2 is drawn at the left edge: such a view is worse than no history at all.",
        "The models are small, so a single point is noise; and the next message says nothing of a fact that is needed twenty turns later.",
      ]}
    >
      {run.columns.slice(1).map((column, at) => (
        <IntervalChart
          key={column}
          title={column}
          points={run.rows.map(([name, ...cells]) => ({ name: name!, value: figureOf(cells[at]!) ?? 0, interval: intervalOf(cells[at]!), text: cells[at]!, isOwn: isOwn(name!) }))}
        />
      ))}
    </Section>
  );
}

function Tokens({ run }: { run: Run }) {
  return (
    <Section title="How fast tokens are counted" run={run} about="Megabytes of text a second, counted exactly by o200k_base, beside the fastest npm package for that kind of text. Longer is faster.">
      {run.rows.map(([name, own, other]) => (
        <BarChart
          key={name}
          title={name!}
          unit="megabytes a second"
          bars={[
            { name: "contextfold", value: figureOf(own!), text: `${own} MB/s`, isOwn: true },
            { name: /\((.+)\)/.exec(other!)?.[1] ?? "the fastest other", value: figureOf(other!), text: `${figureOf(other!)} MB/s` },
          ]}
        />
      ))}
    </Section>
  );
}

function Cut({ run }: { run: Run }) {
  return (
    <Section
      title="How long a large cut takes"
      run={run}
      about="Milliseconds to cut 10,000 messages to half of their tokens. Shorter is faster."
      notes={["contextfold counts tokens, cuts texts, and writes the view as input items; deepagents counts characters and drops the oldest messages."]}
    >
      <BarChart title={run.columns[0]!} unit="milliseconds" bars={run.rows.map(([name, ms]) => ({ name: name!, value: figureOf(ms!), text: `${ms} ms`, isOwn: isOwn(name!) }))} />
    </Section>
  );
}
