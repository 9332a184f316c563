// The error that the page throws, with a description for the visitor.

import type { Trouble } from "./protocol";

export class TroubleError extends Error {
  constructor(readonly trouble: Trouble) {
    super(trouble.title);
  }
}
