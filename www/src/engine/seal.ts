// Takes every way out of the worker away. The page's policy forbids other places already; a worker, though, is under
// the policy of its own response, which a static host may not send.

const WAYS_OUT = ["fetch", "XMLHttpRequest", "WebSocket", "WebSocketStream", "WebTransport", "EventSource", "importScripts", "Worker"];

/** From here on, nothing that runs here can send anything but messages to the page. */
export function seal(): void {
  for (const name of WAYS_OUT) Object.defineProperty(globalThis, name, { value: undefined, configurable: false, writable: false });
}
