import { createServer } from "node:http";
import leastLoaded from "hotpath-lab/heartbeats/least-loaded";
import { watch } from "hotpath-lab/ws";
import { WebSocket, WebSocketServer } from "ws";

/**
 * A WebSocket server to copy: each client learns in which second to beat, so that beats come evenly; who is silent
 * for half a minute is closed; GET /metrics says how it goes; SIGTERM lets it end in order.
 *
 *     node server.ts [PORT]
 */
const PORT = Number(process.argv[2] ?? 8080);
/** The most connections that it takes; it sends any further client elsewhere. */
const CAPACITY = 100_000;
const BEAT_EVERY_S = 10;
const TIMEOUT_MS = 30_000;
/** What clients have to close when the server ends, in ms. */
const GRACE_MS = 5_000;
/** WebSocket's code for "going away". */
const GOING_AWAY = 1001;

/** A connection with a number by which the slots know it. */
class Peer extends WebSocket {
  client = 0;
}

const counts = { opened: 0, refused: 0, messages: 0 };
const freeNumbers: number[] = [];
const slots = leastLoaded.create(BEAT_EVERY_S, process.pid);

const http = createServer((request, response) => {
  response.statusCode = request.url === "/metrics" ? 200 : 404;
  response.end(request.url === "/metrics" ? metrics() : undefined);
});
const wss = new WebSocketServer({ noServer: true, WebSocket: Peer, maxPayload: 4096 });
const watched = watch(wss, { timeoutMs: TIMEOUT_MS });

http.on("upgrade", (request, socket, head) => {
  if (wss.clients.size === CAPACITY || isEnding) {
    counts.refused++;
    socket.end("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\n\r\n");
    return;
  }
  wss.handleUpgrade(request, socket, head, (peer) => wss.emit("connection", peer, request));
});

wss.on("connection", (peer) => {
  // The others have all numbers below this one, unless some are free.
  peer.client = freeNumbers.pop() ?? wss.clients.size - 1;
  counts.opened++;
  const nowS = performance.now() / 1000;
  const firstS = slots.connect(peer.client, Math.ceil(nowS));
  peer.send(
    JSON.stringify({ firstBeatInMs: Math.round((firstS - nowS) * 1000), everyMs: BEAT_EVERY_S * 1000 }),
  );
  peer.on("message", () => {
    counts.messages++;
    // What the server is for goes here.
  });
  peer.on("close", () => leave(peer));
  // 'close' follows.
  peer.on("error", () => {});
});

function leave({ client }: Peer): void {
  slots.disconnect(client, Math.ceil(performance.now() / 1000));
  freeNumbers.push(client);
  if (isEnding && wss.clients.size === 0) process.exit();
}

function metrics(): string {
  const { size, expired, pings, pongs, stalls } = watched;
  return Object.entries({ open: wss.clients.size, watched: size, ...counts, expired, pings, pongs, stalls })
    .map(([name, value]) => `websocket_${name} ${value}\n`)
    .join("");
}

let isEnding = false;

function endInOrder(): void {
  if (isEnding) return;
  isEnding = true;
  http.close();
  http.closeIdleConnections();
  for (const peer of wss.clients) peer.close(GOING_AWAY);
  if (wss.clients.size === 0) process.exit();
  else setTimeout(() => process.exit(), GRACE_MS).unref();
}

process.on("SIGTERM", endInOrder).on("SIGINT", endInOrder);
http.listen(PORT, () => console.log(`listening on ${JSON.stringify(http.address())}`));
