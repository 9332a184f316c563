// Asks an OpenAI-compatible endpoint through a frame, because the page itself may not send requests.

import type { FrameAnswer, FrameRequest } from "./protocol";

/** The URL for chat completions of an endpoint. The visitor may have typed the path or not. */
export function completionsUrl(base: string): string {
  const url = new URL(base);
  if (!/^https?:$/.test(url.protocol)) throw new Error("give an address that begins with https:// or http://");
  return /\/chat\/completions\/?$/.test(url.pathname) ? url.href : `${url.href.replace(/\/$/, "")}/chat/completions`;
}

/** Resolves to the text of the endpoint's answer. */
export function askEndpoint(request: FrameRequest): Promise<string> {
  const frame = document.createElement("iframe");
  frame.hidden = true;
  frame.title = "The way to the endpoint";
  frame.src = "./ask.html";
  return new Promise<string>((resolve, reject) => {
    const listen = ({ data, source }: MessageEvent<FrameAnswer | "ready">) => {
      if (source !== frame.contentWindow) return;
      if (data === "ready") return frame.contentWindow!.postMessage(request, location.origin);
      removeEventListener("message", listen);
      frame.remove();
      if ("text" in data) resolve(data.text);
      else reject(new Error(data.error));
    };
    addEventListener("message", listen);
    document.body.append(frame);
  });
}
