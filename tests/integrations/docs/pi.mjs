import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { ModelRuntime, SessionManager, SettingsManager } from "@earendil-works/pi-coding-agent";

export const model = {
  id: "m", name: "m", api: "openai-completions", provider: "local", baseUrl: process.env.OPENAI_BASE_URL, reasoning: false, input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 128_000, maxTokens: 4_000,
};
export const getApiKey = () => "none";
export const tools = [
  {
    name: "build", label: "build", description: "Builds.", parameters: { type: "object", properties: {} },
    execute: async () => ({ content: [{ type: "text", text: "error[E0308]" }], details: {} }),
  },
];

const folder = mkdtempSync(`${tmpdir()}/pi-`);
const { baseUrl, api, provider, ...rest } = model;
writeFileSync(`${folder}/models.json`, JSON.stringify({ providers: { [provider]: { baseUrl, api, apiKey: "none", models: [rest] } } }));
const modelRuntime = await ModelRuntime.create({ authPath: `${folder}/auth.json`, modelsPath: `${folder}/models.json` });
export const settings = {
  cwd: folder, agentDir: folder, modelRuntime, model: modelRuntime.getModel(provider, model.id), noTools: "builtin", customTools: tools,
  sessionManager: SessionManager.inMemory(folder), settingsManager: SettingsManager.inMemory({}),
};
