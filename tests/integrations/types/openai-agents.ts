// Compiled, not run: what a user of `@openai/agents` writes.

import { Agent, MemorySession, Runner, run } from "@openai/agents";
import { Session } from "contextfold";
import { callModelInputFilter, foldingSession } from "contextfold/openai-agents";

const agent = new Agent({ name: "a" });
const session = foldingSession({ model: "gpt-5", store: new MemorySession(), sessionId: "x" });
await run(agent, "go", { session, callModelInputFilter: session.callModelInputFilter });
export const runner = new Runner({ callModelInputFilter: callModelInputFilter({ contextWindow: 128_000, outputRatio: 0.5 }) });
const own = foldingSession({ session: new Session() });
const all: number = (await own.allItems()).length + (own.context?.tokens ?? 0);
console.log(all);
// @ts-expect-error the filter keeps no session
callModelInputFilter({ session: new Session() });
