// Compiled, not run: what a user of OpenClaw writes.

import { Session } from "contextfold";
import { compactionProvider, contextEngine, plugin } from "contextfold/openclaw";

export default plugin({ onReport: ({ tokens_after }) => console.log(tokens_after) });
export const engines = [contextEngine({ session: new Session() }), contextEngine({ id: "mine", key: ({ sessionKey, sessionId }) => sessionKey ?? sessionId, strict: true })];
export const provider = compactionProvider({ summarize: () => "<summary>x</summary>" });

// A host's own messages stay what they are, and nothing of the host is `any`.
type HostMessage = { role: "user" | "toolResult"; content: string };
const engine = contextEngine()();
const assembled = await engine.assemble({ sessionId: "a", messages: [] as HostMessage[], runtimeSettings: { limits: {} } });
export const sent: HostMessage[] = assembled.messages;
// @ts-expect-error they are the host's
export const wrong: number[] = assembled.messages;
plugin().register({ registerContextEngine: (id: string, factory: () => { readonly info: { id: string } }) => console.log(id, factory().info.id) });
