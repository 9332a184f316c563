export * from "./ai-sdk.mjs";
