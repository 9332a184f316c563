// The tokens that a model's chat template adds to texts: measured by rendering the template, or known for the model's family.

import { ContextError } from "./error.js";

/** The figures, each a number of tokens. */
const KEYS = ["system", "user", "assistant", "call", "output", "tools", "tool"];

/**
 * Measured templates, each recognised by an added token (`mark`) that no other family has; `tests/templates/templates.test.mjs`
 * measures them again. If a template writes no calls or no definitions, those figures are the usual estimates.
 */
const KNOWN = [
  { mark: "<|im_start|>", source: "the chat template of Qwen 3", system: 5, user: 5, assistant: 5, call: 12, output: 8, tools: 82, tool: 1 },
  { mark: "<|start_header_id|>", source: "the chat template of Llama 3", system: 5, user: 5, assistant: 5, call: 8, output: 8, tools: 12, tool: 7 },
  { mark: "<start_of_turn>", source: "the chat template of Gemma", system: 1, user: 5, assistant: 5, call: 8, output: 8, tools: 12, tool: 7 },
  { mark: "<｜User｜>", source: "the chat template of DeepSeek V3", system: 0, user: 1, assistant: 2, call: 11, output: 1, tools: 12, tool: 7 },
];

/** The figures for a tokenizer without a template, found by its added tokens; `undefined` for an unknown family. */
export function knownTemplate(isAdded) {
  const { mark, ...template } = KNOWN.find(({ mark }) => isAdded(mark)) ?? {};
  return mark && Object.freeze(template);
}

/** The figures that were packed into a tokenizer. */
export function packedTemplate(note) {
  return note ? Object.freeze(JSON.parse(note)) : undefined;
}

/**
 * Measures a template: renders conversations that differ in one thing, and counts their tokens.
 *
 * @param config A `tokenizer_config.json`, as text, bytes or a parsed object, or the template itself.
 * @param jinja The module `@huggingface/jinja`.
 * @param count Counts the tokens of a text, special tokens as such.
 */
export function measuredTemplate(config, jinja, count) {
  if (typeof jinja?.Template !== "function") throw new ContextError("INVALID_ARGUMENT", '`jinja`: expected the module, `import * as jinja from "@huggingface/jinja"`');
  const { chat_template, ...named } = configOf(config);
  let template;
  try {
    template = new jinja.Template(chat_template);
  } catch (cause) {
    throw new ContextError("ENCODING_INVALID", `the chat template cannot be read: ${cause.message}`, { cause });
  }
  const tokens = Object.fromEntries(Object.entries(named).filter(([key]) => /_token$/.test(key)).map(([key, token]) => [key, token?.content ?? token ?? ""]));
  const render = (messages, tools) => template.render({ ...tokens, messages, ...(tools && { tools }), add_generation_prompt: false });
  if (!String(render([USER])).includes(WORD))
    throw new ContextError("INVALID_ARGUMENT", "`template`: it renders no messages. Pass the text, bytes or parsed object of a tokenizer_config.json, or its template; paths and URLs are not supported");
  const rendered = (messages, tools) => count(render(messages, tools));
  return Object.freeze({ source: "the model's chat template", ...figures(rendered, count) });
}

const decoder = new TextDecoder();

function configOf(config) {
  let value = ArrayBuffer.isView(config) || config instanceof ArrayBuffer ? decoder.decode(config) : config;
  if (typeof value === "string") value = /^\s*\{(?!\{|%|#)/.test(value) ? parsed(value) : { chat_template: value };
  const found = value?.chat_template;
  // Some configs have several named templates.
  const template = Array.isArray(found) ? (found.find(({ name }) => name === "default") ?? found[0])?.template : found;
  if (typeof template !== "string") throw new ContextError("INVALID_ARGUMENT", "`template`: expected a tokenizer_config.json with a `chat_template`, or that template");
  return { ...value, chat_template: template };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ContextError("INVALID_ARGUMENT", `\`template\`: it is not valid JSON: ${cause.message}`, { cause });
  }
}

const WORD = "hello";
const say = (role, content = WORD) => ({ role, content });
const [SYSTEM, USER, ASSISTANT] = ["system", "user", "assistant"].map((role) => say(role));
const NAME = "look";
const ARGUMENTS = { place: "here" };
const definition = (name) => ({ type: "function", function: { name, description: "Looks.", parameters: { type: "object", properties: { place: { type: "string" } } } } });

function figures(rendered, count) {
  const word = count(WORD);
  const begun = [USER, ASSISTANT, USER];
  const base = rendered(begun);
  const pair = rendered([...begun, ASSISTANT, USER]) - base - 2 * word;
  // Some templates require user and assistant to alternate: then each gets half of the pair.
  const assistant = tried(() => rendered([USER, ASSISTANT, ASSISTANT, USER]) - base - word) ?? Math.floor(pair / 2);
  const user = pair - assistant;
  const system = tried(() => rendered([SYSTEM, ...begun]) - base - word) ?? user;
  return wholeFigures({ system, user, assistant, ...toolFigures(rendered, count, assistant, word), ...definitionFigures(rendered, count, begun, base) });
}

/** The figures of calls and outputs; the usual estimates if the template writes neither. */
function toolFigures(rendered, count, assistant, word) {
  const usual = { call: 8, output: 8 };
  for (const [content, args] of [["", ARGUMENTS], [null, JSON.stringify(ARGUMENTS)]]) {
    const call = (id) => ({ id, type: "function", function: { name: NAME, arguments: args } });
    const calling = (...ids) => ({ role: "assistant", content, tool_calls: ids.map(call) });
    const output = (id) => ({ role: "tool", tool_call_id: id, name: NAME, content: WORD });
    const said = count(NAME) + count('{"place": "here"}');
    const found = tried(() => {
      const one = rendered([USER, calling("a"), output("a"), ASSISTANT, USER]);
      const two = rendered([USER, calling("a", "b"), output("a"), ASSISTANT, USER]) - one - said;
      const step = rendered([USER, calling("a"), output("a"), calling("b"), output("b"), ASSISTANT, USER]) - one;
      return { call: two, output: step - assistant - two - said - word };
    });
    if (found && found.call > 0 && found.output > 0) return found;
  }
  return usual;
}

/** The figures of tool definitions; the usual estimates if the template writes none. */
function definitionFigures(rendered, count, begun, base) {
  const written = (name) => count(spaced(definition(name)));
  const found = tried(() => {
    const one = rendered(begun, [definition(NAME)]) - base - written(NAME);
    const two = rendered(begun, [definition(NAME), definition("listen")]) - base - written(NAME) - written("listen");
    return { tools: 2 * one - two, tool: two - one };
  });
  return found && found.tools + found.tool > 0 ? found : { tools: 12, tool: 7 };
}

/** JSON as templates write it, with spaces after `,` and `:`. */
function spaced(value) {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}: ${spaced(inner)}`).join(", ")}}`;
}

/** The result of `run`; `undefined` if the template refuses such a conversation. */
function tried(run) {
  try {
    return run();
  } catch {
    return undefined;
  }
}

/** Replaces negative figures by 0. */
const wholeFigures = (found) => Object.fromEntries(KEYS.map((key) => [key, Math.max(0, found[key])]));
