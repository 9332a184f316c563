// Removes from a tool's output what belongs to the machine or the moment and not to the repository.
import { homedir, hostname } from "node:os";

const INDEX = /\b(registry|sparse)\+https?:\/\/[^\s"')]+/g;
const REGISTRY = /https?:\/\/(?:[\w.-]*registry[\w.-]*|(?:static\.|index\.)?crates\.io)(?::\d+)?(?:\/[^\s"')]*)?/g;
/** Colours. rustfmt writes them even to a file if the terminal's name promises them. */
const COLOUR = /\x1b(?:\[[\d;]*[A-Za-z]|\(B)/g;
/** Lines that cargo prints or not, depending on its caches and locks and on how busy the machine is. */
const NOISE = /^\s*(?:(?:Blocking|Downloading|Downloaded|Updating|Locking|Fetching|Adding)\b.*|test .* has been running for over .*)\n/gm;

/** `file` is for the contents of files and history, `run` for the output of a command. */
export function makeScrubber({ repo, target }) {
  const places = [
    [`${target}/`, "target/"],
    [target, "target"],
    [`${repo}/`, ""],
    [repo, "."],
    [`${homedir()}/`, "~/"],
  ];
  const withoutPlaces = (text) => {
    let out = text;
    for (const [place, name] of places) out = out.replaceAll(place, name);
    return out.replace(INDEX, "$1+index").replace(REGISTRY, "https://registry");
  };
  const run = (text) =>
    sortTestLines(
      withoutPlaces(text)
        .replace(COLOUR, "")
        .replace(NOISE, "")
        .replace(/(\bin )\d+(?:\.\d+)?m?s\b/g, "$10.00s")
        .replace(/(\bin )\d+m \d+s\b/g, "$10.00s")
        .replace(/(\/deps\/\w+)-[0-9a-f]{16}\b/g, "$1")
        .replace(/^(thread '.*') \(\d+\) panicked/gm, "$1 panicked"),
    );
  return { file: withoutPlaces, run };
}

/** Sorts test lines, because tests run in parallel and report in any order. */
function sortTestLines(text) {
  return text.replace(/(?:^test \S.* \.\.\. .*\n)+/gm, (block) => block.split(/(?<=\n)/).sort().join(""));
}

/** Names of this machine that are still in `text`, although the scrubber should have removed them. */
export function leaks(text, { repo, target }, source) {
  const home = homedir();
  const names = [repo, target, source, `${home}/`, hostname(), process.env.USER, process.env.LOGNAME];
  return names.filter((name) => name && name.length > 4 && text.includes(name));
}
