// Whose a conversation is: nothing that one key's owner has said may come into another's requests.

import { createHmac, randomBytes } from "node:crypto";

/** What a client is let in with, and on whose account. */
const CREDENTIALS = ["authorization", "x-api-key", "api-key", "x-goog-api-key", "x-goog-user-project", "openai-organization", "openai-project"];

export class Owners {
  /** So that what is kept is no use to anybody, not even to find the same key again. */
  #salt = randomBytes(32);

  /** A conversation that goes on with another model is another one: its limit, and what refusals taught of it, are that model's. */
  of({ headers, url }, model) {
    const inPath = new URL(url, "http://host").searchParams.get("key"); // Gemini's may stand there
    const said = JSON.stringify([model, inPath, ...CREDENTIALS.map((name) => headers[name])]);
    return createHmac("sha256", this.#salt).update(said).digest("base64");
  }
}
