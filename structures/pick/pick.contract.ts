import type { Claims } from "../shared/claims.ts";
import type { Contract } from "../shared/contract.ts";
import type { Region } from "../shared/layout.ts";
import type { Seat } from "../shared/seat.ts";

/**
 * A picker is a load-balancer's selection: called for every request, by any worker, it answers which of N backends
 * takes it. The source document asks two things of it: that it be thread-safe, and that it break up repeating
 * request patterns.
 *
 * Life: one thread formats `words` words once, before any other may touch them; then every worker attaches and calls
 * its own `Picker`. Backends are numbered 0 .. backends - 1 and do not change while workers are attached.
 *
 * A **ticket** is the serial number of a pick in the order the structure handed picks out, from `firstTicket`. A
 * **lap** is the order in which a round robin visits the backends, fixed when it is formatted.
 */
export interface PickCompetitor extends Claims {
  /** `round-robin`: ticket t gets backend lap[t mod backends]. `random`: each pick is an independent uniform draw. */
  readonly order: "round-robin" | "random";
  /**
   * Largest difference between the picks of two backends when all workers are at rest, for a crew of `workers`;
   * Infinity where only the law of large numbers bounds it. Holds after any number of picks, 2^32 and more.
   */
  gapBound(workers: number): number;
  /**
   * `linearizable`: a pick that returned before another began has the lower ticket. `none`: there is no common
   * sequence of tickets to speak of.
   */
  readonly tickets: "linearizable" | "none";
  /**
   * Tickets just before which this picker's arithmetic changes regime: tests start below each of them, and races
   * cross one while they warm up. 2^31 and 2^32 are always tried.
   */
  wrapPoints(backends: number): readonly number[];
  /** Size in int32 words. */
  words(setup: PickSetup): number;
  format(memory: Region, setup: PickSetup): void;
  attach(memory: Region, setup: PickSetup, seat: Seat): Picker;
  /** Reads back what the shared words say was done. Only while no worker is picking. */
  inspect(memory: Region, setup: PickSetup): PickState;
}

export interface PickSetup {
  /** 1 .. 2^20. */
  readonly backends: number;
  /** uint32; decides the shuffle and every random stream. */
  readonly seed: number;
  /** Ticket of the first pick, 0 .. 2^32 - 1; a way to start next to a wrap point. Random pickers ignore it. */
  readonly firstTicket: number;
  readonly workers: number;
}

/** One worker's handle. Not to be passed to another thread. */
export interface Picker {
  /** The backend for the next request, 0 .. backends - 1. */
  pick(): number;
  /** Totals since attach, by name, for the structures that have something to tell. */
  counters?(): Readonly<Record<string, number>>;
}

export interface PickState {
  /** Picks handed out since format according to the shared words; undefined where nothing is shared. */
  readonly handedOut?: {
    readonly count: number /** `count` is known modulo this. */;
    readonly modulo: number;
  };
  /** The lap, for a round robin. */
  readonly lap?: readonly number[];
}

export const contract = {
  question: "Which backend takes the next request, when many workers ask at once?",
  oracle: "locked-round-robin",
  fields: {
    summary: "string",
    source: "string",
    progress: "string",
    order: "string",
    gapBound: "function",
    tickets: "string",
    wrapPoints: "function",
    words: "function",
    format: "function",
    attach: "function",
    inspect: "function",
  },
  footprint: (picker) => {
    const words = picker.words({ backends: 8, seed: 0, firstTicket: 0, workers: 8 });
    return `${words * Int32Array.BYTES_PER_ELEMENT} B shared, 8 backends`;
  },
} satisfies Contract<PickCompetitor>;
