// What the page throws: an error in words for the visitor.

import type { Trouble } from "./protocol";

export class TroubleError extends Error {
  constructor(readonly trouble: Trouble) {
    super(trouble.title);
  }
}
