// Compiled, not run: `simulate`.

import { simulate } from "contextfold";
import type { Decision, Retention, SimulateOptions, SimulatedRun, Simulation } from "contextfold";
import type { Equal, Expect } from "./support.js";

type Signatures = [
  Expect<Equal<ReturnType<typeof simulate>, Simulation>>,
  Expect<Equal<Simulation["runs"], SimulatedRun[]>>,
  Expect<Equal<SimulatedRun["retention"], Retention>>,
  Expect<Equal<SimulatedRun["retention_mean"], Retention | null>>,
  Expect<Equal<SimulatedRun["calls"][number]["decisions"], Decision[]>>,
];

const options: SimulateOptions = { contextWindow: 64_000, presets: ["contextfold", [{ pass: "summarize" }]], tools: [] };
simulate("anthropic", { messages: [] }, options);
simulate("messages", []);
// @ts-expect-error no such preset
simulate("messages", [], { presets: ["rollin"] });
// @ts-expect-error no model is asked
simulate("messages", [], { summarize: () => "" });
// @ts-expect-error no such format
simulate("word", []);

export type { Signatures };
