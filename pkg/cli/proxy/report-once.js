/** Reports each kind of failure only once, so that an agent with a thousand calls does not fill the terminal. */
export function reportOnce(report) {
  const reportedKinds = new Set();
  return (error) => {
    const kind = error.code ?? error.message;
    if (reportedKinds.has(kind)) return;
    reportedKinds.add(kind);
    const withoutQuotes = error.message.replace(/`[^`]*`/g, "`…`"); // what stands in quotes may be the client's words
    report(`${error.code ? `${error.code}: ` : ""}${withoutQuotes}`);
  };
}
