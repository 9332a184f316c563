// The three tools over MCP: in a custom server, and as the command `contextfold mcp`.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Session } from "contextfold";
import { fileStore } from "contextfold/stores/files";
import { agentTranscript } from "contextfold/testing";

const here = fileURLToPath(new URL(".", import.meta.url));
const CLI = join(here, "node_modules/contextfold/pkg/cli/main.js");
const NAMES = ["tool_output_cache", "tool_output_cache_grep", "search_history"];
let folder;
before(() => (folder = mkdtempSync(join(tmpdir(), "contextfold-mcp-"))));
after(() => rmSync(folder, { recursive: true, force: true }));

async function connected(args, run) {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: here, stderr: "inherit" }));
  try {
    return await run(client);
  } finally {
    await client.close();
  }
}

async function assertServes(client) {
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map(({ name }) => name), NAMES);
  assert.deepEqual(tools[1].inputSchema.required, ["ref_id", "pattern"]);
  const call = async (name, args) => {
    const { content, isError } = await client.callTool({ name, arguments: args });
    return `${isError ? "✗ " : ""}${content[0].text}`;
  };
  assert.match(await call("tool_output_cache", { ref_id: "out_3", offset: 1, limit: 1 }), /src\/file3\.ts:2:/);
  assert.match(await call("tool_output_cache_grep", { ref_id: "out_3", pattern: "file3.ts:7:" }), /value_3_7/);
  assert.match(await call("search_history", { query: "value_5_2 " }), /src\/file5\.ts:2/);
  assert.match(await call("tool_output_cache", { ref_id: "out_999" }), /^✗ Error: .*out_999/);
  assert.match(await call("search_history", {}), /^✗ Error: /);
}

async function folded() {
  const session = new Session({ contextWindow: 4_000 });
  session.push(agentTranscript());
  await session.prepare();
  return session;
}

test("a custom server", async () => {
  const program = join(here, `.mcp-${process.pid}.mjs`);
  writeFileSync(
    program,
    `import { McpServer } from "@modelcontextprotocol/server"; import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
     import { Session } from "contextfold"; import { agentTranscript } from "contextfold/testing"; import { registerMcpTools } from "contextfold/tools";
     const session = new Session({ contextWindow: 4_000 }); session.push(agentTranscript()); await session.prepare();
     const server = new McpServer({ name: "memory", version: "1.0.0" });
     registerMcpTools(server, async () => session);
     await server.connect(new StdioServerTransport());`,
  );
  try {
    await connected([program], assertServes);
  } finally {
    rmSync(program);
  }
});

const noSnapshots = typeof Session.restore !== "function" && "sessions cannot be saved in this build";
describe("contextfold mcp", { skip: noSnapshots }, () => {
  test("--session: a snapshot, read again when it is saved again", async () => {
    const file = join(folder, "chat.snapshot");
    const session = await folded();
    writeFileSync(file, session.snapshot());
    await connected([CLI, "mcp", "--session", file], async (client) => {
      await assertServes(client);
      session.push({ role: "user", content: "And the zebra crossing?" });
      writeFileSync(file, session.snapshot());
      const { content } = await client.callTool({ name: "search_history", arguments: { query: "zebra" } });
      assert.match(content[0].text, /zebra crossing/);
    });
  });

  test("--store: the only session of a folder, or the named one", async () => {
    const store = join(folder, "sessions");
    const path = (key) => join(store, ...key.split(":"));
    const write = (key, value) => (mkdirSync(dirname(path(key)), { recursive: true }), writeFileSync(path(key), value));
    const read = (key, encoding) => (existsSync(path(key)) ? readFileSync(path(key), encoding) : null);
    const written = { getItem: async (key) => read(key, "utf8"), getItemRaw: async (key) => read(key), setItem: async (...item) => write(...item), setItemRaw: async (...item) => write(...item), removeItem: async (key) => rmSync(path(key), { force: true }) };
    await (await folded()).save(written, "chat-1");
    await connected([CLI, "mcp", "--store", store], assertServes);
    await (await folded()).save(written, "chat-2");
    const { status, stderr } = spawnSync(process.execPath, [CLI, "mcp", "--store", store], { encoding: "utf8" });
    assert.equal(status, 2);
    assert.match(stderr, /--key \(chat-1, chat-2\)/);
    await connected([CLI, "mcp", "--store", store, "--key", "chat-2"], assertServes);
  });

  test("--store: a folder of contextfold/stores/files, read again when more is saved", async () => {
    const place = join(folder, "files");
    const store = fileStore(place);
    const session = await folded();
    await session.save(store, "chat-1");
    await connected([CLI, "mcp", "--store", place], async (client) => {
      await assertServes(client);
      session.push({ role: "user", content: "And the zebra crossing?" });
      await session.save(store, "chat-1");
      const { content } = await client.callTool({ name: "search_history", arguments: { query: "zebra" } });
      assert.match(content[0].text, /zebra crossing/);
    });
    await (await folded()).save(store, "chat-2");
    const { status, stderr } = spawnSync(process.execPath, [CLI, "mcp", "--store", place], { encoding: "utf8" });
    assert.equal(status, 2);
    assert.match(stderr, /--key \(chat-1, chat-2\)|--key \(chat-2, chat-1\)/);
  });

  test("a file that is not a snapshot is refused before anybody connects", () => {
    const file = join(folder, "no.snapshot");
    writeFileSync(file, "nonsense");
    const { status, stderr } = spawnSync(process.execPath, [CLI, "mcp", "--session", file], { encoding: "utf8" });
    assert.notEqual(status, 0);
    assert.match(stderr, /SNAPSHOT_INVALID/);
  });
});

test("a message longer than the connection accepts is reported, and the exit code is not 0", { skip: noSnapshots }, async () => {
  const file = join(folder, "long.snapshot");
  writeFileSync(file, (await folded()).snapshot());
  const { status, stderr } = spawnSync(process.execPath, [CLI, "mcp", "--session", file], { encoding: "utf8", input: `${"x".repeat(11 << 20)}\n` });
  assert.equal(status, 3);
  assert.match(stderr, /^contextfold: UNREADABLE: the connection ended: .*10485760 bytes; messages sent here must be shorter\n$/);
});

test("wrong arguments, and its help", () => {
  const run = (...args) => spawnSync(process.execPath, [CLI, "mcp", ...args], { encoding: "utf8" });
  assert.deepEqual([run().status, run("--session", "a", "--store", "b").status, run("file.json").status], [2, 2, 2]);
  assert.equal(run("--session", join(folder, "nowhere")).status, 3);
  assert.match(execFileSync(process.execPath, [CLI, "mcp", "--help"], { encoding: "utf8" }), /contextfold mcp \[options\]/);
});
