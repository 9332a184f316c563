// contextfold mcp: an MCP server (Model Context Protocol) over standard input and output, by which clients read and search a saved
// session.

import { registerMcpTools } from "../../integrations/tools.js";
import { version } from "contextfold";
import { savedSession } from "../saved.js";
import { EXIT, Failure, unreadable } from "../failure.js";

export async function mcp(flags) {
  const session = savedSession(flags);
  await session(); // so that an unreadable session is reported before anybody connects
  const { McpServer, StdioServerTransport } = await sdk();
  const server = new McpServer({ name: "contextfold", version: version() });
  registerMcpTools(server, session);
  let failed; // the error that ended the connection, unless somebody closed it
  server.server.onerror = (error) => (failed = error);
  const closed = new Promise((done) => {
    process.stdin.once("end", done);
    server.server.onclose = done;
  });
  await server.connect(new StdioServerTransport());
  await closed;
  if (failed && !process.stdin.readableEnded && failed.code !== "EPIPE")
    throw unreadable(`the connection ended: ${failed.message}; messages sent here must be shorter`);
  return EXIT.fine;
}

async function sdk() {
  try {
    const [{ McpServer }, { StdioServerTransport }] = await Promise.all([import("@modelcontextprotocol/server"), import("@modelcontextprotocol/server/stdio")]);
    return { McpServer, StdioServerTransport };
  } catch (error) {
    if (error?.code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new Failure(
      EXIT.usage,
      "USAGE",
      "mcp needs a package beside this one: npm install @modelcontextprotocol/server@2, or, without installing anything, npx -p contextfold -p @modelcontextprotocol/server@2 contextfold mcp --session FILE",
    );
  }
}
