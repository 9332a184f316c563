// Compiled, not run: `simulate`.

import { Recording, simulate } from "contextfold";
import type { Decision, Retention, SimulateOptions, SimulatedRun, Simulation } from "contextfold";
import type { Equal, Expect } from "./support.js";

type Signatures = [
  Expect<Equal<ReturnType<typeof simulate>, Simulation>>,
  Expect<Equal<Simulation["runs"], SimulatedRun[]>>,
  Expect<Equal<SimulatedRun["cost"], number | null>>,
  Expect<Equal<SimulatedRun["retention"], Retention>>,
  Expect<Equal<SimulatedRun["retention_mean"], Retention | null>>,
  Expect<Equal<SimulatedRun["calls"][number]["decisions"], Decision[]>>,
];

const options: SimulateOptions = { contextWindow: 64_000, presets: ["contextfold", [{ pass: "summarize" }]], tools: [] };
simulate("anthropic", { messages: [] }, options);
simulate("messages", []);
simulate("messages", [], { prices: { m: { input_cost_per_token: 1e-6 } }, priceAs: "m" });
const recording = new Recording("messages", [], { tools: [] });
recording.sessionAt(3, { ladder: "spec" }).free();
const replay = recording.replay({ ladder: "spec", priceAs: "m" });
while (replay.advance(10)) replay.share.toFixed();
replay.run().retention.literal.toFixed();
replay.sessionAt(3).free();
// @ts-expect-error the tools come from the recording
recording.simulate({ tools: [] });
// @ts-expect-error no such preset
simulate("messages", [], { presets: ["rollin"] });
// @ts-expect-error no model is called
simulate("messages", [], { summarize: () => "" });
// @ts-expect-error no such format
simulate("word", []);

export type { Signatures };
