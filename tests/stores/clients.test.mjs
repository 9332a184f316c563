// The types of the clients.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { missing } from "./servers.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("each client's own types are accepted by its store", { skip: missing.clients }, () =>
  promisify(execFile)(process.execPath, ["node_modules/typescript/bin/tsc", "--project", "tests/stores/clients"], { cwd: root }).catch(({ stdout }) => assert.fail(stdout)));
