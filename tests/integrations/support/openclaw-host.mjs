// OpenClaw's embedded run as a context engine sees it, over pi's agent core (from which OpenClaw's own is derived): the assembly before
// a turn and in its tool loop (like `installContextEngineLoopHook` of OpenClaw 2026.9), compaction after a refusal, commit of a turn.

import { randomUUID } from "node:crypto";
import { Agent } from "@earendil-works/pi-agent-core";
import { streamSimple } from "@earendil-works/pi-ai/compat";

const CHARS_PER_TOKEN = 4;
const estimate = (message) => Math.ceil(JSON.stringify(message.content).length / CHARS_PER_TOKEN);

/**
 * A session. `isDeferred`: durably admitted turns, where the engine sees the history before the turn and the host appends the rest
 * itself; otherwise it sees everything. `prompt(text)` runs a turn and returns the transcript; `compactions`: the engine's answers.
 */
export function openclawSession(engine, { model, tools, tokenBudget, isDeferred = false, sessionId = randomUUID() }) {
  const transcript = [];
  const compactions = [];
  const about = { sessionId, sessionKey: `agent:main:${sessionId}`, model: model.id };
  const runtimeSettings = { limits: { promptTokenBudget: tokenBudget, maxOutputTokens: model.maxTokens }, diagnostics: { degradedReason: null } };
  const assembled = async (params) => {
    const { messages } = await engine.assemble({ ...about, tokenBudget, runtimeSettings, ...params });
    if (!Array.isArray(messages)) throw new Error("context engine assembly returned invalid messages");
    return messages;
  };

  async function attempt(text) {
    const history = transcript.slice();
    const before = await assembled({ messages: history.slice(), prompt: text });
    const turn = []; // what the agent's list contains after the assembled messages
    // pi's own prompt is a message of its list; OpenClaw's is not.
    const transformContext = async (list) => [...list.filter(({ role }) => role === "system"), ...(await transformed(list.filter(({ role }) => role !== "system")))];
    const transformed = async (messages) => {
      const pending = messages.slice(before.length);
      try {
        if (isDeferred) {
          const taken = pending.reduce((sum, message) => sum + estimate(message), 0);
          return [...(await assembled({ messages: history.slice(), prompt: text, tokenBudget: Math.max(1, tokenBudget - taken) })), ...pending];
        }
        const lastCallUsage = pending.findLast(({ role }) => role === "assistant")?.usage;
        await engine.afterTurn?.({ ...about, sessionFile: "", messages: [...history, ...pending], prePromptMessageCount: history.length, tokenBudget, runtimeContext: { promptCache: { lastCallUsage } } });
        return await assembled({ messages: [...history, ...pending] });
      } catch {
        return messages;
      }
    };
    const agent = new Agent({ initialState: { systemPrompt: "You build.", model, tools, thinkingLevel: "off", messages: before }, getApiKey: () => "none", streamFn: streamSimple, transformContext });
    const stop = agent.subscribe((event) => void (event.type === "message_end" && event.message.role !== "system" && turn.push(event.message)));
    await agent.prompt(text);
    stop();
    transcript.push(...turn);
    return turn;
  }

  return {
    transcript,
    compactions,
    async prompt(text) {
      const from = transcript.length;
      for (let again = 0; ; again++) {
        const error = (await attempt(again === 0 ? text : "Continue where you left off.")).at(-1);
        if (error.stopReason !== "error") break;
        if (again === 3) throw new Error(error.errorMessage);
        transcript.pop();
        const result = await engine.compact({ ...about, tokenBudget, force: true, compactionTarget: "budget", runtimeContext: { trigger: "overflow" }, runtimeSettings: { ...runtimeSettings, diagnostics: { degradedReason: "context_overflow" } } });
        compactions.push(result);
        if (!result.compacted) throw new Error(`${error.errorMessage}; ${result.reason ?? "not compacted"}`);
      }
      await engine.commitTurn?.({ ...about, advancementKey: `${sessionId}:${from}`, messages: transcript.slice(from) });
      return transcript;
    },
    compact: (customInstructions) => engine.compact({ ...about, tokenBudget, force: true, customInstructions, runtimeContext: { trigger: "manual" }, runtimeSettings }),
  };
}
