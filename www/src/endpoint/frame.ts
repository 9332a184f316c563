// The only place that may send requests: a frame with its own policy. It exists only while a summary is requested, and sends only
// what the page passes to it.

import type { FrameAnswer, FrameRequest } from "./protocol";

addEventListener("message", async ({ data, source, origin }: MessageEvent<FrameRequest>) => {
  if (source !== parent || origin !== location.origin) return;
  const answer: FrameAnswer = await send(data).then(
    (text) => ({ text }),
    (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
  );
  parent.postMessage(answer, location.origin);
});
parent.postMessage("ready", location.origin);

async function send({ url, key, body }: FrameRequest): Promise<string> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify(body),
    credentials: "omit",
    referrerPolicy: "no-referrer",
  }).catch((error: unknown) => {
    throw new Error(`the endpoint cannot be reached, or does not let pages of other places ask it (CORS): ${error instanceof Error ? error.message : error}`);
  });
  const said = await response.text();
  if (!response.ok) throw new Error(`the endpoint answers ${response.status}: ${said.slice(0, 300)}`);
  let answer: unknown;
  try {
    answer = JSON.parse(said);
  } catch {
    throw new Error("the endpoint's answer is no JSON");
  }
  const text = (answer as { choices?: { message?: { content?: unknown } }[] }).choices?.[0]?.message?.content;
  if (typeof text !== "string") throw new Error("the endpoint's answer has no text at choices[0].message.content");
  return text;
}
