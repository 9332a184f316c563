import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { fileStore } from "../../pkg/stores/files.js";
import { contract } from "./contract.mjs";

const folder = mkdtempSync(join(tmpdir(), "contextfold-files-"));
after(() => rmSync(folder, { recursive: true, force: true }));

contract("files", async () => fileStore(join(folder, "synced")));
contract("files, not synced", async () => fileStore(join(folder, "fast"), { fsync: false }));
