import type { Contract } from "../shared/contract.ts";
import type { Traits } from "../shared/traits.ts";
import type { NativeTimer, NativeTimers } from "../timers/parts/callbacks.ts";

/**
 * Watches the connections of one server process: which of them have been silent for too long?
 *
 * The server reports to the watcher when a connection opens, everything that the client sends while it is open, and when it
 * has closed, on either side. The watcher reports each connection that has expired to the server, once. The server then
 * closes it; `closed` follows, from within `expired` or later. Reports of a connection between the two are ignored.
 *
 * Silence is the time since a connection opened or, if that is later, since what renews it was last heard. A watcher
 * says by how much it may expire a connection before `timeoutMs` of silence, and by how much after, on an event loop that
 * is never late. The runtime's timers begin when a turn of the event loop does: a watcher that relies on them alone may be early by
 * the turn in which it set one.
 *
 * An event loop that is late. A loop may stand still: a handler blocks, the process is stopped, the machine sleeps. What
 * clients send meanwhile waits in their sockets, and timers that became due run before it is read. No connection expires
 * whose message waits so: from the moment that a connection is overdue the loop has to poll, until a whole turn brings
 * nothing for any connection. And standing still is no silence: for as long as the loop has stood still, at most for a
 * timeout, an overdue connection may still be heard. So one that is dead expires at most one timeout later than on a loop
 * that is never late, the time not counted for which the loop stood still. parts/caught-up.ts keeps all of this for any
 * mechanism.
 *
 * It may be ended at any time and another put in its place, which then hears of every open connection: `opened`
 * counts as heard. An ended watcher ignores every call.
 */
export interface ConnectionsCompetitor extends Traits {
  readonly renewedBy: RenewedBy;
  /** The most by which a connection expires before its timeout, in ms, where no turn of the event loop takes longer than `turnMs`. */
  earliness(timeoutMs: number, turnMs: number): number;
  /** The most by which it does after it, in ms. */
  lateness(timeoutMs: number): number;
  /** Throws a RangeError for a capacity or a timeout that it cannot serve, and then has set no timer. */
  watch(setup: WatchSetup): Watcher;
}

/**
 * What renews a connection: `messages`, whatever comes: a message or a part of one, a ping, a pong; `pongs`, pongs alone,
 * as answers to the watcher's own pings; `nothing`, for a floor that never expires any.
 */
export type RenewedBy = "messages" | "pongs" | "nothing";

export interface WatchSetup {
  /** Connections that may be open at once: 1 to 4,194,304 (2^22). */
  readonly capacity: number;
  /** Silence after which a connection is to be closed, in ms: a multiple of 1,000, from 1,000 to 2,147,483,000 (24.8 days). */
  readonly timeoutMs: number;
  readonly loop: Loop;
  expired(connection: Connection): void;
}

/** An open connection, as a watcher sees it. */
export interface Connection {
  /** 0 .. capacity - 1, and that of no other open connection: index your own arrays with it. */
  readonly place: number;
  /** Asks for a pong. */
  ping(): void;
}

export interface Watcher {
  /** Throws a RangeError for a place beyond the capacity, or of a connection that has not closed. */
  opened(connection: Connection): void;
  /** Something came that is no pong: a message, a part of one, a ping. */
  heard(connection: Connection): void;
  /** A pong came. */
  answered(connection: Connection): void;
  closed(connection: Connection): void;
  /** Expires nobody from now on, watches nobody, and leaves no timer behind. May be called again. */
  end(): void;
  /** Connections that it still may expire. */
  readonly size: number;
}

/** What a watcher has of the event loop: a clock, and timers on that clock. */
export interface Loop extends NativeTimers {
  /** Monotonic, in ms. */
  now(): number;
  setTimeout<Argument>(callback: (argument: Argument) => void, delayMs: number, argument?: Argument): Timer;
  clearTimeout(timer: NativeTimer): void;
  setInterval(callback: () => void, everyMs: number): Timer;
}

export interface Timer extends NativeTimer {
  refresh(): unknown;
}

export const contract = {
  question: "What do heartbeats cost a real server, and how late does it notice that a client is gone?",
  oracle: "sweep",
  fields: {
    renewedBy: { messages: true, pongs: true, nothing: true },
    earliness: "function",
    lateness: "function",
    watch: "function",
  },
  optional: {},
  contradiction({ renewedBy, floor }) {
    return renewedBy === "nothing" && floor === undefined
      ? 'renewedBy "nothing" is for floors: say what renews a connection, or floor: true'
      : undefined;
  },
  footprint: ({ renewedBy, earliness, lateness }) =>
    renewedBy === "nothing"
      ? "nothing"
      : `on the heap; of 30 s, closes ${seconds(30_000 - earliness(30_000, 0))} to ${seconds(30_000 + lateness(30_000))} s after the last of the ${renewedBy}`,
} satisfies Contract<ConnectionsCompetitor>;

function seconds(ms: number): string {
  return String(Math.round(ms / 10) / 100);
}
