import iconUrl from "../icon.svg";

export function Header() {
  return (
    <header class="header">
      <h1>
        <img src={iconUrl} alt="" width="28" height="28" /> contextfold
      </h1>
      <p>Keeps an LLM agent’s conversation inside its context window: see what stays, what is cut, what is folded, and why.</p>
      <p class="header-install">
        <code>npm install contextfold</code>
      </p>
    </header>
  );
}
