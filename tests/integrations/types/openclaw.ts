// Compiled, not run: what a user of OpenClaw writes.

import { Session } from "contextfold";
import { compactionProvider, contextEngine, plugin } from "contextfold/openclaw";

export default plugin({ onReport: ({ tokens_after }) => console.log(tokens_after) });
export const engines = [contextEngine({ session: new Session() }), contextEngine({ id: "mine", key: ({ sessionKey, sessionId }) => sessionKey ?? sessionId, strict: true })];
export const provider = compactionProvider({ summarize: () => "<summary>x</summary>" });
