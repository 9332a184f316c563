// Identifies the client that a conversation belongs to, so that nothing from one client gets into another's requests.

import { createHmac, randomBytes } from "node:crypto";

/** Headers with the client's credentials and account. */
const CREDENTIALS = ["authorization", "x-api-key", "api-key", "x-goog-api-key", "x-goog-user-project", "openai-organization", "openai-project"];

export class Owners {
  /** Makes the stored digests useless to others, even for recognising a key. */
  #salt = randomBytes(32);

  /** The model is included, because limits, also those learnt from refusals, are per model: with another one it is another conversation. */
  of({ headers, url }, model) {
    const inPath = new URLSearchParams(url.split("?")[1]).get("key"); // Gemini's key may be in the URL
    const said = JSON.stringify([model, inPath, ...CREDENTIALS.map((name) => headers[name])]);
    return createHmac("sha256", this.#salt).update(said).digest("base64");
  }
}
