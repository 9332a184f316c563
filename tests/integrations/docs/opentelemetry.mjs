// The AI SDK's agent is used here too.
export * from "./ai-sdk.mjs";
