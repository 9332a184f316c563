// A transcript of the size that real agents reach, generated: one long turn of many steps with large outputs and parallel
// calls, then a short one. Responses items; the words are made up.

const WORDS =
  "fn let match self error value item list read write parse token count view fold step call open close next".split(" ");

/** Text of `bytes` bytes, the same for the same seed. */
function source(seed, bytes) {
  let state = seed * 2654435761 + 1;
  let text = "";
  for (let line = 1; text.length < bytes; line += 1) {
    text += `${line}: `;
    for (let n = 0; n < 9; n += 1) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      text += `${WORDS[state % WORDS.length]}_${(state >>> 8) % 997} `;
    }
    text += "\n";
  }
  return text;
}

function message(role, text) {
  const said = {
    type: "message",
    role,
    content: [{ type: role === "assistant" ? "output_text" : "input_text", text }],
  };
  return role === "assistant" ? { ...said, status: "completed" } : said;
}

/** Responses items: `steps` steps in the first turn, every fourth with two calls, outputs of 2 to 8 kB. */
export function transcript(steps = 80) {
  const items = [
    message("system", "You are a coding agent."),
    message("user", "Find out why the parser loses tokens, and fix it. Never edit src/wasm/."),
  ];
  for (let step = 1; step <= steps; step += 1) {
    if (step % 3 === 0) items.push(message("assistant", `Step ${step}: reading on.`));
    const ids = step % 4 === 0 ? [`call_${step}a`, `call_${step}b`] : [`call_${step}a`];
    for (const id of ids)
      items.push({
        type: "function_call",
        id: `fc_${id}`,
        call_id: id,
        name: step % 5 === 0 ? "grep" : "read_file",
        arguments: JSON.stringify({ path: `src/part_${step}.rs` }),
        status: "completed",
      });
    for (const id of ids)
      items.push({ type: "function_call_output", call_id: id, output: source(step, 2000 + (step % 7) * 1000) });
  }
  items.push(
    message("assistant", "Done: the parser kept its last token back."),
    message("user", "Thanks. What is open?"),
    message("assistant", "Nothing."),
  );
  return items;
}
