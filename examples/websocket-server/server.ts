import { createServer, type IncomingMessage } from "node:http";
import { eventLoop } from "hotpath-lab/connections";
import hashedWheel from "hotpath-lab/connections/hashed-wheel";
import leastLoaded from "hotpath-lab/heartbeats/least-loaded";
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

/** A connection with a place of its own, by which watcher and slots know it. */
class Peer extends WebSocket {
  place = 0;
}

const counts = { opened: 0, refused: 0, messages: 0, expired: 0 };
const peers = new Set<Peer>();
const freePlaces = Array.from({ length: CAPACITY }, (_, index) => CAPACITY - 1 - index);
const slots = leastLoaded.create(BEAT_EVERY_S, process.pid);
const watcher = hashedWheel.watch({
  capacity: CAPACITY,
  timeoutMs: TIMEOUT_MS,
  loop: eventLoop(),
  expired(connection) {
    counts.expired++;
    // Not close(): who does not send does not answer a closing handshake either.
    (connection as Peer).terminate();
  },
});

const http = createServer((request, response) => {
  response.statusCode = request.url === "/metrics" ? 200 : 404;
  response.end(request.url === "/metrics" ? metrics() : undefined);
});
const sockets = new WebSocketServer({
  noServer: true,
  WebSocket: Peer,
  clientTracking: false,
  maxPayload: 4096,
});

http.on("upgrade", (request, socket, head) => {
  if (freePlaces.length === 0 || isEnding) {
    counts.refused++;
    socket.end("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\n\r\n");
    return;
  }
  sockets.handleUpgrade(request, socket, head, admit);
});

function admit(peer: Peer, { socket }: IncomingMessage): void {
  peer.place = freePlaces.pop()!;
  peers.add(peer);
  counts.opened++;
  watcher.opened(peer);
  const nowS = performance.now() / 1000;
  const firstS = slots.connect(peer.place, Math.ceil(nowS));
  peer.send(
    JSON.stringify({ firstBeatInMs: Math.round((firstS - nowS) * 1000), everyMs: BEAT_EVERY_S * 1000 }),
  );
  // Whatever comes is a sign of life: a ping, or a part of a long message, is no message yet.
  socket.on("data", () => watcher.heard(peer));
  peer.on("pong", () => watcher.answered(peer));
  peer.on("message", () => {
    counts.messages++;
    // What the server is for goes here.
  });
  peer.on("close", () => leave(peer));
  // 'close' follows.
  peer.on("error", () => {});
}

function leave(peer: Peer): void {
  watcher.closed(peer);
  slots.disconnect(peer.place, Math.ceil(performance.now() / 1000));
  peers.delete(peer);
  freePlaces.push(peer.place);
  if (isEnding && peers.size === 0) end();
}

function metrics(): string {
  const gauges = { open: peers.size, watched: watcher.size };
  return Object.entries({ ...gauges, ...counts })
    .map(([name, value]) => `websocket_${name} ${value}\n`)
    .join("");
}

let isEnding = false;

function endInOrder(): void {
  if (isEnding) return;
  isEnding = true;
  http.close();
  http.closeIdleConnections();
  for (const peer of peers) peer.close(GOING_AWAY);
  if (peers.size === 0) end();
  else setTimeout(end, GRACE_MS).unref();
}

function end(): void {
  watcher.end();
  for (const peer of peers) peer.terminate();
  process.exit();
}

process.on("SIGTERM", endInOrder).on("SIGINT", endInOrder);
http.listen(PORT, () => console.log(`listening on ${JSON.stringify(http.address())}`));
