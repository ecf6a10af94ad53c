import type { Contract } from "../shared/contract.ts";
import type { Traits } from "../shared/traits.ts";
import type { NativeTimer, NativeTimers } from "../timers/parts/callbacks.ts";

/**
 * Watches the connections of one server process: which of them have been silent for too long?
 *
 * The server reports to the watcher when a connection opens and when either side has closed it. It reports everything
 * that the client sends in between. The watcher reports each connection that has expired to the server, once. The
 * server then closes it. It calls `closed` from within `expired` or later. Reports of a connection between the two
 * are ignored.
 *
 * Silence is the time since the last message that renews the connection, or since it opened if no such message came.
 * A watcher states how long before `timeoutMs` of silence it may expire a connection, and how long after. Both hold
 * on an event loop that is never late. The runtime's timers count from the beginning of a turn of the event loop. A
 * watcher that relies on them alone may be early by the turn in which it set one.
 *
 * An event loop that is late. A loop may stand still: a handler blocks, the process is stopped, the machine sleeps. What
 * clients send meanwhile waits in their sockets, and timers that became due run before it is read. A connection with
 * a waiting message does not expire. Once a connection is overdue, the loop has to poll until a whole turn brings
 * nothing for any connection. A stalled loop is not silence. For as long as the loop stood still, up to one timeout,
 * an overdue connection may still be heard. A dead connection therefore expires at most one timeout later than on a
 * loop that is never late. The time during which the loop stood still does not count. parts/caught-up.ts keeps these
 * promises for any mechanism.
 *
 * A watcher may be ended at any time and replaced by another. The server reports every open connection to the new
 * one, and `opened` counts as heard. An ended watcher ignores every call.
 */
export interface ConnectionsCompetitor extends Traits {
  readonly renewedBy: RenewedBy;
  /**
   * The longest time before its timeout at which a connection may expire, in ms, where no turn of the event loop
   * takes longer than `turnMs`.
   */
  earliness(timeoutMs: number, turnMs: number): number;
  /** The longest time after its timeout at which it may expire, in ms. */
  lateness(timeoutMs: number): number;
  /** Throws a RangeError for a capacity or a timeout that it cannot serve. It has set no timer then. */
  watch(setup: WatchSetup): Watcher;
}

/**
 * Which messages renew a connection. `messages`: any message or part of one, a ping, a pong. `pongs`: only the pongs
 * that answer the watcher's own pings. `nothing`: for a lower bound, which never expires a connection.
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
  /** In 0 .. capacity - 1, and unique among open connections: index your own arrays with it. */
  readonly place: number;
  /** Asks for a pong. */
  ping(): void;
}

export interface Watcher {
  /** Throws a RangeError for a place beyond the capacity, or one whose connection has not closed. */
  opened(connection: Connection): void;
  /** The client sent something other than a pong: a message, a part of one, a ping. */
  heard(connection: Connection): void;
  /** The client sent a pong. */
  answered(connection: Connection): void;
  closed(connection: Connection): void;
  /** Stops: expires no connection from now on and leaves no timer behind. May be called again. */
  end(): void;
  /** Connections that may still expire. */
  readonly size: number;
}

/** The parts of the event loop that a watcher uses: a clock, and timers on that clock. */
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
  contradiction({ renewedBy, lowerBound }) {
    return renewedBy === "nothing" && lowerBound === undefined
      ? 'renewedBy "nothing" is for lower bounds: say what renews a connection, or lowerBound: true'
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
