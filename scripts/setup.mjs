// `npm run setup`: installs everything that building needs from the package registries; with --browsers, --redis and --stores
// also what testing needs.
// Fast if everything is there. Needs Rust (rustup, cargo) and Node; uses only Node's own modules.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hashOf } from "./lib/hash.mjs";
import { install } from "./lib/installed.mjs";
import { readNote, writeNote } from "./lib/notes.mjs";
import { env, root } from "./lib/paths.mjs";
import { fail, must, mustFetch, output, which } from "./lib/run.mjs";

const WASM_PACK = "0.15.1";
const TARGET = "wasm32-unknown-unknown";

checkNode();
checkRust();
addToolchainParts();
installPackages();
installBindgen();
installWasmPack();
if (process.argv.includes("--browsers")) installBrowsers();
if (process.argv.includes("--redis")) installRedis();
if (process.argv.includes("--stores")) installStores();

function checkNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 16)) fail(`Node 20.16 or newer is needed; this is ${process.versions.node}`);
}

function checkRust() {
  if (!which("rustup") || !which("cargo"))
    fail("Rust is needed, with rustup: see https://rustup.rs, then run this again");
  const channel = /channel = "(.+)"/.exec(readFileSync(join(root, "rust-toolchain.toml"), "utf8"))[1];
  if (output("cargo", ["--version"]) !== null) return;
  // rustup does not install toolchains on its own if RUSTUP_AUTO_INSTALL=0.
  step(`installing Rust ${channel}`);
  mustFetch("rustup", ["toolchain", "install", channel, "--profile", "minimal", "--no-self-update"]);
}

function addToolchainParts() {
  const installed = output("rustup", ["component", "list", "--installed"]) ?? "";
  if (!installed.includes(`rust-std-${TARGET}`)) {
    step(`adding the Rust target ${TARGET}`);
    mustFetch("rustup", ["target", "add", TARGET]);
  }
  const missing = ["rustfmt", "clippy"].filter((name) => !installed.includes(name));
  if (missing.length > 0) {
    step(`adding ${missing.join(" and ")}`);
    mustFetch("rustup", ["component", "add", ...missing]);
  }
}

function installPackages() {
  const lock = hashOf(["package-lock.json"]);
  if (readNote("installed") === lock && which("wasm-opt") && which("esbuild")) return;
  step("installing npm packages");
  mustFetch("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
  writeNote("installed", lock);
}

/** `wasm-bindgen` and its test runner refuse to work with another version than the crate's. */
function installBindgen() {
  const locked = /name = "wasm-bindgen"\nversion = "(.+)"/.exec(readFileSync(join(root, "Cargo.lock"), "utf8"))[1];
  const found = output("wasm-bindgen", ["--version"]);
  if (found === `wasm-bindgen ${locked}` && which("wasm-bindgen-test-runner")) return;
  step(`building wasm-bindgen ${locked}${found ? ` (instead of ${found})` : ""}`);
  cargoInstall(["--path", "scripts/bindgen-tools"]);
}

function installWasmPack() {
  const found = output("wasm-pack", ["--version"]);
  if (found === `wasm-pack ${WASM_PACK}`) return;
  step(`building wasm-pack ${WASM_PACK}${found ? ` (instead of ${found})` : ""}`);
  cargoInstall(["wasm-pack", "--version", WASM_PACK]);
}

/** Installs a debug build without debug information: it builds in half the time, and is fast enough for these tools. */
function cargoInstall(args) {
  mustFetch("cargo", ["install", "--locked", "--debug", "--force", "--quiet", ...args], {
    env: { ...env, CARGO_PROFILE_DEV_DEBUG: "false" },
  });
}

function installBrowsers() {
  const missing = [];
  if (!which("chromium", "chromium-browser", "google-chrome")) missing.push("chromium");
  if (!which("chromedriver")) missing.push("chromium-driver");
  if (!which("firefox-esr", "firefox")) missing.push("firefox-esr");
  if (!which("WebKitWebDriver")) missing.push("webkit2gtk-driver");
  if (!which("xvfb-run")) missing.push("xvfb", "xauth");
  if (missing.length === 0) return;
  if (!canInstall()) fail(`the browser tests need Chromium with chromedriver, Firefox, and WebKitGTK with Xvfb; install ${missing.join(" and ")}`);
  installDebian(missing);
}

/** Installs Redis for the tests of stores. If it cannot be installed, they say so and go on without it. */
function installRedis() {
  if (which("redis-server")) return;
  if (canInstall()) installDebian(["redis-server"]);
  else console.log("▸ redis-server is missing and cannot be installed here: the tests of stores go without it");
}

/** Installs the servers that the stores are tested with, and their clients. If one cannot be installed, its tests say so and are skipped. */
function installStores() {
  install("tests/stores/clients");
  const missing = [];
  if (!which("redis-server")) missing.push("redis-server");
  if (!which("initdb") && !existsSync("/usr/lib/postgresql")) missing.push("postgresql");
  if (!existsSync("/usr/sbin/pgbouncer") && !which("pgbouncer")) missing.push("pgbouncer");
  if (output("python3", ["-c", "import ensurepip, venv"]) === null) missing.push("python3", "python3-venv");
  if (missing.length > 0 && canInstall()) installDebian(missing);
  else if (missing.length > 0) console.log(`▸ ${missing.join(" and ")} cannot be installed here: the tests of stores go without`);
  installMoto();
}

/** Installs moto, a server that speaks S3, in its own Python environment. */
function installMoto() {
  const python = join(root, "tests/.cache/moto/bin/python");
  const wanted = hashOf(["tests/stores/requirements.txt"]);
  if (readNote("moto") === wanted && existsSync(python)) return;
  if (output("python3", ["-c", "import ensurepip, venv"]) === null) return console.log("▸ Python is missing: the tests of stores go without S3");
  step("installing moto");
  must("python3", ["-m", "venv", "--clear", join(root, "tests/.cache/moto")]);
  mustFetch(python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", "tests/stores/requirements.txt"]);
  writeNote("moto", wanted);
}

function canInstall() {
  return process.getuid?.() === 0 && which("apt-get");
}

function installDebian(missing) {
  step(`installing ${missing.join(" and ")}`);
  const apt = { env: { ...env, DEBIAN_FRONTEND: "noninteractive" } };
  mustFetch("apt-get", ["update", "-q=2"], apt);
  mustFetch("apt-get", ["install", "-y", "-q=2", "--no-install-recommends", ...missing], apt);
}

function step(what) {
  console.log(`▸ ${what}`);
}
