// `npm run docs`: builds the API reference as a site in `api`, from the package's declarations. Typedoc, and the SDKs whose types occur
// in the declarations, are installed in tests/integrations. An export without a doc comment is an error.
//
//   node scripts/docs.mjs --check     only checks, on the copy of the package in tests/integrations

import { join } from "node:path";
import { install } from "./lib/installed.mjs";
import { root } from "./lib/paths.mjs";
import { must } from "./lib/run.mjs";
import { stores } from "./lib/stores.mjs";

const folder = "tests/integrations";
install(folder);
const isCheck = process.argv.includes("--check");
if (!isCheck) (await import("../tests/integrations/place.mjs")).placePackage();

const pkg = "node_modules/contextfold/pkg";
const integrations = ["ai-sdk", "openai", "anthropic", "google", "openai-agents", "langchain", "tools", "testing", "opentelemetry", "react", "mastra", "pi", "ai-sdk-ui", "proxy", "langgraph", "opencode", "openclaw", "claude-agent", "bedrock"];
const entries = ["index", ...integrations.map((name) => `integrations/${name}`), ...stores, "transcript/index"];
const DOCUMENTED = ["Class", "Interface", "TypeAlias", "Function", "Variable", "Accessor", "Method", "EnumMember"];
must(
  join(root, folder, "node_modules/.bin/typedoc"),
  [
    ...entries.map((name) => `${pkg}/${name}.d.ts`),
    ...["--tsconfig", "types/reference.json", "--skipErrorChecking", "--exclude", "**/never/**", "--excludeExternals", "false"],
    ...["--name", "contextfold", "--readme", join(root, "README.md"), "--out", join(root, "api"), "--disableSources"],
    ...["--validation.notDocumented", "true", "--validation.invalidLink", "true", ...DOCUMENTED.flatMap((kind) => ["--requiredToBeDocumented", kind])],
    ...["--treatValidationWarningsAsErrors", "true", "--logLevel", "Warn", ...(isCheck ? ["--emit", "none"] : [])],
  ],
  { cwd: join(root, folder) },
);
