import iconUrl from "../icon.svg";
import { GUIDES, SOURCE } from "../links";

/** Address and title of the other page, by the current page. */
const ACROSS = { page: ["./compare/", "Benchmarks"], compare: ["../", "Try it on a session"] } as const;

export function Header({ at = "page" }: { at?: keyof typeof ACROSS }) {
  const [across, name] = ACROSS[at];
  return (
    <header class="header">
      <h1>
        <img src={iconUrl} alt="" width="28" height="28" /> contextfold
      </h1>
      <p>Keeps an LLM agent’s conversation inside its context window: see what stays, what is cut, what is folded, and why.</p>
      <nav class="header-links" aria-label="More">
        <a href={across}>{name}</a>
        <a href={`${at === "compare" ? "../" : "./"}${GUIDES}`}>Guides</a>
        {SOURCE && <a href={SOURCE}>Source</a>}
        <code>npm install contextfold</code>
      </nav>
    </header>
  );
}
