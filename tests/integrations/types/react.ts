import { Session, type FoldInfo, type Message, type Report, type Undone } from "contextfold";
import { useSession, type SessionState } from "contextfold/react";

export function Gauge(session: Session | null): string {
  const { view, folds, report, tokens, limit, unfold } = useSession(session);
  const messages: Message[] = view;
  const found: FoldInfo | undefined = folds[0];
  const last: Report | null = report;
  const undone: Undone | undefined = found && unfold(found.id, { hold: true });
  const state: SessionState<"openai-responses"> = useSession(session, { format: "openai-responses" });
  return [messages.length, last?.tokens_after, tokens, limit, undone?.notice, state.view.input.length].join();
}
