// Converts pi's messages to the AI SDK's, and back. Of all formats this is the closest: it has ordered parts, and the tool's name
// next to its output.

import { Mirror } from "./mirror.js";

/** Roles that pi itself turns into a user message, with the same words that pi puts around them. */
const AS_USER = {
  custom: ({ content }) => content,
  branchSummary: ({ summary }) => `The following is a summary of a branch that this conversation came back from:\n\n<summary>\n${summary}</summary>`,
  compactionSummary: ({ summary }) => `The conversation history before this point was compacted into the following summary:\n\n<summary>\n${summary}\n</summary>`,
  bashExecution: commandOf,
};

/** Whether pi sends the message at all. It leaves out failed and aborted answers, and commands that the user excluded from the context. */
export const isSent = ({ role, stopReason, excludeFromContext }) => !(role === "assistant" && (stopReason === "error" || stopReason === "aborted")) && !(role === "bashExecution" && excludeFromContext);

/** A mirror of pi's messages. Converting back may give an array of several messages. */
export function piMessages() {
  const toOurs = (given) => {
    // Old session files and custom tools have messages without content, which pi reads as empty.
    const message = given.content == null ? { ...given, content: [] } : given;
    switch (message.role) {
      case "assistant":
        return { role: "assistant", content: message.content.map((block) => signed(partOf(block), message)), providerOptions: { pi: originOf(message) } };
      case "toolResult": {
        const { toolCallId, toolName } = message;
        return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output: outputOf(message) }] };
      }
      default: {
        const content = (AS_USER[message.role] ?? (() => message.content))(message);
        return { role: message.role === "system" ? "system" : "user", content: typeof content === "string" ? content : content.map(partOf) };
      }
    }
  };
  const toTheirs = (entry, originalOf) => {
    const timestamp = entry.providerOptions?.pi?.timestamp ?? Date.now();
    const blocks = () => (typeof entry.content === "string" ? [{ type: "text", text: entry.content }] : entry.content.map(blockOf));
    if (entry.role === "assistant") return assistantOf(entry, blocks(), timestamp);
    if (entry.role === "tool") return entry.content.map((part) => outputFrom(part, timestamp, originalOf));
    return { role: "user", content: typeof entry.content === "string" ? entry.content : blocks(), timestamp };
  };
  return new Mirror(toOurs, toTheirs);
}

const NO_USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } };

/** The fields of an answer, besides its blocks, that pi uses when it sends the answer back to the model. */
function originOf({ api, provider, model, stopReason, timestamp, content }) {
  return { api, provider, model, stopReason, timestamp, thinks: content.some(({ type }) => type === "thinking") };
}

function assistantOf(entry, content, timestamp) {
  const { thinks, ...origin } = entry.providerOptions?.pi ?? {};
  // OpenAI's Responses API refuses the ids of items that were made with reasoning if the reasoning is gone. pi leaves the ids out if
  // the answer is another model's, so the model's name is changed.
  const isCut = thinks && /responses/.test(origin.api) && !content.some(({ type }) => type === "thinking");
  const stopReason = content.some(({ type }) => type === "toolCall") ? "toolUse" : "stop";
  return { role: "assistant", api: "", provider: "", model: "", stopReason, ...origin, ...(isCut && { model: `${origin.model}:shortened` }), usage: NO_USAGE, content, timestamp };
}

/** Converts a block to a part. Provider-specific fields are kept in `providerOptions`, and are restored if the part comes back. */
function partOf(block) {
  if (block.type === "image") return { type: "image", image: block.data, mediaType: block.mimeType };
  const { type, text, thinking, id, name, arguments: input, ...pi } = block;
  const providerOptions = Object.keys(pi).length > 0 && { providerOptions: { pi } };
  if (type === "thinking") return { type: "reasoning", text: thinking, ...providerOptions };
  if (type === "toolCall") return { type: "tool-call", toolCallId: id, toolName: name, input: input ?? {}, ...providerOptions };
  return { type: "text", text: text ?? "", ...providerOptions };
}

/** Anthropic's thinking with its signature where the engine looks for it: it may be bound to the messages before it. */
function signed(part, { api }) {
  const { thinkingSignature: signature, redacted, ...pi } = part.providerOptions?.pi ?? {};
  if (part.type !== "reasoning" || api !== "anthropic-messages" || !signature) return part;
  return { ...part, providerOptions: { pi: { ...pi, ...(redacted && { redacted }) }, anthropic: redacted ? { redactedData: signature } : { signature } } };
}

function blockOf(part) {
  const { pi, anthropic } = part.providerOptions ?? {};
  switch (part.type) {
    case "reasoning":
      return { type: "thinking", thinking: part.text, ...pi, ...(anthropic && { thinkingSignature: anthropic.redactedData ?? anthropic.signature }) };
    case "tool-call":
      return { type: "toolCall", id: part.toolCallId, name: part.toolName, arguments: isObject(part.input) ? part.input : { shortened: part.input }, ...pi };
    case "image":
      return { type: "image", data: part.image, mimeType: part.mediaType };
    case "file":
    case "image-data":
    case "media":
      return { type: "image", data: part.data, mimeType: part.mediaType };
    default:
      return { type: "text", text: part.text ?? "", ...pi };
  }
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

function outputOf({ content, isError }) {
  if (content.every(({ type }) => type === "text")) return { type: isError ? "error-text" : "text", value: content.map(({ text }) => text).join("\n") };
  return { type: "content", value: content.map((block) => (block.type === "image" ? { type: "media", data: block.data, mediaType: block.mimeType } : { type: "text", text: block.text })) };
}

const contentOf = ({ type, value }) => (type === "content" ? value.map(blockOf) : [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }]);

/** An output that a pass has shortened, with what its original has besides its content. */
function outputFrom({ toolCallId, toolName, output }, timestamp, originalOf) {
  const original = originalOf(({ role, content }) => role === "tool" && content[0].toolCallId === toolCallId && content[0].toolName === toolName);
  return { role: "toolResult", toolName, isError: output.type === "error-text", timestamp, ...original, toolCallId, content: contentOf(output) };
}

/** A command that the user ran, as pi presents it to the model. */
function commandOf({ command, output, exitCode, cancelled, truncated, fullOutputPath }) {
  const ended = cancelled ? "\n\n(command cancelled)" : exitCode ? `\n\nCommand exited with code ${exitCode}` : "";
  const rest = truncated && fullOutputPath ? `\n\n[Output truncated. Full output: ${fullOutputPath}]` : "";
  return `Ran \`${command}\`\n${output ? `\`\`\`\n${output}\n\`\`\`` : "(no output)"}${ended}${rest}`;
}
