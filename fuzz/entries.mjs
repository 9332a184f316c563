// The next entries of a conversation, in a format: questions, answers, calls with their outputs, and sometimes something rarer.

const words = (die, most = 60) => `${"word ".repeat(1 + die.below(most))}${die.below(1000)}`;

const speakers = (format) =>
  format === "gemini"
    ? { user: (text) => ({ role: "user", parts: [{ text }] }), assistant: (text) => ({ role: "model", parts: [{ text }] }) }
    : { user: (content) => ({ role: "user", content }), assistant: (content) => ({ role: "assistant", content }) };

/** A step of calls and outputs, by format. */
const STEP = {
  messages: (id, text, die) => [
    { role: "assistant", content: null, tool_calls: [{ id, type: "function", function: { name: "run", arguments: '{"n": 1.0}' } }] },
    { role: "tool", tool_call_id: id, content: text, ...die.pick([{}, { is_error: true }, { ephemeral: 2 }, { priority: 3 }]) },
  ],
  "openai-chat": (id, text, die) => [
    { role: "assistant", content: die.pick([null, "Let me look."]), tool_calls: [{ id, type: "function", function: { name: "run", arguments: "{}" } }] },
    { role: "tool", tool_call_id: id, content: die.pick([text, [{ type: "text", text }]]) },
  ],
  "openai-responses": (id, text, die) => [
    ...die.pick([[], [{ type: "reasoning", id: `rs_${id}`, summary: [], encrypted_content: "gAAA" }]]),
    { type: "function_call", call_id: id, name: "run", arguments: "{}" },
    { type: "function_call_output", call_id: id, output: text },
  ],
  anthropic: (id, text, die) => [
    { role: "assistant", content: [...die.pick([[], [{ type: "text", text: "Let me look." }]]), { type: "tool_use", id, name: "run", input: { n: 1 } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: die.pick([text, [{ type: "text", text }]]) }, ...die.pick([[], [{ type: "text", text: "and?" }]])] },
  ],
  "ai-sdk": (id, text) => [
    { role: "assistant", content: [{ type: "tool-call", toolCallId: id, toolName: "run", input: { n: 1 } }] },
    { role: "tool", content: [{ type: "tool-result", toolCallId: id, toolName: "run", output: { type: "text", value: text } }] },
  ],
  // Half of them without ids, as older APIs give them.
  gemini: (id, text, die) => {
    const own = die.pick([{}, { id }]);
    const answered = die.pick([own, {}]); // some callers do not send the id back
    return [
      { role: "model", parts: [...die.pick([[], [{ text: "hm", thought: true }]]), { functionCall: { ...own, name: "run", args: { n: 1 } }, ...die.pick([{}, { thoughtSignature: "c2ln" }]) }] },
      { role: "user", parts: [{ functionResponse: { ...answered, name: "run", response: die.pick([{ output: text }, { result: text }, { text, n: 1 }]) } }, ...die.pick([[], [{ text: "and?" }]])] },
    ];
  },
  "bedrock-converse": (id, text, die) => [
    { role: "assistant", content: [...die.pick([[], [{ text: "Let me look." }]]), { toolUse: { toolUseId: id, name: "run", input: { n: 1 } } }] },
    { role: "user", content: [{ toolResult: { toolUseId: id, content: die.pick([[{ text }], [{ json: { text } }]]) } }, ...die.pick([[], [{ text: "and?" }], [{ cachePoint: { type: "default" } }]])] },
  ],
};

/** Parts other than text, by format. */
const RARE = {
  messages: [{ type: "image", url: "https://example.com/a.png" }],
  "openai-chat": [{ type: "image_url", image_url: { url: "https://example.com/a.png" } }, { type: "video", video: "AAAA" }],
  "openai-responses": [{ type: "input_image", image_url: "https://example.com/a.png" }, { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }],
  anthropic: [{ type: "image", source: { type: "url", url: "https://example.com/a.png" } }, { type: "text", text: "x", cache_control: { type: "ephemeral" } }],
  "ai-sdk": [{ type: "image", image: "https://example.com/a.png" }],
  gemini: [{ inlineData: { mimeType: "image/png", data: "AAAA" } }, { fileData: { fileUri: "https://example.com/a.pdf", mimeType: "application/pdf" } }, { text: "" }],
  "bedrock-converse": [{ image: { format: "png", source: { bytes: Uint8Array.of(1, 2, 3) } } }, { document: { format: "pdf", name: "a", source: { bytes: "AAAA" } } }, { video: { format: "mp4", source: { s3Location: { uri: "s3://b/a" } } } }],
};

/** Returns a function that makes random entries of a format. */
export function entries(format) {
  const told = format === "bedrock-converse" ? inBlocks : (list) => list;
  const some = next(format);
  return (die) => told(some(die));
}

/** In Bedrock's format, a content is a list of blocks. */
const inBlocks = (list) => list.map((entry) => (typeof entry.content === "string" ? { ...entry, content: [{ text: entry.content }] } : entry));

function next(format) {
  let calls = 0;
  const { user, assistant } = speakers(format);
  return (die) => {
    const id = `call_${++calls}_${die.below(1e6)}`;
    switch (die.below(9)) {
      case 0:
      case 1:
        return [user(words(die))];
      case 2:
        return [user(words(die)), assistant(words(die))];
      case 3:
        return [assistant(`${words(die)}${die.pick(["", "\n", " "])}`)];
      case 4:
      case 5:
        return STEP[format](id, words(die, 200), die);
      case 6:
        return STEP[format](id, words(die), die).slice(0, -1); // a call without its output
      case 7:
        return [{ role: "user", [format === "gemini" ? "parts" : "content"]: [die.pick(RARE[format])] }];
      default:
        return [user(words(die)), ...STEP[format](id, words(die, 300), die), assistant(words(die))];
    }
  };
}
