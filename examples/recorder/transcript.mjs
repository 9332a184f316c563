// Records what is said, called and answered, as OpenAI Responses items with ids that count up.

/** A scripted step did not find what it expects. The script has to be updated to fit the repository. */
export class StoryError extends Error {}

export class Transcript {
  items = [];
  /** Every call with its outcome, for the facts: `{ turn, name, args, ok, exit, output }`. */
  calls = [];
  turn = 0;
  /** The number of steps of each turn. */
  steps = [];
  /** UTF-8 bytes of all text, arguments and outputs. */
  bytes = 0;
  #tools;
  #messages = 0;

  constructor(tools) {
    this.#tools = tools;
  }

  system(text) {
    this.#input("system", text);
  }

  user(text) {
    this.turn += 1;
    this.steps.push(0);
    this.#input("user", text);
  }

  /** One step: what the agent says (or null), then its calls, then their outputs. Returns the outcomes in order. */
  step(text, ...calls) {
    this.steps[this.turn - 1] += 1;
    if (text) {
      this.#messages += 1;
      this.#push(
        {
          id: `msg_${number(this.#messages)}`,
          type: "message",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text, annotations: [] }],
        },
        text,
      );
    }
    const begun = calls.map(([name, args]) => {
      const call = { turn: this.turn, name, args, id: number(this.calls.length + 1) };
      this.calls.push(call);
      const written = JSON.stringify(args);
      this.#push(
        {
          id: `fc_${call.id}`,
          type: "function_call",
          call_id: `call_${call.id}`,
          name,
          arguments: written,
          status: "completed",
        },
        written,
      );
      return call;
    });
    for (const call of begun) {
      Object.assign(call, this.#tools(call.name, call.args));
      this.#push({ type: "function_call_output", call_id: `call_${call.id}`, output: call.output }, call.output);
    }
    return begun;
  }

  /** A step with one command, which must fail with `pattern` in its output, or succeed if there is no pattern. */
  run(text, command, pattern) {
    const [run] = this.step(text, ["run_command", { command }]);
    if (pattern ? run.ok || !pattern.test(run.output) : !run.ok) {
      const wanted = pattern ? `to fail with ${pattern}` : "to succeed";
      throw new StoryError(`turn ${this.turn}: expected \`${command}\` ${wanted}\n${run.output}`);
    }
    return run;
  }

  toJson() {
    return `[\n${this.items.map((item) => JSON.stringify(item)).join(",\n")}\n]\n`;
  }

  #input(role, text) {
    this.#push({ type: "message", role, content: [{ type: "input_text", text }] }, text);
  }

  #push(item, text) {
    this.items.push(item);
    this.bytes += Buffer.byteLength(text);
  }
}

function number(n) {
  return String(n).padStart(4, "0");
}
