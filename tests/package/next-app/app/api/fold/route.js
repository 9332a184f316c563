import * as contextfold from "contextfold";
import { prepareStep } from "contextfold/ai-sdk";
import { fold } from "../../fold.js";

export async function GET() {
  prepareStep({ contextWindow: 1_000 });
  const { tokens, folds } = await fold(contextfold);
  return Response.json([tokens, folds]);
}
