// Converts items of the OpenAI Agents SDK to items of the Responses API, and back. The SDK's items use camel case, and their
// outputs have other type names.

import { Mirror } from "./mirror.js";

const OUTPUTS = { function_call_result: "function_call_output", computer_call_result: "computer_call_output" };
const RESULTS = Object.fromEntries(Object.entries(OUTPUTS).map(([theirs, ours]) => [ours, theirs]));

/** A mirror of the SDK's items. */
export function agentItems() {
  const toOurs = (item) => {
    const type = item.type ?? "message";
    if (type === "message") return message(item);
    if (type === "reasoning") return reasoning(item);
    if (item.callId === undefined) return item;
    if (type !== "tool_search_output" && (type in OUTPUTS || type.endsWith("_output"))) {
      return { type: OUTPUTS[type] ?? type, call_id: item.callId, output: outputOf(type, item.output) };
    }
    if (type === "function_call") return { type, call_id: item.callId, name: item.name, arguments: item.arguments, ...(item.id && { id: item.id }) };
    return { ...item, call_id: item.callId };
  };
  const toTheirs = (entry, originalOf) => {
    const original = entry.call_id === undefined ? undefined : originalOf(({ type, call_id, name }) => type === entry.type && call_id === entry.call_id && name === entry.name);
    if (entry.type?.endsWith("_output")) {
      if (!original) return outputOfOpenCall(entry, originalOf);
      if (entry.tools) return { ...original, tools: entry.tools };
      return { ...original, output: typeof original.output === "string" ? entry.output : outputFrom(entry) };
    }
    if (entry.call_id !== undefined) {
      return entry.type === "function_call" && original ? { ...original, arguments: entry.arguments } : entry;
    }
    if (entry.type === "reasoning") return reasoningFrom(entry);
    if (entry.role === "assistant") return answerFrom(entry, originalOf);
    return { type: "message", ...entry };
  };
  return new Mirror(toOurs, toTheirs);
}

/** The output that stands for a missing one: a run was aborted while its tool was running. */
function outputOfOpenCall(entry, originalOf) {
  const { type, call_id, status = "completed" } = entry;
  const output = outputFrom(entry);
  if (type !== "function_call_output") return { type: RESULTS[type] ?? type, callId: call_id, ...(type === "apply_patch_call_output" && { status }), output };
  const call = originalOf((entry) => entry.call_id === call_id && !entry.type.endsWith("_output"));
  return { type: "function_call_result", callId: call_id, name: call?.name ?? "", status, output };
}

function message({ role, content, id, status }) {
  const parts = typeof content === "string" ? content : content.map(part);
  return { type: "message", role: role ?? "user", content: parts, ...(id && { id }), ...(role === "assistant" && { status: status ?? "completed" }) };
}

/** A part of a message. Unknown parts are kept as they are. */
function part(given) {
  const { type, text, refusal, image, file, detail, filename } = given;
  if (type === "output_text") return { type, text, annotations: [] };
  if (type === "refusal") return { type, refusal };
  if (type === "input_image" && typeof image === "string") return { type, image_url: image, detail: detail ?? "auto" };
  if (type === "input_image" && image?.id) return { type, file_id: image.id, detail: detail ?? "auto" };
  if (type === "input_file" && file?.id) return { type, file_id: file.id };
  if (type === "input_file" && file?.url) return { type, file_url: file.url };
  if (type === "input_file" && typeof file === "string") return { type, file_data: file, ...(filename && { filename }) };
  return given;
}

function reasoning({ id, content, providerData }) {
  const encrypted = providerData?.encrypted_content ?? providerData?.encryptedContent;
  return {
    type: "reasoning",
    ...(id && { id }),
    summary: (content ?? []).map(({ text }) => ({ type: "summary_text", text })),
    ...(encrypted && { encrypted_content: encrypted }),
  };
}

function reasoningFrom({ type, id, summary, encrypted_content }) {
  return { type, ...(id && { id }), content: summary.map(({ text }) => ({ type: "input_text", text })), ...(encrypted_content && { providerData: { encrypted_content } }) };
}

/** An answer that was cut keeps its id: OpenAI refuses reasoning if what it led to comes without one. */
function answerFrom({ id, content }, originalOf) {
  const original = id && originalOf((entry) => entry.role === "assistant" && entry.id === id);
  const parts = [content].flat().map((part) => (typeof part === "string" ? { type: "output_text", text: part } : part));
  return { ...original, type: "message", role: "assistant", status: "completed", content: parts };
}

/** The output of a call. That of a function is a text, one part, or several. */
function outputOf(type, output) {
  if (type === "computer_call_result") return { type: "computer_screenshot", image_url: output?.data };
  if (type === "shell_call_output" && Array.isArray(output)) return output.map(withExitCode("exitCode", "exit_code"));
  if (type !== "function_call_result" || typeof output === "string") return output;
  if (Array.isArray(output)) return output.map(outputPart);
  return output?.type === "text" ? output.text : [outputPart(output)];
}

/** The same for a cut output, in the SDK's shape. */
function outputFrom({ type, output }) {
  if (type === "computer_call_output") return { type: "computer_screenshot", data: output.image_url };
  if (type === "shell_call_output" && Array.isArray(output)) return output.map(withExitCode("exit_code", "exitCode"));
  return type === "function_call_output" ? { type: "text", text: textOf(output) } : output;
}

/** Chunks of a shell's output with the exit code under another key. */
const withExitCode = (from, to) => (chunk) => (chunk.outcome?.type === "exit" ? { ...chunk, outcome: { type: "exit", [to]: chunk.outcome[from] } } : chunk);

function outputPart(given) {
  if (given.type === "text") return { type: "input_text", text: given.text };
  if (given.type === "image") {
    const { image } = given;
    const url = typeof image === "string" ? image : (image?.url ?? (image?.data && `data:${image.mediaType ?? "image/png"};base64,${typeof image.data === "string" ? image.data : ""}`));
    return { type: "input_image", ...(url ? { image_url: url } : { file_id: image?.fileId ?? image?.id }), detail: given.detail ?? "auto" };
  }
  return part(given);
}

const textOf = (output) => (typeof output === "string" ? output : output.map(({ text }) => text ?? "").join("\n"));
