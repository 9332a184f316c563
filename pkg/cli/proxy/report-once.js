/** Reports each kind of failure only once, so that an agent with a thousand calls does not fill the terminal. */
export function reportOnce(say) {
  const told = new Set();
  return (error) => {
    const kind = error.code ?? error.message;
    if (told.has(kind)) return;
    told.add(kind);
    const said = error.message.replace(/`[^`]*`/g, "`…`"); // what stands in quotes may be the client's words
    say(`${error.code ? `${error.code}: ` : ""}${said}`);
  };
}
