import type {
  Connection,
  ConnectionsCompetitor,
  Watcher,
} from "../../structures/connections/connections.contract.ts";
import { eventLoop } from "../../structures/connections/parts/event-loop.ts";
import { obey } from "../shared/control.ts";
import { sharedNowMs } from "./clock.ts";
import type { Expiry, Reading, ServerOrders, ServerStall } from "./orders.ts";

/**
 * The connections of one server process, and a watcher that hears of them: the same on every runtime, whose sockets and
 * figures are its `Host`. See coordinator.ts for the whole.
 */

/** More than any client here sends. */
export const MOST_PAYLOAD = 1024;
/** How often the event loop is asked whether it is on time, in ms: a turn that takes no longer may not be seen. */
export const DELAY_SAMPLE_MS = 10;
/** The runtime's timers count whole ms. */
const TIMERS_MS = 2;
/** What a server sends to a client that it has taken in. */
const WELCOME = "0";
/** From an order to stand still until it is carried out. */
const ANSWERED_MS = 50;

/** A connection as its runtime's sockets make it. */
export interface Peer extends Connection {
  place: number;
  client: number;
  life: number;
  hasExpired: boolean;
  send(text: string): void;
  /** Ends it at once, with no handshake, which would wait for clients that do not answer, with a timer for each. */
  terminate(): void;
}

/** What a runtime's sockets report. */
export interface ConnectionEvents {
  opened(peer: Peer): void;
  heard(peer: Peer): void;
  answered(peer: Peer): void;
  closed(peer: Peer): void;
}

/** What a runtime has of its own. */
export interface Host {
  /** On a free port where it is 0; resolves to the port. */
  listen(port: number, events: ConnectionEvents): Promise<number>;
  /** Timers of the process; 0 where the runtime does not report them. */
  pendingTimers(): number;
  /** On the heap and in ArrayBuffers, after a full garbage collection. */
  heldBytes(): number;
  /** Begins to sample how late the event loop is. */
  sampleDelay(): Delay;
}

export interface Delay {
  /** In ms, since it was made. */
  percentile(percent: number): number;
  readonly max: number;
  end(): void;
}

/** What the path of a client's upgrade says of it. */
export function named(path: string): { readonly client: number; readonly life: number } {
  const [client, life] = path.slice(1).split("/");
  return { client: Number(client), life: Number(life) };
}

/** What is known of each connection, by its place. */
interface Connected {
  readonly peers: (Peer | undefined)[];
  readonly free: number[];
  /** When what renews it was last heard, on the watchers' clock. */
  readonly heardMs: Float64Array;
  readonly received: Float64Array;
}

class Server implements ConnectionEvents {
  readonly #host: Host;
  #loop = eventLoop();
  #speed = 1;
  readonly #timeoutMs: number;
  readonly #capacity: number;
  readonly #places: Connected;
  /** Of the event loop's turns, for what they may make a watcher do; and while clients die, for reports. */
  #turns: Delay;
  #delay: Delay | undefined;
  #watcher: Watcher | undefined;
  #renewedBy: ConnectionsCompetitor["renewedBy"] = "nothing";
  #timersBefore = 0;
  #open = 0;
  #received = 0;
  #expiries: Expiry[] = [];

  constructor(host: Host, { capacity, timeoutMs }: ServerOrders["listen"]["given"]) {
    this.#host = host;
    this.#turns = host.sampleDelay();
    this.#timeoutMs = timeoutMs;
    this.#capacity = capacity;
    this.#places = {
      peers: new Array(capacity).fill(undefined),
      free: Array.from({ length: capacity }, (_, index) => capacity - 1 - index),
      heardMs: new Float64Array(capacity),
      received: new Float64Array(capacity),
    };
  }

  async listen(port: number): Promise<{ port: number }> {
    return { port: await this.#host.listen(port, this) };
  }

  /** Turns are counted from now on. */
  allConnected(): void {
    this.#turns.end();
    this.#turns = this.#host.sampleDelay();
  }

  watch(competitor: ConnectionsCompetitor, speed: number): void {
    this.#watcher?.end();
    this.#loop = eventLoop(speed);
    this.#speed = speed;
    this.#renewedBy = competitor.renewedBy;
    this.#watcher = competitor.watch({
      capacity: this.#capacity,
      timeoutMs: this.#timeoutMs,
      loop: this.#loop,
      expired: (connection) => this.#expired(connection as Peer),
    });
    if (this.#open === 0) this.#timersBefore = this.#host.pendingTimers();
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
      watched: this.#watcher?.size ?? 0,
      timers: this.#open === 0 ? this.#host.pendingTimers() - this.#timersBefore : 0,
    };
  }

  expiries(): readonly Expiry[] {
    const expiries = this.#expiries;
    this.#expiries = [];
    return expiries;
  }

  heldBytes(): number {
    return this.#host.heldBytes();
  }

  sampleDelay(): void {
    this.#delay = this.#host.sampleDelay();
  }

  delay(): { p99: number; max: number } {
    const delay = this.#delay!;
    delay.end();
    return { p99: delay.percentile(99), max: delay.max };
  }

  opened(peer: Peer): void {
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
    peer.send(WELCOME);
  }

  heard(peer: Peer): void {
    // What had come before it was destroyed is still handed over.
    if (peer.hasExpired) return;
    const { place } = peer;
    this.#received++;
    this.#places.received[place]!++;
    if (this.#renewedBy !== "pongs") this.#places.heardMs[place] = this.#loop.now();
    this.#watcher?.heard(peer);
  }

  answered(peer: Peer): void {
    if (peer.hasExpired) return;
    this.#places.heardMs[peer.place] = this.#loop.now();
    this.#watcher?.answered(peer);
  }

  #expired(peer: Peer): void {
    peer.hasExpired = true;
    this.#expiries.push({
      client: peer.client,
      life: peer.life,
      received: this.#places.received[peer.place]!,
      silenceMs: this.#loop.now() - this.#places.heardMs[peer.place]!,
      turnMs: (this.#turns.max + DELAY_SAMPLE_MS + TIMERS_MS) * this.#speed,
      atMs: sharedNowMs(),
    });
    peer.terminate();
  }

  closed(peer: Peer): void {
    const { peers, free } = this.#places;
    if (peers[peer.place] !== peer) return;
    this.#watcher?.closed(peer);
    peers[peer.place] = undefined;
    free.push(peer.place);
    this.#open--;
  }
}

/** Carries out orders on this runtime from now on. */
export function serve(host: Host): void {
  let server: Server | undefined;
  obey<ServerOrders>({
    listen(given) {
      server = new Server(host, given);
      return server.listen(given.port);
    },
    connected() {
      server!.allConnected();
      return null;
    },
    async watch({ url, speed }) {
      server!.watch(await defaultOf<ConnectionsCompetitor>(url), speed);
      return null;
    },
    stand(stall) {
      // When the answer is on its way; in an immediate, because Node runs timers between those and the next poll.
      setTimeout(() => setImmediate(() => standStill(stall)), ANSWERED_MS);
      return null;
    },
    read: () => server!.read(),
    expiries: () => server!.expiries(),
    sampleDelay() {
      server!.sampleDelay();
      return null;
    },
    delay: () => server!.delay(),
    held: () => server!.heldBytes(),
  });
}

function standStill({ how, ms }: ServerStall): void {
  if (how === "blocks") {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, ms);
    return;
  }
  const now = performance.now.bind(performance);
  performance.now = () => now() + ms;
}

async function defaultOf<Competitor>(url: string): Promise<Competitor> {
  const module = (await import(url)) as { readonly default: Competitor };
  return module.default;
}
