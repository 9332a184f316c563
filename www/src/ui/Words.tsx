// The page's terms, each explained inline in one line.

const MEANINGS = {
  call: ["Call", "one request to the model."],
  view: ["View", "the messages that the model is sent at a call."],
  fold: ["Fold", "a summary that stands in the view for older messages; they stay in the history, and it can be undone."],
  trim: ["Trim", "a tool output that stands in the view shorter, or as one line; the whole text can still be read."],
  cache: ["Prompt cache", "the provider reads what stands unchanged at a request’s beginning for about a tenth of the price; an edit before that breaks it."],
  ledger: ["Ledger", "facts of the folded messages (files, commands, errors, decisions) that the engine adds to a summary which left them out."],
  lane: ["Lane", "a conversation of its own beside the main one, such as a sub-agent’s."],
  facts: ["Facts kept", "the share of paths, addresses, ids and error codes that the views still name or a stored output still has. It does not promise that the model uses them."],
  pin: ["Pin", "a message that stays in every view as it came."],
} as const;

export type Word = keyof typeof MEANINGS;

export function Words({ of }: { of: Word[] }) {
  return (
    <dl class="words">
      {of.map((word) => {
        const [name, meaning] = MEANINGS[word];
        return (
          <div key={word}>
            <dt>{name}:</dt> <dd>{meaning}</dd>
          </div>
        );
      })}
    </dl>
  );
}
