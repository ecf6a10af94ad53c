import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { WebSocket, WebSocketServer } from "ws";
import type {
  Connection,
  ConnectionsCompetitor,
  Watcher,
} from "../../structures/connections/connections.contract.ts";
import { eventLoop } from "../../structures/connections/parts/event-loop.ts";
import type {
  HeartbeatCompetitor,
  HeartbeatScheduler,
} from "../../structures/heartbeats/heartbeats.contract.ts";
import { sharedNowMs } from "./clock.ts";
import { obey } from "./control.ts";
import type { Expiry, Reading, Seconds, ServerOrders, Slots } from "./orders.ts";

/** A server process: WebSockets of ws, and a watcher that is told of them. See coordinator.ts for the whole. */
const BACKLOG = 4096;
/** How often the event loop is asked whether it is on time, in ms; what a sample has beyond this is delay. */
const DELAY_SAMPLE_MS = 10;
/** More than any client here sends. */
const MOST_PAYLOAD = 1024;
const EVERYBODY_CONNECTED_AT = 0;

class Peer extends WebSocket implements Connection {
  place = 0;
  client = 0;
  life = 0;
  hasExpired = false;
}

/** By place. */
interface Places {
  readonly peers: (Peer | undefined)[];
  readonly free: number[];
  /** When what renews it was last heard, on the watchers' clock. */
  readonly heardMs: Float64Array;
  readonly received: Float64Array;
}

class Server {
  #loop = eventLoop();
  readonly #timeoutMs: number;
  readonly #capacity: number;
  readonly #places: Places;
  /** Of the clients' first beats. */
  readonly #scheduler: HeartbeatScheduler | undefined;
  readonly #turns = monitorEventLoopDelay({ resolution: DELAY_SAMPLE_MS });
  readonly #delay = monitorEventLoopDelay({ resolution: DELAY_SAMPLE_MS });
  #watcher: Watcher | undefined;
  #renewedBy: ConnectionsCompetitor["renewedBy"] = "nothing";
  #timersBefore = 0;
  #open = 0;
  #received = 0;
  #expiries: Expiry[] = [];
  #seconds: Seconds | undefined;
  #counts = new Int32Array(0);

  constructor(
    { capacity, timeoutMs }: ServerOrders["listen"]["given"],
    scheduler: HeartbeatScheduler | undefined,
  ) {
    this.#timeoutMs = timeoutMs;
    this.#capacity = capacity;
    this.#scheduler = scheduler;
    this.#places = {
      peers: new Array(capacity).fill(undefined),
      free: Array.from({ length: capacity }, (_, index) => capacity - 1 - index),
      heardMs: new Float64Array(capacity),
      received: new Float64Array(capacity),
    };
  }

  listen(): Promise<{ port: number }> {
    this.#turns.enable();
    const http = createServer();
    const sockets = new WebSocketServer<typeof Peer>({
      server: http,
      WebSocket: Peer,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: MOST_PAYLOAD,
    });
    const server = this;
    // One function for all connections, so that a connection is what ws makes of it and no more.
    const message = function (this: WebSocket) {
      server.#heard(this as Peer);
    };
    const pong = function (this: WebSocket) {
      server.#answered(this as Peer);
    };
    const close = function (this: WebSocket) {
      server.#closed(this as Peer);
    };
    const error = () => {};
    sockets.on("connection", (peer, { url }) => {
      const [client, life] = url!.slice(1).split("/");
      peer.client = Number(client);
      peer.life = Number(life);
      peer.on("message", message).on("pong", pong).on("close", close).on("error", error);
      this.#opened(peer);
    });
    return new Promise((resolve, reject) => {
      http.once("error", reject);
      http.listen({ port: 0, host: "127.0.0.1", backlog: BACKLOG }, () =>
        resolve({ port: (http.address() as AddressInfo).port }),
      );
    });
  }

  watch(competitor: ConnectionsCompetitor, speed: number): void {
    this.#watcher?.end();
    this.#loop = eventLoop(speed);
    this.#renewedBy = competitor.renewedBy;
    this.#watcher = competitor.watch({
      capacity: this.#capacity,
      timeoutMs: this.#timeoutMs,
      loop: this.#loop,
      expired: (connection) => this.#expired(connection as Peer),
    });
    if (this.#open === 0) this.#timersBefore = pendingTimers();
    const nowMs = this.#loop.now();
    for (const peer of this.#places.peers) {
      if (peer === undefined || peer.hasExpired) continue;
      this.#places.heardMs[peer.place] = nowMs;
      this.#watcher.opened(peer);
    }
  }

  read(): Reading {
    const { user, system } = process.cpuUsage();
    return {
      userUs: user,
      systemUs: system,
      rssBytes: process.memoryUsage.rss(),
      open: this.#open,
      received: this.#received,
      longestTurnMs: Math.max(DELAY_SAMPLE_MS, this.#turns.max / 1e6),
      watched: this.#watcher?.size ?? 0,
      timers: this.#open === 0 ? pendingTimers() - this.#timersBefore : 0,
    };
  }

  expiries(): readonly Expiry[] {
    const expiries = this.#expiries;
    this.#expiries = [];
    return expiries;
  }

  count(seconds: Seconds): void {
    this.#seconds = seconds;
    this.#counts = new Int32Array(seconds.seconds);
  }

  counted(): readonly number[] {
    return [...this.#counts];
  }

  sampleDelay(): void {
    this.#delay.reset();
    this.#delay.enable();
  }

  delay(): { p99: number; max: number } {
    this.#delay.disable();
    const beyondSample = (ns: number) => Math.max(0, ns / 1e6 - DELAY_SAMPLE_MS);
    return { p99: beyondSample(this.#delay.percentile(99)), max: beyondSample(this.#delay.max) };
  }

  #opened(peer: Peer): void {
    const { peers, free, heardMs, received } = this.#places;
    const place = free.pop();
    if (place === undefined) {
      peer.terminate();
      throw new Error(`more than ${this.#capacity} connections came to one server process`);
    }
    peer.place = place;
    peers[place] = peer;
    heardMs[place] = this.#loop.now();
    received[place] = 0;
    this.#open++;
    this.#watcher?.opened(peer);
    peer.send(String(this.#scheduler?.connect(peer.client, EVERYBODY_CONNECTED_AT) ?? 0));
  }

  #heard(peer: Peer): void {
    const { place } = peer;
    this.#received++;
    this.#places.received[place]!++;
    if (this.#seconds !== undefined) this.#countMessage(this.#seconds);
    // What had come before it was destroyed is still handed over.
    if (peer.hasExpired) return;
    if (this.#renewedBy !== "pongs") this.#places.heardMs[place] = this.#loop.now();
    this.#watcher?.heard(peer);
  }

  #countMessage({ originMs, secondMs }: Seconds): void {
    const second = Math.floor((sharedNowMs() - originMs) / secondMs);
    if (second >= 0 && second < this.#counts.length) this.#counts[second]!++;
  }

  #answered(peer: Peer): void {
    if (peer.hasExpired) return;
    if (this.#renewedBy === "pongs") this.#places.heardMs[peer.place] = this.#loop.now();
    this.#watcher?.answered(peer);
  }

  #expired(peer: Peer): void {
    peer.hasExpired = true;
    this.#expiries.push({
      client: peer.client,
      life: peer.life,
      received: this.#places.received[peer.place]!,
      silenceMs: this.#loop.now() - this.#places.heardMs[peer.place]!,
      atMs: sharedNowMs(),
    });
    // Not close(): its handshake would wait 30 s for who does not answer, with a timer for each.
    peer.terminate();
  }

  #closed(peer: Peer): void {
    const { peers, free } = this.#places;
    if (peers[peer.place] !== peer) return;
    this.#watcher?.closed(peer);
    this.#scheduler?.disconnect(peer.client, EVERYBODY_CONNECTED_AT);
    peers[peer.place] = undefined;
    free.push(peer.place);
    this.#open--;
  }
}

function pendingTimers(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;
}

let server: Server | undefined;

obey<ServerOrders>({
  async listen(given) {
    server = new Server(given, given.slots && (await schedulerOf(given.slots)));
    return server.listen();
  },
  async watch({ url, speed }) {
    server!.watch(await defaultOf<ConnectionsCompetitor>(url), speed);
    return null;
  },
  read: () => server!.read(),
  expiries: () => server!.expiries(),
  count(seconds) {
    server!.count(seconds);
    return null;
  },
  counted: () => server!.counted(),
  sampleDelay() {
    server!.sampleDelay();
    return null;
  },
  delay: () => server!.delay(),
});

async function schedulerOf({ url, interval, seed }: Slots): Promise<HeartbeatScheduler> {
  const { create } = await defaultOf<HeartbeatCompetitor>(url);
  return create(interval, seed);
}

async function defaultOf<Competitor>(url: string): Promise<Competitor> {
  const module = (await import(url)) as { readonly default: Competitor };
  return module.default;
}
