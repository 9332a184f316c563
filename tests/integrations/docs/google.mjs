export const contents = [{ role: "user", parts: [{ text: "Why does the build fail?" }] }];
export const tools = [{ functionDeclarations: [{ name: "build", parametersJsonSchema: { type: "object", properties: { n: { type: "number" } } } }] }];
