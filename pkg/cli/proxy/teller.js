/** Tells of each kind of failure once: an agent that makes a thousand calls would fill the terminal with one. */
export function teller(say) {
  const told = new Set();
  return (error) => {
    const kind = error.code ?? error.message;
    if (told.has(kind)) return;
    told.add(kind);
    const said = error.message.replace(/`[^`]*`/g, "`…`"); // what stands in quotes may be the client's words
    say(`${error.code ? `${error.code}: ` : ""}${said}`);
  };
}
