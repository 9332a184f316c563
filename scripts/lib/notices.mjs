// Writes pkg/THIRD-PARTY-NOTICES.txt: the licences of the third-party code in the modules and vocabularies.

import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./paths.mjs";
import { fail, output } from "./run.mjs";

/** The crates that the modules are built from. */
const OURS = ["contextfold", "tokenizer"];
const RULE = `\n${"-".repeat(80)}\n\n`;

export function writeNotices() {
  const texts = new Map(); // by licence text: the crates under it
  for (const crate of linkedCrates()) {
    const licences = licencesOf(crate);
    if (licences.length === 0) fail(`${crate.name} has no text of its licence (${crate.license}): put one into scripts/notices`);
    for (const text of licences) texts.set(text, [...(texts.get(text) ?? []), `${crate.name} ${crate.version}`]);
  }
  const others = readdirSync(join(root, "scripts/notices")).sort().map((name) => readFileSync(join(root, "scripts/notices", name), "utf8").trim());
  const head = "The modules and vocabularies of this package contain work of others, under these licences. Where a work is offered\nunder several, it is the MIT licence that was taken.";
  const sections = [head, ...others, ...[...texts].map(([text, crates]) => `${crates.join(", ")}\n\n${text}`)];
  writeFileSync(join(root, "pkg/THIRD-PARTY-NOTICES.txt"), `${sections.join(`\n${RULE}`)}\n`);
}

/** The third-party crates whose code is in a module: run-time dependencies, not build tools. */
function linkedCrates() {
  const told = output("cargo", ["metadata", "--locked", "--format-version", "1", "--filter-platform", "wasm32-unknown-unknown"]) ?? fail("cargo does not say what the modules are made of");
  const { packages, resolve } = JSON.parse(told);
  const crates = new Map(packages.map((crate) => [crate.id, crate]));
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
  const linked = new Set(packages.filter(({ name, source }) => !source && OURS.includes(name)).map(({ id }) => id));
  for (const id of linked)
    for (const { pkg, dep_kinds } of nodes.get(id).deps)
      if (dep_kinds.some(({ kind }) => kind === null) && !crates.get(pkg).targets.some(({ kind }) => kind.includes("proc-macro"))) linked.add(pkg);
  return [...linked].map((id) => crates.get(id)).filter(({ source }) => source).sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** The MIT licence where offered, and the licences of data inside the crate. */
function licencesOf({ manifest_path, license }) {
  const folder = dirname(manifest_path);
  const files = readdirSync(folder, { recursive: true }).filter((path) => /(^|[\\/])LICEN[CS]E[^\\/]*$/i.test(path)).sort();
  const all = files.filter((path) => !/[\\/]/.test(path) && !/unicode/i.test(path));
  const mit = /\bMIT\b/.test(license) ? all.filter((path) => /mit/i.test(path)) : [];
  const data = files.filter((path) => /unicode/i.test(path));
  return [...(mit.length > 0 ? mit : all), ...data].map((path) => readFileSync(join(folder, path), "utf8").replaceAll("\r\n", "\n").trim());
}
