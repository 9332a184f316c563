// The agent of the AI SDK serves here, too.
export * from "./ai-sdk.mjs";
