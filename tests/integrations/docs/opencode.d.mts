import type { Hooks, PluginInput } from "@opencode-ai/plugin";
export declare const input: PluginInput;
export declare const messages: Parameters<NonNullable<Hooks["experimental.chat.messages.transform"]>>[1]["messages"];
