import { inspect } from "node:util";
import { assertOptions, type OptionKinds } from "../../shared/arguments.ts";
import { MAX_CAPACITY } from "../../timers/parts/handles.ts";
import type { Connection, Loop } from "../connections.contract.ts";
import { askFirst } from "./asking.ts";
import type { CaughtUpWatcher } from "./caught-up.ts";

/** Times in ms. */
export interface WatchOptions<Socket> {
  /** Silence after which a connection is terminated: 1,000 to 2,147,483,647 (24.8 days). */
  readonly timeoutMs: number;
  /**
   * Silence after which a connection is pinged; what is left of `timeoutMs` is its time to answer. From a tenth of
   * `timeoutMs` to nine tenths; half of it by default.
   */
  readonly pingAfterMs?: number | undefined;
  /**
   * The longest that a late event loop may put off the end of a dead connection, without the time for which the loop
   * stood still. From a tenth of `timeoutMs` to all of it, which is the default. After a stall, less of it closes dead
   * connections sooner, and may close a living one whose answer takes longer than that.
   */
  readonly stallMs?: number | undefined;
  /**
   * Called right before a connection is terminated, which no longer is watched then. The connection is terminated even
   * if this throws; the error then reaches 'uncaughtException'.
   */
  readonly onExpired?: ((socket: Socket) => void) | undefined;
}

const OPTIONS: OptionKinds<WatchOptions<never>> = {
  ...{ timeoutMs: "any", pingAfterMs: "any", stallMs: "any" },
  onExpired: "function",
};

/** A watch over the connections of a server. All its counts begin with 0. */
export interface Watch {
  /** Open connections, without those that have expired. */
  readonly size: number;
  /** Connections that were terminated because they were silent. */
  readonly expired: number;
  /** Pings that were sent. */
  readonly pings: number;
  /** Pongs that were heard, including those that no ping had asked for. */
  readonly pongs: number;
  /**
   * How often the event loop was seen to have stood still: for two seconds or more, or for a fifth of the time to answer
   * or of `pingAfterMs` if that is shorter.
   */
  readonly stalls: number;
  /** Stops, and leaves no listener and no timer behind. Connections stay open. May be called again. */
  end(): void;
}

/** What is used of any socket. */
export interface WatchedSocket {
  readonly readyState: number;
  /** Whether the server has stopped to read from it for the time being. */
  readonly isPaused?: boolean;
  ping(): unknown;
  terminate(): unknown;
}

/** What is used of the stream below a socket. */
export interface ByteStream {
  on(event: "data" | "resume", listener: () => void): unknown;
  off(event: "data" | "resume", listener: () => void): unknown;
  listenerCount(event: "data"): number;
  /** Whether nothing is read from it for the time being. */
  isPaused?(): boolean;
}

/** Values of readyState. */
const OPEN = 1;
const CLOSED = 3;

/** The shortest timeout, in ms, and the longest, which is the longest delay of the runtime's timers. */
const SHORTEST_TIMEOUT_MS = 1_000;
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;
/** A wait takes at least this share of the timeout, so that it can be watched in steps much shorter than itself. */
const LEAST_SHARE = 1 / 10;

/** Hands out places to sockets and terminates those that expire, on any runtime. */
export class Sockets<Socket extends WatchedSocket> implements Watch {
  readonly #watcher: CaughtUpWatcher;
  readonly #onExpired: WatchOptions<Socket>["onExpired"];
  readonly #members = new Map<Socket, Member<Socket>>();
  readonly #freePlaces: number[] = [];
  #places = 0;
  #expired = 0;
  #pings = 0;
  #pongs = 0;
  #isEnded = false;

  /** Throws for options that it cannot serve, in the name of the function that got them. It has set no timer then. */
  constructor(door: string, loop: Loop, options: WatchOptions<Socket>) {
    assertOptions(door, options, OPTIONS);
    const { timeoutMs, pingAfterMs, stallMs } = timesOf(options);
    this.#onExpired = options.onExpired;
    this.#watcher = askFirst({
      capacity: MAX_CAPACITY,
      timeoutMs,
      pingAfterMs,
      stallMs,
      loop,
      expired: (connection) => this.#expire(connection as Member<Socket>),
    });
  }

  /** Undefined for one that is watched already or has closed, and after the end. */
  enter(socket: Socket): Member<Socket> | undefined {
    if (this.#isEnded || this.#members.has(socket) || socket.readyState === CLOSED) return undefined;
    const place = this.#freePlaces.pop() ?? this.#places++;
    const member = new Member(place, socket, this);
    this.#members.set(socket, member);
    this.#watcher.opened(member);
    return member;
  }

  heard(member: Member<Socket>): void {
    this.#watcher.heard(member);
  }

  /** What waited in a stream while it was paused is about to be heard. */
  resumed(): void {
    this.#watcher.resumed();
  }

  /** Of a pong, besides `heard`. */
  countPong(): void {
    this.#pongs++;
  }

  ping(socket: Socket): void {
    // One that is closing takes none.
    if (socket.readyState !== OPEN) return;
    this.#pings++;
    socket.ping();
  }

  memberOf(socket: Socket): Member<Socket> | undefined {
    return this.#members.get(socket);
  }

  /** It has closed, or is none of its. */
  leave(member: Member<Socket>): void {
    if (!this.#members.delete(member.socket)) return;
    this.#watcher.closed(member);
    this.#freePlaces.push(member.place);
    this.left(member);
  }

  /** It is no longer watched. */
  protected left(_member: Member<Socket>): void {}

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#watcher.end();
    for (const member of this.#members.values()) this.left(member);
    this.#members.clear();
  }

  get size(): number {
    return this.#watcher.size;
  }

  get expired(): number {
    return this.#expired;
  }

  get pings(): number {
    return this.#pings;
  }

  get pongs(): number {
    return this.#pongs;
  }

  get stalls(): number {
    return this.#watcher.standstills;
  }

  /** Places that were handed out at the same time, at most. */
  get places(): number {
    return this.#places;
  }

  #expire(member: Member<Socket>): void {
    const { socket } = member;
    if (member.isPaused) {
      // What it sent waits where nobody reads.
      this.#watcher.closed(member);
      this.#watcher.opened(member);
      return;
    }
    this.leave(member);
    this.#expired++;
    try {
      this.#onExpired?.(socket);
    } finally {
      socket.terminate();
    }
  }
}

/** A socket that is watched. */
export class Member<Socket extends WatchedSocket> implements Connection {
  readonly place: number;
  readonly socket: Socket;
  /** What the runtime's bytes come by, where they can be heard. */
  stream: ByteStream | undefined = undefined;
  readonly #sockets: Sockets<Socket>;

  constructor(place: number, socket: Socket, sockets: Sockets<Socket>) {
    this.place = place;
    this.socket = socket;
    this.#sockets = sockets;
  }

  /** Whether the user has paused the socket, or what reads its stream has, until it is done with what came. */
  get isPaused(): boolean {
    return this.socket.isPaused === true || this.stream?.isPaused?.() === true;
  }

  ping(): void {
    this.#sockets.ping(this.socket);
  }
}

function timesOf({ timeoutMs, pingAfterMs, stallMs }: WatchOptions<never>) {
  if (!(timeoutMs >= SHORTEST_TIMEOUT_MS && timeoutMs <= LONGEST_TIMEOUT_MS))
    throw new RangeError(
      `timeoutMs is a number of milliseconds from ${SHORTEST_TIMEOUT_MS} to ${LONGEST_TIMEOUT_MS}, not ${inspect(timeoutMs)}`,
    );
  return {
    timeoutMs,
    pingAfterMs: shareOf("pingAfterMs", pingAfterMs ?? timeoutMs / 2, timeoutMs, 1 - LEAST_SHARE),
    stallMs: shareOf("stallMs", stallMs ?? timeoutMs, timeoutMs, 1),
  };
}

function shareOf(name: string, ms: number, timeoutMs: number, most: number): number {
  if (ms >= LEAST_SHARE * timeoutMs && ms <= most * timeoutMs) return ms;
  throw new RangeError(
    `${name} is from ${LEAST_SHARE * timeoutMs} to ${most * timeoutMs} for a timeoutMs of ${timeoutMs}, not ${inspect(ms)}`,
  );
}
