// A few entries as a format's own clients produce them: files, thinking, calls of every kind, calls that the provider ran itself.

const [image, pdf] = ["https://example.org/a.png", "https://example.org/a.pdf"];

/** Entries of a format around the call `id`; `item` is part of their item ids, which are never used twice. */
export function native(format, r, id, item, text, meta) {
  const said = () => `${text()}.`;
  const lists = {
    messages: () => [
      { role: "user", content: [{ type: "text", text: said() }, { type: "image", data: "aGVsbG8=", media_type: "image/png" }, { type: "document", url: pdf }], ...meta() },
      { role: "assistant", content: [{ type: "reasoning", text: "hm", signature: "c2ln" }, { type: "text", text: said() }], tool_calls: [{ id, type: "function", function: { name: "read", arguments: "{}" } }] },
      { role: "tool", tool_call_id: id, content: said(), is_error: r.chance(0.5), ephemeral: 1 + r.below(2) },
    ],
    "openai-chat": () => [
      { role: "user", content: [{ type: "text", text: said() }, { type: "image_url", image_url: { url: image, detail: "low" } }] },
      { role: "assistant", content: null, refusal: null, tool_calls: [{ id, type: "function", function: { name: "read", arguments: "{}" } }] },
      { role: "tool", tool_call_id: id, content: [{ type: "text", text: said() }] },
    ],
    "openai-responses": () => [
      { type: "message", role: "user", content: [{ type: "input_text", text: said() }, { type: "input_image", image_url: image, detail: "auto" }, { type: "input_file", file_id: "file_1" }] },
      { type: "reasoning", id: `rs_${item}`, summary: [], encrypted_content: "gAAAAABo" },
      { type: "function_call", id: `fc_${item}`, call_id: id, name: "read", arguments: "{}" },
      { type: "function_call_output", call_id: id, output: said() },
      { type: "web_search_call", id: `ws_${item}`, status: "completed", action: { type: "search", query: "x" } },
      { type: "message", id: `msg_${item}`, role: "assistant", status: "completed", content: [{ type: "output_text", text: said(), annotations: [] }] },
    ],
    anthropic: () => [
      { role: "user", content: [{ type: "text", text: said() }, { type: "image", source: { type: "base64", media_type: "image/png", data: "aGVsbG8=" } }, { type: "document", source: { type: "url", url: pdf } }] },
      { role: "assistant", content: [{ type: "thinking", thinking: "hm", signature: "c2ln" }, { type: "redacted_thinking", data: "eHh4" }, { type: "text", text: said() }, { type: "tool_use", id, name: "read", input: { at: 1 } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: [{ type: "text", text: said() }], is_error: true }] },
    ],
    "ai-sdk": () => [
      { role: "user", content: [{ type: "text", text: said() }, { type: "image", image }, { type: "file", data: "aGVsbG8=", mediaType: "application/pdf" }] },
      { role: "assistant", content: [{ type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "c2ln" } } }, { type: "tool-call", toolCallId: id, toolName: "read", input: { at: 1 } }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: id, toolName: "read", output: { type: "text", value: said() } }] },
    ],
    gemini: () => [
      { role: "user", parts: [{ text: said() }, { inlineData: { mimeType: "image/png", data: "aGVsbG8=" } }, { fileData: { fileUri: pdf, mimeType: "application/pdf" } }] },
      { role: "model", parts: [{ text: "hm", thought: true }, { text: said() }, { functionCall: { id, name: "read", args: { at: 1 } }, thoughtSignature: "c2ln" }] },
      { role: "user", parts: [{ functionResponse: { id, name: "read", response: { error: said() } } }] },
    ],
    "bedrock-converse": () => [
      { role: "user", content: [{ text: said() }, { image: { format: "png", source: { bytes: Uint8Array.of(1, 2, 3) } } }, { document: { format: "pdf", name: "a", source: { bytes: "aGVsbG8=" } } }] },
      { role: "assistant", content: [{ reasoningContent: { reasoningText: { text: "hm", signature: "c2ln" } } }, { reasoningContent: { redactedContent: Uint8Array.of(9) } }, { text: said() }, { toolUse: { toolUseId: id, name: "read", input: { at: 1 } } }] },
      { role: "user", content: [{ toolResult: { toolUseId: id, content: [{ text: said() }], status: "error" } }] },
    ],
  };
  const rare = {
    messages: () => [
      { role: "user", content: [{ type: "audio", data: "aGVsbG8=", media_type: "audio/wav" }, { type: "document", data: "aGVsbG8=", media_type: "application/pdf", filename: "a.pdf" }] },
      { role: "assistant", content: [{ type: "refusal", refusal: said() }] },
      { role: "assistant", content: [{ type: "reasoning", redacted: true, encrypted: "eHh4" }, { type: "reasoning", summary: [said()], id: `rs_${item}`, encrypted: "gAAA" }, { type: "text", text: said() }] },
    ],
    "openai-chat": () => [
      { role: "developer", content: [{ type: "text", text: said() }] },
      { role: "user", name: "ann", content: [{ type: "input_audio", input_audio: { data: "aGVsbG8=", format: "wav" } }, { type: "file", file: { file_id: "file_1" } }] },
      { role: "assistant", content: said(), reasoning_content: "hm", annotations: [], audio: { id: "audio_1" }, tool_calls: [{ id, type: "custom", custom: { name: "patch", input: said() } }] },
      { role: "tool", tool_call_id: id, content: said() },
      { role: "assistant", content: [{ type: "refusal", refusal: said() }] },
    ],
    "openai-responses": () => [
      { role: "user", content: said() },
      { type: "custom_tool_call", id: `ctc_${item}`, call_id: id, name: "patch", input: said() },
      { type: "custom_tool_call_output", call_id: id, output: [{ type: "input_text", text: said() }, { type: "input_image", image_url: image }] },
      { type: "file_search_call", id: `fs_${item}`, status: "completed", queries: ["x"], results: [{ text: said() }] },
      { type: "mcp_list_tools", id: `mcpl_${item}`, server_label: "s", tools: [] },
      { type: "mcp_call", id: `mcp_${item}`, server_label: "s", name: "f", arguments: "{}", output: said() },
      { type: "image_generation_call", id: `ig_${item}`, status: "completed", result: "aGVsbG8=" },
      { type: "code_interpreter_call", id: `ci_${item}`, status: "completed", code: "1", container_id: "c", outputs: [] },
      { type: "item_reference", id: `ref_${item}` },
      { type: "compaction", id: `cmp_${item}`, encrypted_content: "gAAA" },
      { type: "message", role: "assistant", content: [{ type: "refusal", refusal: said() }] },
    ],
    anthropic: () => [
      { role: "user", content: said() },
      ...(item % 3 === 0 ? [{ role: "assistant", content: [{ type: "compaction", content: item % 2 === 0 ? said() : null }, { type: "text", text: said() }] }, { role: "user", content: said() }] : []),
      {
        role: "assistant",
        content: [
          { type: "server_tool_use", id: `srvtoolu_${item}`, name: "web_search", input: { query: "x" } },
          { type: "web_search_tool_result", tool_use_id: `srvtoolu_${item}`, content: [{ type: "web_search_result", url: image, title: said(), encrypted_content: "x" }] },
          { type: "mcp_tool_use", id: `mcptoolu_${item}`, name: "f", server_name: "s", input: {} },
          { type: "mcp_tool_result", tool_use_id: `mcptoolu_${item}`, is_error: false, content: [{ type: "text", text: said() }] },
          { type: "text", text: said(), citations: [{ type: "web_search_result_location", url: image, cited_text: "x" }] },
          { type: "tool_use", id, name: "read", input: {} },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: [{ type: "image", source: { type: "url", url: image } }, { type: "search_result", source: image, title: "t", content: [{ type: "text", text: said() }] }], cache_control: { type: "ephemeral" } }, { type: "text", text: said() }] },
    ],
    "ai-sdk": () => [
      { role: "system", content: said(), providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } },
      { role: "user", content: said() },
      {
        role: "assistant",
        content: [
          { type: "tool-call", toolCallId: `srv_${item}`, toolName: "web_search", input: { query: "x" }, providerExecuted: true },
          { type: "tool-result", toolCallId: `srv_${item}`, toolName: "web_search", output: { type: "json", value: [{ text: said() }] } },
          { type: "file", data: image, mediaType: "image/png" },
          { type: "tool-call", toolCallId: id, toolName: "read", input: "text" },
          { type: "tool-approval-request", approvalId: "a1", toolCallId: id },
        ],
      },
      { role: "tool", content: [{ type: "tool-approval-response", approvalId: "a1", approved: true }, { type: "tool-result", toolCallId: id, toolName: "read", output: { type: "content", value: [{ type: "text", text: said() }, { type: "media", data: "aGVsbG8=", mediaType: "image/png" }] } }] },
    ],
    gemini: () => [
      { parts: [{ text: said() }] },
      { role: "model", parts: [{ executableCode: { language: "PYTHON", code: "1" } }, { codeExecutionResult: { outcome: "OUTCOME_OK", output: said() } }, { functionCall: { name: "read", args: { at: 1.5 } } }, { function_call: { name: "read" } }] },
      { role: "function", parts: [{ functionResponse: { name: "read", response: { n: 1.0, text: said() } } }, { function_response: { name: "read", response: { result: said() }, parts: [{ inlineData: { mimeType: "image/png", data: "aGVsbG8=" } }] } }] },
      { role: "model", parts: [{ inlineData: { mimeType: "image/png", data: "aGVsbG8=" }, thoughtSignature: "c2ln" }, { text: "", thoughtSignature: "c2ln" }] },
    ],
  };
  rare["bedrock-converse"] = () => [
    { role: "user", content: [{ guardContent: { text: { text: said(), qualifiers: ["query"] } } }, { searchResult: { source: image, title: "t", content: [{ text: said() }] } }, { cachePoint: { type: "default" } }] },
    { role: "assistant", content: [{ citationsContent: { content: [{ text: said() }], citations: [] } }, { reasoningContent: { reasoningText: { text: "hm" } } }, { toolUse: { toolUseId: id, name: "read", input: {} } }, { cachePoint: { type: "default" } }] },
    { role: "user", content: [{ toolResult: { toolUseId: id, content: [{ json: { said: said() } }, { video: { format: "mp4", source: { bytes: "aGVsbG8=" } } }] } }, { cachePoint: { type: "default" } }, { text: "The file:" }, { document: { format: "txt", name: "a", source: { text: said() } } }] },
  ];
  const list = (r.chance(0.6) ? lists : rare)[format]();
  const cut = r.chance(0.7) ? list : list.slice(0, 1 + r.below(list.length));
  return cut.at(-1).type === "reasoning" ? cut.slice(0, -1) : cut; // reasoning must be followed by what it led to
}

/** A body with these entries, as it is sent or as it comes back. */
export function body(format, r, input, words) {
  const text = () => `${words()}.`;
  const bodies = {
    messages: [{ messages: input }],
    "openai-chat": [
      { model: "gpt-4o", messages: input, n: 2 },
      { choices: [{ index: 0, message: { role: "assistant", content: text() }, finish_reason: "stop" }, { index: 1, message: { role: "assistant", content: text() } }] },
      { choices: [] },
    ],
    "openai-responses": [
      { model: "gpt-5", instructions: text(), input },
      { input: text() },
      { output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: text(), annotations: [] }] }], status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
    ],
    anthropic: [
      { model: "claude-sonnet-4-5", max_tokens: 9, system: text(), messages: input },
      { system: [{ type: "text", text: text(), cache_control: { type: "ephemeral" } }], messages: input },
      { role: "assistant", type: "message", content: [{ type: "text", text: text() }], stop_reason: "end_turn" },
    ],
    "bedrock-converse": [
      { modelId: "us.anthropic.claude-sonnet-4-5", system: [{ text: text() }, { cachePoint: { type: "default" } }], messages: input },
      { output: { message: { role: "assistant", content: [{ text: text() }] } }, stopReason: "end_turn", usage: { inputTokens: 9, outputTokens: 1, totalTokens: 10 } },
    ],
    "ai-sdk": [{ system: text(), messages: input }, { response: { messages: input } }, { prompt: text() }],
    gemini: [
      { systemInstruction: { parts: [{ text: text() }] }, contents: input },
      { contents: text(), config: { systemInstruction: text() } },
      { candidates: [{ content: { role: "model", parts: [{ text: text() }] }, finishReason: "STOP" }], usageMetadata: { promptTokenCount: 1 } },
    ],
  };
  return r.pick(bodies[format]);
}
