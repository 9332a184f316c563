// A Redis for tests that may go without: it is started like those of the stores' own tests.

import { which } from "../../scripts/lib/run.mjs";

export { startRedis } from "../stores/servers.mjs";

/** If redis-server is missing, a line that says so; otherwise null. */
export const missingRedis = which("redis-server") ? null : "redis-server is missing: `npm run setup -- --redis`";
