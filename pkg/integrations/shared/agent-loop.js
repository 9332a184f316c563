// An agent loop over one of OpenAI's APIs: ask the model, run the tools that it calls, ask again, each time with a list that fits.

import { ContextError } from "contextfold";
import { objectOf } from "../../given.js";
import { BodyKeeper, withSession } from "./bodies.js";
import { TakenIds, callsWithoutOutput, newIdsFor } from "./call-ids.js";
import { continuedList } from "./continue-session.js";
import { readLoopOptions } from "./loop-options.js";
import { usageIn } from "./summed.js";

export async function runLoop(api, client, body, given) {
  const options = readLoopOptions(given);
  objectOf(body, "body");
  const own = await withSession(options, body);
  try {
    return await loop(api, client, body, options, own);
  } catch (error) {
    if (own.session !== options.session && !own.home) own.session.free(); // it was made for this run, and nobody else has it
    throw error;
  }
}

async function loop(api, client, body, options, own) {
  const { execute, maxSteps, signal, onResponse, onEvent } = options;
  const keeper = new BodyKeeper(`openai ${api.format}`, api.format, own, { more: ["home"] });
  /** At once, because the run may be aborted, or its process may end, while a tool or the next call is running. */
  const append = async (conversation, more) => {
    fullList = [...fullList, ...more];
    keeper.appendEntries(conversation, fullList);
    await keeper.saved(conversation);
  };
  const asked = body[api.list] ?? [];
  let fullList = options.session || own.home ? continuedList(own.session, api.format, asked, body.instructions !== undefined) : api.first(asked);
  signal?.throwIfAborted();
  if (Array.isArray(fullList)) {
    await outputsOf(api, interruptedCalls(api, fullList), { execute, signal }, async (outputs) => {
      fullList = [...fullList, ...outputs];
      await keepOutputs(api, keeper, own, fullList);
    });
  }
  let waiting; // calls that an earlier run left without an output; this one leaves none
  for (let step = 1; ; step++) {
    signal?.throwIfAborted();
    const { response: answer, conversation } = await ask(api, keeper, client, { ...body, [api.list]: fullList }, { signal, onEvent: (event) => onEvent?.(event, step) });
    waiting ??= callsWithoutOutput(fullList);
    const response = withOwnIds(api, answer, fullList, waiting);
    await append(conversation, api.made(response));
    onResponse?.(response, step);
    const calls = api.calls(response);
    await outputsOf(api, calls, { execute, signal }, (outputs) => append(conversation, outputs));
    // The loop runs functions and custom tools. A call of another kind (a shell, a computer, a patch) is left to the caller.
    const left = callsWithoutOutput(api.made(response));
    for (const { call } of calls) left.delete(call[api.idKey]);
    // By now the last calls have their outputs, too, so the caller can continue with the list.
    if (calls.length === 0 || left.size > 0 || step === maxSteps)
      return { response, [api.list]: withInterrupted(api, fullList), session: own.session, steps: step, finished: calls.length === 0 && left.size === 0 };
  }
}

async function ask(api, keeper, client, body, { signal, onEvent }) {
  const options = signal ? { signal } : undefined;
  let fitting = await keeper.fit(body, { signal });
  for (;;) {
    let response, refusal;
    try {
      response = await answered(api, await api.create(client, fitting.body, options), body.stream, onEvent);
      refusal = api.refusal(response);
    } catch (error) {
      refusal = error;
    }
    const smaller = refusal && (await keeper.recovered(fitting, refusal, { signal }));
    if (smaller) {
      fitting = smaller;
      continue;
    }
    if (!response) throw refusal;
    if (!api.isAnswer(response)) throw new ContextError("INVALID_MESSAGE", `${api.noAnswer}${response.error?.message ? `. It reports an error: ${response.error.message}` : ""}`);
    keeper.record(fitting, usageIn(response));
    return { response, conversation: fitting.conversation };
  }
}

/** The answer in which every call has an id of its own. They are given before the tools run, so that all see the same ids. */
function withOwnIds(api, response, list, waiting) {
  const ids = newIdsFor(api.calls(response).map(({ call, name }) => ({ id: call[api.idKey], name })), waiting, () => new TakenIds(list));
  return ids ? api.withIds(response, ids) : response;
}

/** The answer. If it is a stream, passes its events on and returns the answer at its end. */
async function answered(api, given, isStream, onEvent) {
  if (!isStream) return given;
  const response = await api.streamed(handedOn(given, onEvent));
  if (!response) throw new Error("the stream ended before the answer did");
  return response;
}

async function* handedOn(events, onEvent) {
  for await (const event of events) {
    await onEvent(event);
    yield event;
  }
}

/** The calls of the last answer that have no output, if nothing follows it but outputs: an earlier run ended while its tools ran. */
function interruptedCalls(api, list) {
  const waiting = callsWithoutOutput(list);
  if (waiting.size === 0) return [];
  const end = list.findLastIndex((entry) => !isOutput(entry));
  return api.callsAtEnd(list.slice(0, end + 1)).filter(({ call }) => waiting.has(call[api.idKey]));
}

const isOutput = (entry) => entry?.role === "tool" || entry?.type?.endsWith("_output") === true;

/**
 * Gives a session the outputs at a list's end, of calls that it has, and saves it: the tools must not run once more if the process ends
 * before the model answers. Those that the caller gave come with them, because the list has them in this order. A list with other calls
 * enters the session as a whole, with the first request.
 */
async function keepOutputs({ format }, keeper, own, list) {
  const open = callsWithoutOutput(own.session.messages);
  const outputs = list.slice(list.findLastIndex((entry) => !isOutput(entry)) + 1);
  const known = outputs.filter((output) => open.has(output.call_id ?? output.tool_call_id));
  if (known.length === 0) return;
  try {
    own.session.pushFrom(format, known);
  } catch (error) {
    keeper.failed(error);
  }
  await keeper.saved(own);
}

/** The list, in which calls that were interrupted before something else was said have an output, because APIs demand one. */
function withInterrupted(api, list) {
  const waiting = callsWithoutOutput(list);
  if (waiting.size === 0) return list;
  const answered = [];
  let open = [];
  for (const entry of list) {
    if (!isOutput(entry) && api.endsAnswer(entry)) {
      answered.push(...open.map(({ call }) => api.answer(call, "[no output yet: the call was interrupted]")));
      open = [];
    }
    answered.push(entry);
    open.push(...api.callsIn(entry).filter(({ call }) => waiting.has(call[api.idKey])));
  }
  return answered;
}

/** Runs tools, and gives the entries with their outputs to `keep`. After an abort, those of the tools that have ended by then; no tool is waited for. */
async function outputsOf(api, calls, { execute, signal }, keep) {
  if (calls.length === 0) return;
  const outputs = [];
  const run = async (made, at) => {
    outputs[at] = api.answer(made.call, await executed(made, execute, signal));
  };
  let stop;
  const stopped = new Promise((_, reject) => {
    stop = () => reject(signal.reason);
    signal?.addEventListener("abort", stop);
  });
  try {
    await Promise.race([Promise.all(calls.map(run)), stopped]);
  } catch (error) {
    await new Promise((done) => setTimeout(done)); // what ended at the same time counts, too
    const ended = outputs.filter(Boolean);
    if (ended.length > 0) await keep(ended);
    throw error;
  } finally {
    signal?.removeEventListener("abort", stop);
  }
  await keep(outputs);
}

/** Runs a tool and returns its result, as text unless it is a list of parts. If it throws, returns an error text for the model. */
async function executed({ call, name, input, isJson }, execute, signal) {
  try {
    const tool = typeof execute === "function" ? (args) => execute(name, args, { call, signal }) : Object.hasOwn(execute, name) ? execute[name] : undefined;
    if (!tool) return `Error: there is no tool named ${String(name).slice(0, 60)}`;
    const output = await tool(isJson ? parsed(input || "{}") : input, { call, signal });
    return typeof output === "string" || Array.isArray(output) ? output : (JSON.stringify(output) ?? "");
  } catch (error) {
    signal?.throwIfAborted();
    return `Error: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** The arguments of a call. The error shows the model what is not JSON, and how it ends, where it was perhaps cut. */
function parsed(input) {
  try {
    return JSON.parse(input);
  } catch ({ message }) {
    const shown = input.length > 200 ? `${input.slice(0, 100)} … ${input.slice(-100)}` : input;
    throw new Error(`the arguments of this call are not JSON (${message}): ${shown}`);
  }
}
