// Requests on their way out: bodies are JSON text here.

const REFUSED = new Set([400, 413, 422]);

/**
 * Sends a request whose body fits, and once more where it is refused as too long all the same.
 *
 * @param send takes the body's text, gives the response
 */
export async function sendFitting(keeper, text, { signal, send }) {
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    return send(text); // no JSON: none of ours
  }
  const fitting = await keeper.fit(body, { signal });
  const response = await send(fitting.body === body ? text : JSON.stringify(fitting.body));
  if (REFUSED.has(response.status)) {
    const smaller = await keeper.recovered(fitting.conversation, fitting.body, await textOf(response), { signal });
    return smaller ? send(JSON.stringify(smaller)) : response;
  }
  if (fitting.conversation && isJson(response)) {
    const { usage } = await response.clone().json().catch(() => ({}));
    keeper.record(fitting.conversation, usage);
  }
  return response;
}

const textOf = (response) => response.clone().text();
const isJson = (response) => response.ok && /\bjson\b/.test(response.headers.get("content-type") ?? "");
