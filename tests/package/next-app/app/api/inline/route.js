import init, * as contextfold from "contextfold/inline";
import { fold } from "../../fold.js";

export async function GET() {
  await init();
  const { tokens, folds } = await fold(contextfold);
  return Response.json([tokens, folds]);
}
