// Compiled, not run: what a user of `@google/genai` writes.

import { GoogleGenAI, type Content } from "@google/genai";
import { Session, toolDefinitions } from "contextfold";
import { fittingFetch } from "contextfold/google";

const session = new Session({ contextWindow: 200_000 });
const ai: GoogleGenAI = new GoogleGenAI({
  apiKey: "none",
  httpOptions: {
    fetch: fittingFetch({
      model: "gemini-2.5-pro",
      summarize: async (request) => {
        const answer = await ai.models.generateContent({ model: "gemini-2.5-flash", ...request.as("gemini") });
        return { text: answer.text ?? "", usage: answer.usageMetadata };
      },
    }),
  },
});
new GoogleGenAI({ apiKey: "none", httpOptions: { fetch: fittingFetch({ session, strict: true }) } });

// Inputs and outputs have the SDK's own types.
const history: Content[] = ai.chats.create({ model: "gemini-2.5-pro" }).getHistory();
session.sync("gemini", history);
const { systemInstruction, contents } = session.view("gemini");
const config = { ...(systemInstruction && { systemInstruction }), tools: [{ functionDeclarations: toolDefinitions("gemini") }] };
const response = await ai.models.generateContent({ model: "gemini-2.5-pro", contents, config });
session.pushFrom("gemini", response);
session.recordUsage(response.usageMetadata ?? {});

// @ts-expect-error no such option
fittingFetch({ contextWindw: 1 });
