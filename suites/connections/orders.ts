/** What the coordinator asks of server and client processes. Times in ms; "shared" times are of clock.ts. */
export interface ServerOrders {
  readonly listen: { readonly given: ListenGiven; readonly answer: { readonly port: number } };
  /** All have connected: turns of the event loop are looked at from now on. */
  readonly connected: { readonly given: null; readonly answer: null };
  /** Replaces the current watcher by this one, on a clock of this speed, and reports every open connection to it. */
  readonly watch: { readonly given: { readonly url: string; readonly speed: number }; readonly answer: null };
  /** Answers, and stands still. */
  readonly stand: { readonly given: ServerStall; readonly answer: null };
  readonly read: { readonly given: null; readonly answer: Reading };
  /** The expiries since it was last asked. */
  readonly expiries: { readonly given: null; readonly answer: readonly Expiry[] };
  /** Samples the event loop's delay until it is asked for it. */
  readonly sampleDelay: { readonly given: null; readonly answer: null };
  readonly delay: { readonly given: null; readonly answer: { readonly p99: number; readonly max: number } };
  /** Bytes that are held after a full garbage collection, on the heap and in ArrayBuffers. */
  readonly held: { readonly given: null; readonly answer: number };
}

interface ListenGiven {
  /** 0: a free one. */
  readonly port: number;
  /** Connections that may be open at once. */
  readonly capacity: number;
  readonly timeoutMs: number;
}

/** How a server process stands still, and for how long: a handler blocks its event loop, or its clock jumps. */
export interface ServerStall {
  readonly how: "blocks" | "jumps";
  readonly ms: number;
}

/** The same, or it is stopped from outside. */
export type Stall = ServerStall | { readonly how: "stops"; readonly ms: number };

export interface Reading {
  /** Of the whole process, in us. */
  readonly userUs: number;
  readonly systemUs: number;
  readonly rssBytes: number;
  readonly open: number;
  /** Messages since it listens. */
  readonly received: number;
  /** Connections that the watcher watches. */
  readonly watched: number;
  /** Timers of the process that are pending, beyond those when its watcher was put in its place. */
  readonly timers: number;
}

/** A connection that the watcher had closed. */
export interface Expiry {
  readonly client: number;
  /** Which time it was that the client had joined, from 0. */
  readonly life: number;
  /** Messages since it opened. */
  readonly received: number;
  /** Since what renews it was last heard here, on the watchers' clock. */
  readonly silenceMs: number;
  /** No turn of the event loop took longer since all had connected; on the watchers' clock. */
  readonly turnMs: number;
  /** Shared. */
  readonly atMs: number;
}

export interface ClientOrders {
  /** Connects all its clients, and resolves when they are connected. Each beats from then on. */
  readonly connect: { readonly given: ConnectGiven; readonly answer: null };
  /** Beats of each client are this far apart from now on, evenly spread over all clients. 0: none beats. */
  readonly beat: { readonly given: { readonly everyMs: number }; readonly answer: null };
  /**
   * This share of the clients falls silent, each at a random moment, and does not read any more; resolves when
   * they have.
   */
  readonly die: { readonly given: DieGiven; readonly answer: readonly Death[] };
  /** This share hangs up and connects again at once; resolves when all have. */
  readonly storm: { readonly given: { readonly share: number }; readonly answer: Storm };
  /** All leave; resolves when they have. */
  readonly leave: { readonly given: null; readonly answer: Left };
}

interface ConnectGiven {
  readonly port: number;
  /** The number of its first client; the others' follow. */
  readonly first: number;
  readonly clients: number;
  /** As in `beat`. */
  readonly everyMs: number;
}

interface DieGiven {
  readonly share: number;
  readonly overMs: number;
  readonly seed: number;
}

export interface Death {
  readonly client: number;
  /** When it sent its last message or pong, shared. */
  readonly lastSentMs: number;
}

export interface Storm {
  readonly reconnected: number;
  /** From the first that hung up to the last that was connected again. */
  readonly tookMs: number;
}

export interface Left {
  /** By client: messages sent, each time that it had joined. */
  readonly lives: readonly (readonly number[])[];
}
