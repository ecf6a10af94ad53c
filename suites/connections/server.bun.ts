import { monitorEventLoopDelay } from "node:perf_hooks";
import {
  type ConnectionEvents,
  DELAY_SAMPLE_MS,
  type Delay,
  MOST_PAYLOAD,
  named,
  type Peer,
  serve,
} from "./served.ts";

/** A server process on Bun, with the WebSockets of Bun.serve. Several share a port by SO_REUSEPORT, where the system has it. */

class BunPeer implements Peer {
  place = 0;
  readonly client: number;
  readonly life: number;
  hasExpired = false;
  socket!: BunSocket;

  constructor(path: string) {
    const { client, life } = named(path);
    this.client = client;
    this.life = life;
  }

  send(text: string): void {
    this.socket.send(text);
  }

  ping(): void {
    this.socket.ping();
  }

  terminate(): void {
    // It would call close() from within.
    setImmediate(() => this.socket.terminate());
  }
}

const { heapStats } = (await import("bun:jsc" as string)) as { heapStats(): HeapStats };

serve({
  listen,
  // Bun does not report which timers are pending. It counts the timers on its heap, some of which are garbage after a
  // collection.
  pendingTimers: () => 0,
  heldBytes() {
    Bun.gc(true);
    return heapStats().heapSize;
  },
  sampleDelay,
});

async function listen(port: number, events: ConnectionEvents): Promise<number> {
  const server = Bun.serve({
    port,
    hostname: "127.0.0.1",
    reusePort: true,
    fetch(request, bun) {
      const peer = new BunPeer(new URL(request.url).pathname);
      return bun.upgrade(request, { data: peer }) ? undefined : new Response(null, { status: 400 });
    },
    websocket: {
      // The watcher's business.
      idleTimeout: 0,
      sendPings: false,
      perMessageDeflate: false,
      maxPayloadLength: MOST_PAYLOAD,
      open(socket) {
        socket.data.socket = socket;
        events.opened(socket.data);
      },
      message: ({ data }) => events.heard(data),
      pong: ({ data }) => events.answered(data),
      close: ({ data }) => events.closed(data),
    },
  });
  return server.port;
}

/** Bun's histogram has what a sample was late by, and not the time between two. */
function sampleDelay(): Delay {
  const histogram = monitorEventLoopDelay({ resolution: DELAY_SAMPLE_MS });
  histogram.enable();
  return {
    percentile: (percent) => histogram.percentile(percent) / 1e6,
    get max() {
      return histogram.max / 1e6;
    },
    end: () => histogram.disable(),
  };
}

/** The part of Bun that is used here. */
interface BunSocket {
  readonly data: BunPeer;
  send(text: string): void;
  ping(): void;
  terminate(): void;
}

interface HeapStats {
  readonly heapSize: number;
}

declare const Bun: {
  gc(isSynchronous: boolean): void;
  serve(options: {
    readonly port: number;
    readonly hostname: string;
    readonly reusePort: boolean;
    fetch(
      request: Request,
      server: { upgrade(request: Request, options: { readonly data: BunPeer }): boolean },
    ): Response | undefined;
    readonly websocket: {
      readonly idleTimeout: number;
      readonly sendPings: boolean;
      readonly perMessageDeflate: boolean;
      readonly maxPayloadLength: number;
      open(socket: BunSocket): void;
      message(socket: BunSocket): void;
      pong(socket: BunSocket): void;
      close(socket: BunSocket): void;
    };
  }): { readonly port: number };
};
