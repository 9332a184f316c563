// Converts LangChain's messages to those of Chat Completions, and back.

import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { withoutBytes } from "./bytes.js";
import { LangchainCallIds } from "./langchain-call-ids.js";
import { Mirror } from "./mirror.js";

/** A mirror of LangChain's messages. */
export function langchainMessages() {
  const ids = new LangchainCallIds();
  const toOurs = (message) => {
    const content = contentOf(message.content);
    // A message that a pass has rewritten keeps its id, except ids of OpenAI (`msg_…`), which would name the original item.
    const id = typeof message.id === "string" && !message.id.startsWith("msg_") ? { id: message.id } : {};
    switch (message.getType()) {
      case "human":
        return { role: "user", content, ...id };
      case "system":
        return { role: "system", content, ...id };
      case "tool":
        return { role: "tool", tool_call_id: ids.ofOutput(message), content, ...id };
      case "ai": {
        const calls = ids.callsOf(message);
        return calls.length === 0 ? { role: "assistant", content, ...id } : { role: "assistant", content: content.length > 0 ? content : null, tool_calls: calls.map(callOf), ...id };
      }
      default:
        return { role: "user", content, ...id };
    }
  };
  /** A call's id as the server wrote it in this conversation. */
  const ownId = (id, originalOf) => {
    let at = -1;
    const caller = originalOf(({ tool_calls = [] }) => (at = tool_calls.findIndex((call) => call.id === id)) >= 0);
    return (ids.ownIdIn(caller, at) ?? { id }).id;
  };
  const toTheirs = (entry, originalOf) => {
    const { role, id } = entry;
    const content = entry.content ?? "";
    if (role === "tool") {
      const { name, status, artifact } = originalOf((one) => one.role === "tool" && one.tool_call_id === entry.tool_call_id && one.id === id) ?? {};
      return new ToolMessage({ content, tool_call_id: ownId(entry.tool_call_id, originalOf), name, status, artifact, id });
    }
    if (role === "assistant") return new AIMessage({ content, id, tool_calls: (entry.tool_calls ?? []).map(({ id, function: called }) => ({ id: ownId(id, originalOf), type: "tool_call", name: called.name, args: argsOf(called.arguments) })) });
    if (role === "system" || role === "developer") return new SystemMessage({ content, id });
    return new HumanMessage({ content, id });
  };
  return new Mirror(toOurs, toTheirs, (list) => ids.read(list));
}

/** Converts blocks to parts. Blocks of calls are left out, because the calls are in `tool_calls` as well. */
function contentOf(content) {
  if (typeof content === "string") return content;
  return content.filter(({ type }) => type !== "tool_use" && type !== "tool_call" && type !== "input_json_delta").map((block) => partOf(withoutBytes(block)));
}

function partOf(block) {
  if (block.type !== "image") return block;
  const url = block.url ?? (typeof block.data === "string" ? `data:${block.mimeType ?? block.mime_type ?? "image/png"};base64,${block.data}` : undefined);
  return url ? { type: "image_url", image_url: { url } } : block;
}

/** The arguments of an invalid call are the text that could not be read. */
const callOf = ({ id, name, args }) => ({ id, type: "function", function: { name: name ?? "tool", arguments: typeof args === "string" ? args : JSON.stringify(args ?? {}) } });

function argsOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return { shortened: text }; // arguments that were cut as the last resort
  }
}
