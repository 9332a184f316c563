// The models that bind their thinking to everything before it. A hook sees which model a call is for, whereas its session may have been
// made with a window only.

/** The same models as in src/provider/thinking.rs. */
const BINDING = /(fable|mythos)-5-[12]|(opus|sonnet|haiku)-5-5/;

/** Whether the model refuses thinking after an edit. `model`: a name, or an AI SDK model. */
export function bindsThinking(model) {
  const name = typeof model === "string" ? model : model?.modelId;
  return typeof name === "string" && /claude/i.test(name) && BINDING.test(name.toLowerCase().replaceAll(".", "-"));
}
