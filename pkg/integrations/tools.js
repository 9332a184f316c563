// The three tools by which a model reads what its view leaves out, in the shape of each SDK. No SDK is imported, because all of them
// accept tools as plain objects.

import { ContextError, toolDefinitions } from "contextfold";
import { withMethod } from "../given.js";
import { addOurTools } from "./shared/session-tools.js";

const RUN = {
  tool_output_cache: (session, args) => session.toolOutputs.read(args),
  tool_output_cache_grep: (session, args) => session.toolOutputs.grep(args),
  search_history: async (session, args) => {
    if (typeof args.query !== "string") return "Error: `query`: say what to look for, as a text";
    const hits = await search(session, args);
    return hits.length > 0 ? JSON.stringify(hits) : "[nothing found]";
  },
};

/** One search reads at most this many outputs from the store. */
const MAX_READ = 200;
/** With fewer hits than this, those by words are shown, too; as in the engine. */
const FEW = 3;
/** Matches shown per output; the same as per message. */
const PER_OUTPUT = 3;

/** `session.searchAsync`, plus the outputs in the store: newest first, until there are enough hits. */
async function search(session, { query, regex, ignore_case, max_hits }) {
  const all = await session.searchAsync(query, { regex, ignore_case, max_hits });
  if (!all.at(-1)?.refs) return all;
  const { refs, ...unseen } = all.pop();
  const isRegex = String(regex) === "true";
  // Those that have only the words of the query come behind outputs that have its text.
  const plain = (text) => text.normalize().toLowerCase();
  const isLoose = ({ excerpt, unseen }) => !isRegex && !unseen && !plain(excerpt).includes(plain(query));
  const loose = all.filter(isLoose);
  const hits = all.filter((hit) => !isLoose(hit));
  const pattern = isRegex ? query : query.replace(/[\\.+*?()|[\]{}^$#&~-]/g, "\\$&");
  const left = [...refs];
  for (let read = 0; left.length > 0 && read < MAX_READ && hits.length < (max_hits ?? 20); read++) {
    const ref = left.at(-1);
    try {
      const found = await session.toolOutputs.grep({ ref_id: ref, pattern, ignore_case: ignore_case ?? true, max_matches: PER_OUTPUT });
      if (/\[stopped[^\]]*\]$/.test(found)) break; // the pattern is too slow, so it would be in other outputs, too
      if (!found.startsWith("[none of ")) hits.push({ id: ref, ref, role: "tool", excerpt: found });
    } catch (error) {
      if (error?.code !== "UNKNOWN_REF") break; // the store is down: the rest is listed as not searched
    }
    left.pop();
  }
  if (hits.length < FEW) hits.push(...loose);
  const named = left.slice(-20).reverse().join(", ");
  if (left.length > 0) hits.push({ ...unseen, id: left.at(-1), ref: left.at(-1), excerpt: `[not searched: ${left.length} tool outputs that live in the store; grep them by ref: ${named}${left.length > 20 ? ", …" : ""}]` });
  return hits;
}

const noArguments = (args) => `Error: the arguments are no JSON object: ${String(typeof args === "string" ? args : JSON.stringify(args)).slice(0, 200)}`;

/** The arguments of a call as an object; `undefined` if they are not an object. OpenAI's APIs have them as text. */
function argumentsOf(args) {
  let given = args ?? {};
  try {
    if (typeof given === "string") given = JSON.parse(given.trim() || "{}");
  } catch {
    return undefined;
  }
  return typeof given === "object" && given !== null && !Array.isArray(given) ? given : undefined;
}

/** See tools.d.ts. */
export async function runTool(session, name, args) {
  const run = Object.hasOwn(RUN, name) ? RUN[name] : undefined;
  if (!run) throw new ContextError("INVALID_ARGUMENT", `there is no tool named ${String(name).slice(0, 60)}; there are: ${Object.keys(RUN).join(", ")}`);
  const given = argumentsOf(args);
  if (!given) return noArguments(args);
  const of = await (typeof session === "function" ? session() : session);
  if (!of) return "Error: nothing is stored yet";
  try {
    return await run(of, given);
  } catch (error) {
    // A wrong ref or pattern is the model's mistake, and it can try another.
    if (error?.code === "UNKNOWN_REF" || error?.code === "INVALID_ARGUMENT") return `Error: ${error.message}`;
    throw error;
  }
}

const definitions = () => toolDefinitions("openai-responses").map(({ name, description, parameters }) => ({ name, description, parameters }));

// By this symbol `ai` recognises a schema, in every version. So we can make schemas without importing `ai`.
const SCHEMA = Symbol.for("vercel.ai.schema");

/** See tools.d.ts. */
export function aiSdkTools(session) {
  addOurTools(session);
  const schema = (jsonSchema) => ({ [SCHEMA]: true, _type: undefined, jsonSchema, validate: undefined });
  return Object.fromEntries(
    definitions().map(({ name, description, parameters }) => [name, { description, inputSchema: schema(parameters), execute: (args) => runTool(session, name, args) }]),
  );
}

/** See tools.d.ts. */
export function openaiTools(session, api = "responses") {
  addOurTools(session);
  return {
    tools: toolDefinitions(api === "chat" ? "openai-chat" : "openai-responses"),
    execute: Object.fromEntries(definitions().map(({ name }) => [name, (args) => runTool(session, name, args)])),
  };
}

/** See tools.d.ts. */
export function openaiRunnableTools(session) {
  addOurTools(session);
  return definitions().map(({ name, description, parameters }) => ({
    type: "function",
    function: { name, description, parameters, parse: JSON.parse, function: (args) => runTool(session, name, args) },
  }));
}

/** See tools.d.ts. */
export function anthropicTools(session) {
  addOurTools(session);
  return toolDefinitions("anthropic").map((definition) => ({ ...definition, parse: (input) => input, run: (args) => runTool(session, definition.name, args) }));
}

/** See tools.d.ts. */
export function openaiAgentsTools(session) {
  addOurTools(session);
  return definitions().map(({ name, description, parameters }) => ({
    type: "function",
    name,
    description,
    // The SDK needs a `required` list even if nothing is required.
    parameters: { ...parameters, required: parameters.required ?? [] },
    strict: false,
    needsApproval: async () => false,
    isEnabled: async () => true,
    invoke: async (_context, input) => runTool(session, name, input),
  }));
}

/** See tools.d.ts. */
export function registerMcpTools(server, session) {
  withMethod(server, "registerTool", ["server", "an `McpServer`, with `registerTool`"]);
  addOurTools(session);
  for (const { name, description, parameters } of definitions())
    server.registerTool(name, { description, inputSchema: standardSchema(parameters), annotations: { readOnlyHint: true, openWorldHint: false } }, async (args) => {
      const text = await runTool(session, name, args);
      return { content: [{ type: "text", text }], isError: text.startsWith("Error: ") };
    });
}

/** Wraps a JSON Schema as a Standard Schema that accepts everything, because the engine checks the arguments. */
const standardSchema = (schema) => ({
  "~standard": { version: 1, vendor: "contextfold", validate: (value) => ({ value: value ?? {} }), jsonSchema: { input: () => schema, output: () => schema } },
});
