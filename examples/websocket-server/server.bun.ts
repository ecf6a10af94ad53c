import leastLoaded from "hotpath-lab/heartbeats/least-loaded";
import { watchBun } from "hotpath-lab/ws";

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
const GRACE_MS = 5_000;
const GOING_AWAY = 1001;

const counts = { opened: 0, refused: 0, messages: 0 };
const peers = new Set<BunSocket>();
const freeNumbers: number[] = [];
const slots = leastLoaded.create(BEAT_EVERY_S, process.pid);
const watched = watchBun<BunSocket>({ timeoutMs: TIMEOUT_MS });

const server = Bun.serve({
  port: PORT,
  reusePort: true,
  fetch(request, bun) {
    if (new URL(request.url).pathname === "/metrics") return new Response(metrics());
    const isRoom = peers.size < CAPACITY && !isEnding;
    if (isRoom && bun.upgrade(request, { data: { client: 0 } })) return undefined;
    counts.refused++;
    return new Response(null, { status: 503, headers: { "Retry-After": "5" } });
  },
  websocket: watched.handlers({
    maxPayloadLength: 4096,
    open(socket) {
      // The others have all numbers below this one, unless some are free.
      socket.data.client = freeNumbers.pop() ?? peers.size;
      peers.add(socket);
      counts.opened++;
      const nowS = performance.now() / 1000;
      const firstS = slots.connect(socket.data.client, Math.ceil(nowS));
      const firstBeatInMs = Math.round((firstS - nowS) * 1000);
      socket.send(JSON.stringify({ firstBeatInMs, everyMs: BEAT_EVERY_S * 1000 }));
    },
    message() {
      counts.messages++;
      // What the server is for goes here.
    },
    close(socket) {
      slots.disconnect(socket.data.client, Math.ceil(performance.now() / 1000));
      peers.delete(socket);
      freeNumbers.push(socket.data.client);
      if (isEnding && peers.size === 0) process.exit();
    },
  }),
});

function metrics(): string {
  const { size, expired, pings, pongs, stalls } = watched;
  return Object.entries({ open: peers.size, watched: size, ...counts, expired, pings, pongs, stalls })
    .map(([name, value]) => `websocket_${name} ${value}\n`)
    .join("");
}

let isEnding = false;

function endInOrder(): void {
  if (isEnding) return;
  isEnding = true;
  for (const socket of peers) socket.close(GOING_AWAY);
  if (peers.size === 0) process.exit();
  else setTimeout(() => process.exit(), GRACE_MS).unref();
}

process.on("SIGTERM", endInOrder).on("SIGINT", endInOrder);
console.log(`listening on ${JSON.stringify({ port: server.port })}`);

/** The part of Bun that is used here; with @types/bun it may go. */
interface BunSocket {
  readonly data: { client: number };
  readonly readyState: number;
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
      server: { upgrade(request: Request, options: { readonly data: BunSocket["data"] }): boolean },
    ): Response | undefined;
    readonly websocket: {
      readonly maxPayloadLength: number;
      open(socket: BunSocket): void;
      message(socket: BunSocket, message: string | Buffer): void;
      ping(socket: BunSocket, data: Buffer): void;
      pong(socket: BunSocket, data: Buffer): void;
      close(socket: BunSocket, code: number, reason: string): void;
    };
  }): { readonly port: number };
};
