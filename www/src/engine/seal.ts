// Removes every way to send data from the worker. The page's policy already forbids other hosts; but a worker is subject to the
// policy of its own response, which a static host may not send.

const WAYS_OUT = ["fetch", "XMLHttpRequest", "WebSocket", "WebSocketStream", "WebTransport", "EventSource", "importScripts", "Worker"];

/** After this, code in the worker can only send messages to the page. */
export function seal(): void {
  for (const name of WAYS_OUT) Object.defineProperty(globalThis, name, { value: undefined, configurable: false, writable: false });
}
