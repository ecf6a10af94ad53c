import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { type Watch, watch } from "hotpath-lab/ws";
import { WebSocket, WebSocketServer } from "ws";

/**
 * Watches a server of `ws` with two clients: one answers pings, as every WebSocket should, and one does not. It prints:
 *
 *     1 was silent
 *     1 is still watched
 */
const wss = new WebSocketServer({ port: 0 });
const watched: Watch = watch(wss, {
  timeoutMs: 1_000,
  onExpired: () => console.log(`${watched.expired} was silent`),
});

await once(wss, "listening");
const { port } = wss.address() as AddressInfo;
const answering = new WebSocket(`ws://127.0.0.1:${port}`);
await once(answering, "open");
const silent = connect(port, "127.0.0.1");
silent.write(
  "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: aG90cGF0aC1sYWIgYmVhdA==\r\n\r\n",
);
silent.resume();
await once(silent, "close");
console.log(`${watched.size} is still watched`);
answering.terminate();
wss.close();
