// Compiled, not run: what a user of `@aws-sdk/client-bedrock-runtime` writes.

import { BedrockRuntimeClient, ConverseCommand } from "@aws-sdk/client-bedrock-runtime";
import { Session } from "contextfold";
import { plugin } from "contextfold/bedrock";

const client = new BedrockRuntimeClient({ region: "us-east-1" });
const session = new Session({ contextWindow: 200_000 });
client.middlewareStack.use(plugin({ session, strict: true, cacheMarks: 4 }));

// Inputs and outputs have the SDK's own types.
const modelId = "us.amazon.nova-pro-v1:0";
const { output } = await client.send(new ConverseCommand({ modelId, ...session.view("bedrock-converse") }));
if (output?.message) session.pushFrom("bedrock-converse", [output.message]);
client.middlewareStack.use(
  plugin({
    contextWindow: 200_000,
    summarize: async (request) => {
      const answer = await client.send(new ConverseCommand({ modelId, ...request.as("bedrock-converse") }));
      const text = answer.output?.message?.content?.map((block) => block.text ?? "").join("") ?? "";
      return { text, ...(answer.stopReason && { finish_reason: answer.stopReason }) };
    },
  }),
);
// @ts-expect-error no such option
plugin({ contextWindow: 200_000, cacheMarks: "4" });
