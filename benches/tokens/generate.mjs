// Seeded texts, so that a run can be repeated.

/** Random numbers from 0 to below 1 (mulberry32). */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const int = (next, bound) => Math.floor(next() * bound);
const pick = (next, list) => list[int(next, list.length)];
const hex = (next, length) => Array.from({ length }, () => int(next, 16).toString(16)).join("");
const uuid = (next) => [8, 4, 4, 4, 12].map((n) => hex(next, n)).join("-");

export function shuffled(list, next) {
  const out = [...list];
  for (let i = out.length - 1; i > 0; i--) {
    const j = int(next, i + 1);
    [out[i], out[j]] = [out[j], out[i]];
  }
  return out;
}

const WORDS = ("user account payment invoice status created updated pending shipped warehouse region customer discount session token request response queue worker retry timeout connection database schema index cluster shard replica backup release branch commit merge review comment author title summary description priority label milestone").split(" ");
const NAMES = ["Ada Novak", "Björn Weiss", "Chen Li", "Dolores Ruiz", "Emeka Obi", "Fatima Zahra", "Grace Kim", "Hugo Martin"];
const HOSTS = ["api", "auth", "billing", "search", "media", "edge"];
const PATHS = ["/v1/orders", "/v2/users", "/healthz", "/static/app.js", "/login", "/v1/search", "/metrics", "/assets/logo.svg"];
const stamp = (next) => new Date(1_700_000_000_000 + int(next, 60_000_000) * 1000 + int(next, 1000)).toISOString();
const phrase = (next, n) => Array.from({ length: n }, () => pick(next, WORDS)).join(" ");

const record = (next) => {
  const out = {};
  for (let i = 3 + int(next, 8); i > 0; i--) out[pick(next, WORDS)] = jsonValue(next, 1);
  return out;
};

function jsonValue(next, depth) {
  const kinds = depth > 2 ? 8 : 11;
  switch (int(next, kinds)) {
    case 0: return int(next, 10);
    case 1: return int(next, 1_000_000);
    case 2: return Math.round(next() * 1e5) / 100;
    case 3: return next() < 0.5;
    case 4: return null;
    case 5: return phrase(next, 1 + int(next, 9));
    case 6: return pick(next, [uuid, stamp, (n) => hex(n, 40), (n) => `https://${pick(n, HOSTS)}.example.com${pick(n, PATHS)}?page=${int(n, 40)}`])(next);
    case 7: return pick(next, NAMES);
    case 8: return Array.from({ length: int(next, 6) }, () => jsonValue(next, depth + 1));
    default: {
      const out = {};
      for (let i = 2 + int(next, 7); i > 0; i--) out[pick(next, [pick(next, WORDS), `${pick(next, WORDS)}_${pick(next, WORDS)}`, `${pick(next, WORDS)}Id`])] = jsonValue(next, depth + 1);
      return out;
    }
  }
}

/** An array of records, as a tool would return it: compact, or indented by two or four. */
export function jsonText(next) {
  const indent = pick(next, [0, 0, 2, 2, 4]);
  const records = Array.from({ length: 12 + int(next, 40) }, (_, i) => ({ id: i, ...record(next) }));
  return JSON.stringify(records, null, indent);
}

/** Lines of one program's log: of a server, a build or a shell. */
export function logText(next) {
  const line = pick(next, [
    () => `${stamp(next)} ${pick(next, ["INFO", "WARN", "ERROR", "DEBUG"])} [${pick(next, HOSTS)}-${int(next, 9)}] ${pick(next, ["GET", "POST"])} ${pick(next, PATHS)} ${pick(next, [200, 201, 404, 500])} ${int(next, 900)}ms trace=${hex(next, 16)}`,
    () => `10.${int(next, 256)}.${int(next, 256)}.${int(next, 256)} - - [${int(next, 28) + 1}/Oct/2025:${int(next, 24)}:${int(next, 60)}:${int(next, 60)} +0000] "GET ${pick(next, PATHS)} HTTP/1.1" ${pick(next, [200, 304, 404])} ${int(next, 90000)} "-" "curl/8.4.0"`,
    () => `   Compiling ${pick(next, WORDS)}-${pick(next, WORDS)} v${int(next, 3)}.${int(next, 30)}.${int(next, 20)} (/build/${pick(next, WORDS)}/${pick(next, WORDS)})`,
    () => `-rw-r--r-- 1 root root ${String(int(next, 900000)).padStart(8)} Oct ${int(next, 28) + 1} ${String(int(next, 24)).padStart(2, "0")}:${String(int(next, 60)).padStart(2, "0")} ${pick(next, WORDS)}_${pick(next, WORDS)}.${pick(next, ["log", "txt", "json", "rs", "py"])}`,
    () => `  File "/srv/app/${pick(next, WORDS)}/${pick(next, WORDS)}.py", line ${int(next, 900)}, in ${pick(next, WORDS)}_${pick(next, WORDS)}\n    return self.${pick(next, WORDS)}(${pick(next, WORDS)}=${int(next, 100)})`,
    () => `ok ${int(next, 400)} - ${phrase(next, 5)} # ${Math.round(next() * 1e4) / 1e3}s`,
    () => `[${int(next, 90000)}.${int(next, 1e6)}] ${pick(next, ["usb", "eth0", "nvme0n1", "EXT4-fs"])}: ${phrase(next, 4)} 0x${hex(next, 8)}`,
  ]);
  return Array.from({ length: 80 + int(next, 120) }, line).join("\n");
}

/** Lines of random bytes in base64. */
export function base64Text(next, size) {
  const bytes = Uint8Array.from({ length: Math.floor((size * 3) / 4) }, () => int(next, 256));
  const text = Buffer.from(bytes).toString("base64");
  return next() < 0.5 ? text : text.replace(/.{76}/g, "$&\n");
}

/** A log in a terminal's colours. */
export function colouredText(next, length) {
  const coloured = (code, text) => `\x1b[${code}m${text}\x1b[${pick(next, ["0", "39", "22"])}m`;
  const line = () => [coloured(pick(next, ["2", "90"]), stamp(next)), coloured(`1;3${int(next, 8)}`, pick(next, ["INFO", "WARN", "error", "debug"])), coloured(`38;5;${int(next, 256)}`, pick(next, PATHS)), phrase(next, 3 + int(next, 8)), coloured("33", `${int(next, 900)} ms`)].join(" ");
  let out = "";
  while (out.length < length) out += `${line()}\n`;
  return out;
}
