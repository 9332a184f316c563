// The text of a summary, with its ledger.

export function SummaryText({ text, ledger }: { text: string; ledger: string }) {
  const at = ledger ? text.indexOf(ledger) : -1;
  return (
    <pre class="summary-text" tabIndex={0} aria-label="The summary">
      {at < 0 ? text : text.slice(0, at)}
      {at >= 0 && <span class="summary-ledger">{ledger}</span>}
      {at >= 0 && text.slice(at + ledger.length)}
    </pre>
  );
}
