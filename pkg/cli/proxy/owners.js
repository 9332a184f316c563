// Which client a conversation belongs to: nothing from one key's owner may get into another's requests.

import { createHmac, randomBytes } from "node:crypto";

/** What a client is let in with, and on whose account. */
const CREDENTIALS = ["authorization", "x-api-key", "api-key", "x-goog-api-key", "x-goog-user-project", "openai-organization", "openai-project"];

export class Owners {
  /** So that the stored digest is useless to others, even for recognising a key. */
  #salt = randomBytes(32);

  /** A conversation that goes on with another model is another one: its limit, and what refusals taught of it, are that model's. */
  of({ headers, url }, model) {
    const inPath = new URL(url, "http://host").searchParams.get("key"); // Gemini's may stand there
    const said = JSON.stringify([model, inPath, ...CREDENTIALS.map((name) => headers[name])]);
    return createHmac("sha256", this.#salt).update(said).digest("base64");
  }
}
