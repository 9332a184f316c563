// Compiled, not run: what a user of opencode writes.

import type { Plugin, PluginModule } from "@opencode-ai/plugin";
import { Session } from "contextfold";
import { plugin } from "contextfold/opencode";

export const plugins: Plugin[] = [plugin(), plugin({ session: new Session() }), plugin({ key: ({ sessionID, messages }) => (messages.length > 0 ? sessionID : undefined), strict: true })];
export const module: PluginModule = { id: "contextfold", server: plugin({ contextWindow: 128_000 }) };
