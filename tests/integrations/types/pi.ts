// Compiled, not run: what a user of pi writes.

import { Agent } from "@earendil-works/pi-agent-core";
import { streamSimple } from "@earendil-works/pi-ai/compat";
import type { ExtensionFactory } from "@earendil-works/pi-coding-agent";
import { Session } from "contextfold";
import { extension, fittingStream } from "contextfold/pi";

export const extensions: ExtensionFactory[] = [extension(), extension({ session: new Session() }), extension({ key: ({ ctx }) => ctx.sessionManager.getSessionId(), strict: true })];
export const agent = new Agent({ streamFn: fittingStream(streamSimple, { contextWindow: 128_000, key: ({ options }) => options?.sessionId }) });
