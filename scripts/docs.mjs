// `npm run docs`: the API reference as a site in `api`, from the declarations that the package carries. Typedoc and the SDKs whose
// types stand in them are those of tests/integrations.

import { join } from "node:path";
import { install } from "./lib/installed.mjs";
import { root } from "./lib/paths.mjs";
import { must } from "./lib/run.mjs";

const folder = "tests/integrations";
install(folder);
const { placePackage } = await import("../tests/integrations/place.mjs");
placePackage();

const pkg = "node_modules/contextfold/pkg";
const integrations = ["ai-sdk", "openai", "anthropic", "openai-agents", "langchain", "tools", "testing", "opentelemetry"];
must(
  join(root, folder, "node_modules/.bin/typedoc"),
  [
    ...["index", ...integrations.map((name) => `integrations/${name}`)].map((name) => `${pkg}/${name}.d.ts`),
    ...["--tsconfig", "types/tsconfig.json", "--skipErrorChecking", "--exclude", "**/never/**", "--excludeExternals", "false"],
    ...["--name", "contextfold", "--readme", join(root, "README.md"), "--out", join(root, "api")],
    ...["--disableSources", "--treatWarningsAsErrors", "false", "--logLevel", "Error"],
  ],
  { cwd: join(root, folder) },
);
