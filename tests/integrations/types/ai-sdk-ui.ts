// Compiled, not run: what a user of `useChat` writes, with `ai` 6 and 7.

import { useChat } from "@ai-sdk/react";
import { type ModelMessage, type UIMessage, streamText } from "ai";
import * as six from "ai-6";
import { useChat as useChat6 } from "ai-sdk-react-3";
import { Session } from "contextfold";
import { type FoldDivider, type FoldMetadata, type FoldedSteps, foldMetadata, foldsOf, updateFolds, withFolds } from "contextfold/ai-sdk-ui";

type Mine = UIMessage<FoldMetadata & { model?: string }>;
type Mine6 = six.UIMessage<FoldMetadata>;
declare const result: ReturnType<typeof streamText>;
declare const result6: ReturnType<typeof six.streamText>;
const session = new Session();

export function server(messages: Mine[], messages6: Mine6[]): Response[] {
  const tell = foldMetadata(session, messages);
  return [
    result.toUIMessageStreamResponse<Mine>({ originalMessages: messages, messageMetadata: tell }),
    result.toUIMessageStreamResponse<Mine>({ messageMetadata: (about) => ({ ...tell(about), model: "m" }) }),
    result6.toUIMessageStreamResponse<Mine6>({ originalMessages: messages6, messageMetadata: foldMetadata(session, messages6) }),
    Response.json(foldsOf(session)),
  ];
}

export function page(): string {
  const { messages, setMessages } = useChat<Mine>();
  const { messages: messages6, setMessages: setMessages6 } = useChat6<Mine6>();
  const folds: FoldedSteps[] = foldsOf(session);
  setMessages(updateFolds(messages, folds));
  setMessages6(updateFolds(messages6, folds));
  return withFolds(messages)
    .map((entry) => {
      if (entry.role !== "fold") return entry.metadata?.model ?? entry.id;
      const divider: FoldDivider<Mine> = entry;
      return `${divider.steps} ${divider.tokens_folded} ${divider.folded[0]?.parts.length}`;
    })
    .concat(withFolds(messages6).map((entry) => (entry.role === "fold" ? entry.summary : entry.role)))
    .join();
}

// @ts-expect-error these are model messages
withFolds([] as ModelMessage[]);
