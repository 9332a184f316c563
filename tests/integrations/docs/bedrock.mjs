export const messages = [{ role: "user", content: [{ text: "Why does the build fail?" }] }];
export const tools = [{ toolSpec: { name: "build", inputSchema: { json: { type: "object", properties: { n: { type: "number" } } } } } }];
