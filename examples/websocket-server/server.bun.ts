import { eventLoop } from "hotpath-lab/connections";
import hashedWheel from "hotpath-lab/connections/hashed-wheel";
import leastLoaded from "hotpath-lab/heartbeats/least-loaded";

/**
 * The same server on Bun.serve:
 *
 *     bun server.bun.ts [PORT]
 *
 * Several of them share a port, by reusePort, where the system spreads connections over them (Linux).
 */
const PORT = Number(process.argv[2] ?? 8080);
const CAPACITY = 100_000;
const BEAT_EVERY_S = 10;
const TIMEOUT_MS = 30_000;
/** Bun does not report the parts of a long message: a client that is silent for this long is asked for a pong. */
const ASK_AFTER_MS = TIMEOUT_MS / 2;
const GRACE_MS = 5_000;
const GOING_AWAY = 1001;

/** What Bun keeps for each connection: the place by which watcher and slots know it. */
class Peer {
  place = 0;
  wasAsked = false;
  socket: BunSocket | undefined;
  ping(): void {
    this.socket!.ping();
  }
}

const counts = { opened: 0, refused: 0, messages: 0, expired: 0 };
const peers = new Set<Peer>();
const freePlaces = Array.from({ length: CAPACITY }, (_, index) => CAPACITY - 1 - index);
const slots = leastLoaded.create(BEAT_EVERY_S, process.pid);
const watcher = hashedWheel.watch({
  capacity: CAPACITY,
  timeoutMs: ASK_AFTER_MS,
  loop: eventLoop(),
  expired(connection) {
    const peer = connection as Peer;
    if (peer.wasAsked) {
      counts.expired++;
      peer.socket!.terminate();
      return;
    }
    peer.wasAsked = true;
    peer.ping();
    // From here on the other half of its timeout passes.
    watcher.closed(peer);
    watcher.opened(peer);
  },
});

const server = Bun.serve({
  port: PORT,
  reusePort: true,
  fetch(request, bun) {
    if (new URL(request.url).pathname === "/metrics") return new Response(metrics());
    if (freePlaces.length > 0 && !isEnding && bun.upgrade(request, { data: new Peer() })) return undefined;
    counts.refused++;
    return new Response(null, { status: 503, headers: { "Retry-After": "5" } });
  },
  websocket: {
    // The watcher's business.
    idleTimeout: 0,
    sendPings: false,
    maxPayloadLength: 4096,
    open(socket) {
      const peer = socket.data;
      peer.socket = socket;
      peer.place = freePlaces.pop()!;
      peers.add(peer);
      counts.opened++;
      watcher.opened(peer);
      const nowS = performance.now() / 1000;
      const firstS = slots.connect(peer.place, Math.ceil(nowS));
      const firstBeatInMs = Math.round((firstS - nowS) * 1000);
      socket.send(JSON.stringify({ firstBeatInMs, everyMs: BEAT_EVERY_S * 1000 }));
    },
    message({ data: peer }) {
      counts.messages++;
      heard(peer);
      // What the server is for goes here.
    },
    ping: ({ data: peer }) => heard(peer),
    pong({ data: peer }) {
      peer.wasAsked = false;
      watcher.answered(peer);
    },
    close({ data: peer }) {
      watcher.closed(peer);
      slots.disconnect(peer.place, Math.ceil(performance.now() / 1000));
      peers.delete(peer);
      freePlaces.push(peer.place);
      if (isEnding && peers.size === 0) end();
    },
  },
});

function heard(peer: Peer): void {
  peer.wasAsked = false;
  watcher.heard(peer);
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
  for (const { socket } of peers) socket!.close(GOING_AWAY);
  if (peers.size === 0) end();
  else setTimeout(end, GRACE_MS).unref();
}

function end(): void {
  watcher.end();
  process.exit();
}

process.on("SIGTERM", endInOrder).on("SIGINT", endInOrder);
console.log(`listening on ${JSON.stringify({ port: server.port })}`);

/** The part of Bun that is used here; with @types/bun it may go. */
interface BunSocket {
  readonly data: Peer;
  send(text: string): unknown;
  ping(): unknown;
  close(code: number): void;
  terminate(): void;
}

declare const Bun: {
  serve(options: {
    readonly port: number;
    readonly reusePort: boolean;
    fetch(
      request: Request,
      server: { upgrade(request: Request, options: { readonly data: Peer }): boolean },
    ): Response | undefined;
    readonly websocket: {
      readonly idleTimeout: number;
      readonly sendPings: boolean;
      readonly maxPayloadLength: number;
      open(socket: BunSocket): void;
      message(socket: BunSocket): void;
      ping(socket: BunSocket): void;
      pong(socket: BunSocket): void;
      close(socket: BunSocket): void;
    };
  }): { readonly port: number };
};
