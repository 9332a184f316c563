// A session of opencode as a plugin sees it: messages in its shape, its hooks with the arguments and in the order of version 1.18's
// `SessionPrompt.loop` and `SessionCompaction.process`, and Chat Completions requests made from the array that a hook has edited.

import { randomUUID } from "node:crypto";

const idOf = (kind) => `${kind}_${randomUUID()}`;
const MODEL = { providerID: "local", modelID: "m" };

/** Runs a prompt; returns the session's messages, whole. `execute` returns a tool's output; `limit` is the model's, as opencode sees it. */
export async function runOpencode(plugin, { url, prompt, execute, limit, sessionID = idOf("ses"), messages = [], tokensOf = (usage) => usage.prompt_tokens }) {
  const client = { config: { providers: async () => ({ data: { providers: [{ id: "local", models: { m: { limit } } }] } }) } };
  const hooks = await plugin({ client });
  const say = (role, info, parts) => {
    const id = idOf("msg");
    messages.push({ info: { id, sessionID, role, time: { created: Date.now() }, ...info }, parts: parts.map((part) => ({ id: idOf("prt"), sessionID, messageID: id, ...part })) });
    return messages.at(-1);
  };
  const ask = async (system, sent, tools) => {
    const texts = [system];
    await hooks["experimental.chat.system.transform"]?.({ sessionID, model: MODEL }, { system: texts });
    const body = { model: "m", messages: [...texts.map((content) => ({ role: "system", content })), ...sent], ...(tools && { tools }) };
    const response = await fetch(`${url}/v1/chat/completions`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    const error = { name: /too long/.test(text) ? "ContextOverflowError" : "APIError", data: { message: JSON.parse(text).error.message, responseBody: text } };
    await hooks.event?.({ event: { type: "session.error", properties: { sessionID, error } } });
    throw error;
  };
  const compact = async () => {
    const asked = messages.findLast(({ info }) => info.role === "user");
    const head = structuredClone(messages);
    await hooks["experimental.session.compacting"]?.({ sessionID }, { context: [] });
    await hooks["experimental.chat.messages.transform"]?.({}, { messages: head });
    const answer = await ask("You summarize.", [{ role: "user", content: `Summarize.\n<summary>\n${transcriptOf(head)}` }]);
    const parent = say("user", { agent: "build", model: MODEL }, [{ type: "compaction", auto: true }]);
    say("assistant", { parentID: parent.info.id, ...MODEL, summary: true, finish: "stop", tokens: tokens(0) }, [{ type: "text", text: answer.choices[0].message.content }]);
    say("user", { agent: "build", model: MODEL }, asked.parts.filter(({ type }) => type === "text").map(({ text }) => ({ type: "text", text })));
  };
  say("user", { agent: "build", model: MODEL }, [{ type: "text", text: prompt }]);
  for (;;) {
    const shown = structuredClone(sinceCompaction(messages));
    const last = shown.findLast(({ info }) => info.role === "assistant");
    if (last && !last.info.summary && last.info.tokens.input >= limit.context - limit.output) {
      await compact();
      continue;
    }
    const definition = { description: "Builds.", parameters: { type: "object", properties: { n: { type: "number" } } } };
    await hooks["tool.definition"]?.({ toolID: "build" }, definition);
    await hooks["experimental.chat.messages.transform"]?.({}, { messages: shown });
    let answer;
    try {
      answer = await ask("You build.", requestOf(shown), [{ type: "function", function: { name: "build", ...definition } }]);
    } catch (error) {
      if (error.name !== "ContextOverflowError") throw error;
      await compact();
      continue;
    }
    const { message } = answer.choices[0];
    const info = { ...MODEL, finish: message.tool_calls ? "tool-calls" : "stop", tokens: tokens(tokensOf(answer.usage)) };
    const calls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: text } }) => {
      const input = JSON.parse(text);
      return { type: "tool", tool: name, callID: id, state: { status: "completed", input, output: execute(input), title: "", metadata: {}, time: { start: 0, end: 0 } } };
    });
    say("assistant", info, [{ type: "step-start" }, ...(message.content ? [{ type: "text", text: message.content }] : []), ...calls, { type: "step-finish", reason: info.finish, tokens: info.tokens, cost: 0 }]);
    if (calls.length === 0) return { messages, sessionID };
  }
}

const tokens = (input) => ({ input, output: 20, reasoning: 0, cache: { read: 0, write: 0 } });

/** The messages from the newest compaction on. */
function sinceCompaction(messages) {
  const at = messages.findLastIndex(({ parts }) => parts.some(({ type }) => type === "compaction"));
  return messages.slice(Math.max(at, 0));
}

/** What a summary is made of: text, with the outputs cut. */
const transcriptOf = (messages) =>
  requestOf(messages).map(({ role, content, tool_calls = [] }) => [content ? `[${role}]: ${content.slice(0, 1_000)}` : "", ...tool_calls.map(({ function: { name, arguments: text } }) => `[call]: ${name}(${text})`)].join("\n")).join("\n");

/** Like `MessageV2.toModelMessages`. */
function requestOf(messages) {
  return messages.flatMap(({ info, parts }) => {
    const texts = parts.filter(({ type }) => type === "text" || type === "compaction").map(({ type, text }) => (type === "text" ? text : "What did we do so far?"));
    if (info.role === "user") return texts.length > 0 ? [{ role: "user", content: texts.join("\n") }] : [];
    const calls = parts.filter(({ type }) => type === "tool");
    const tool_calls = calls.map(({ callID, tool, state }) => ({ id: callID, type: "function", function: { name: tool, arguments: JSON.stringify(state.input) } }));
    return [
      { role: "assistant", content: texts.join("\n") || null, ...(calls.length > 0 && { tool_calls }) },
      ...calls.map(({ callID, state }) => ({ role: "tool", tool_call_id: callID, content: state.output ?? state.error })),
    ];
  });
}
