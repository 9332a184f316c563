// Installs what only suites need: SDKs, runtimes, the stores' clients, and models' tokenizers, from lock files of their own. Each suite
// also installs its own, so that it can be run by hand; here no two of them do so at the same time.

import { install } from "./lib/installed.mjs";

for (const folder of ["tests/package/runtimes", "tests/integrations", "tests/integrations/claude-agent", "tests/tokenizers"]) install(folder);
