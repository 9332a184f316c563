import * as contextfold from "contextfold";
import { fold } from "./fold.js";

export const dynamic = "force-dynamic";
export default async function Page() {
  const { tokens, folds } = await fold(contextfold);
  return <p id="out">{tokens} {folds}</p>;
}
