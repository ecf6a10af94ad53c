import type { Contract } from "../shared/contract.ts";
import type { Traits } from "../shared/traits.ts";

/**
 * The list from which a server takes the clients whose heartbeats are due.
 *
 * Seconds. Integers, 0 .. LATEST_SECOND, from an origin of the caller's choice, such as Unix time; a second is the
 * resolution. Clients due in the same second are equally due and may be taken in any order. So may all clients that a
 * jump of the clock makes due.
 *
 * Clock. The clock begins at the `start` of `create`. Only `take` moves it, at once and only forward: a `now` at or
 * before the clock leaves it where it is. The reach counts from the clock, so clients entered before the first `take`
 * need a `start` that is the present. A deadline before the clock counts as the clock, and a client due at the clock
 * can be taken at once. So a client entered while this second's clients are being taken, or after the last of them
 * was, is one of them.
 *
 * Clients. Ids are 0 .. clients - 1, and a client is listed once or not at all. A client that was taken is no longer
 * listed. A server that has sent the heartbeat enters the client again.
 *
 * Life. One thread, private memory. A call that throws changes nothing, the clock included.
 */
export interface DispatchCompetitor extends Traits {
  /**
   * `any`: clients may be entered in any order of their deadlines. `by deadline`: each client has to be due at or
   * after all that were ever entered before it. Otherwise clients are taken late.
   */
  readonly order: Order;
  /**
   * The number of clients beyond which entering them out of order of their deadlines costs far too much. Races leave
   * it out there. Absent: no limit.
   */
  readonly mostOutOfOrder?: number;
  /**
   * An empty list for `clients` clients, 1 .. MOST_CLIENTS. `reach` is the most seconds that a deadline may lie ahead of the
   * clock, 1 .. LONGEST_REACH. `start` is where the clock begins, 0 .. LATEST_SECOND, 0 if absent. Throws a RangeError for
   * anything else.
   */
  create(clients: number, reach: number, start?: number): DispatchList;
}

export type Order = "any" | "by deadline";

/** Not to be passed to another thread. */
export interface DispatchList {
  /**
   * Lists a client that is not listed. Throws a RangeError for a number that is no client, and for a deadline that is
   * not an int32 or lies beyond the reach. Throws an Error if the client is listed.
   */
  enter(client: number, deadline: number): void;
  /** Takes a client off the list and returns whether it was listed. A number that is no client never is. */
  remove(client: number): boolean;
  /**
   * Moves the clock to `now`, takes one client that is due at or before it off the list and returns it. Returns
   * NOBODY if none is due. Throws a RangeError unless `now` is an int32 of at most LATEST_SECOND, and of at most
   * LONGEST_RUN after the start.
   */
  take(now: number): number;
}

/** What `take` returns when no client is due. */
export const NOBODY = -1;

/** Sixteen million. A list made of timers holds as many clients as its timers can, 2^22, and says so in its Limits. */
export const MOST_CLIENTS = 2 ** 24;
/** Half a year. A list that keeps something for every second within reach needs a limit. */
export const LONGEST_REACH = 2 ** 24;
/** Of Unix time, in July 2037: the longest reach from it ends with the int32s. */
export const LATEST_SECOND = 2 ** 31 - 1 - LONGEST_REACH;
/** Seventeen years. Any two seconds that a list holds are close enough for wrapping int32 ticks to order them. */
export const LONGEST_RUN = 2 ** 29;

export const contract = {
  question: "From which list does a server take the clients whose heartbeats are due?",
  oracle: "sorted-list",
  fields: {
    order: { any: true, "by deadline": true },
    create: "function",
  },
  optional: { mostOutOfOrder: "number" },
  footprint: ({ order }) =>
    `private memory; ${order === "any" ? "clients are entered in any order" : "clients have to be entered by deadline"}`,
} satisfies Contract<DispatchCompetitor>;
