"use client";
import { useEffect, useState } from "react";
import init, * as contextfold from "contextfold/inline";
import { fold } from "../fold.js";
import { useSession } from "contextfold/react";

export default function Page() {
  const [session, setSession] = useState(null);
  const { tokens, folds } = useSession(session);
  useEffect(() => {
    init().then(() => fold(contextfold)).then(({ session }) => setSession(session), (error) => console.error(error));
  }, []);
  return <p id="out">{session ? `${tokens} ${folds.length}` : ""}</p>;
}
