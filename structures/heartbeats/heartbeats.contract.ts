import type { Claims } from "../shared/claims.ts";
import type { Contract } from "../shared/contract.ts";

/**
 * Says when each client of a fleet sends its heartbeat, so that the server hears from every client once per interval
 * and from about equally many in every second.
 *
 * Time is virtual: integer seconds from an origin of the caller's choice, and never goes back from call to call. A
 * second is also the resolution: clients due in the same second are equally due. Clients are dense small integers.
 */
export interface HeartbeatCompetitor extends Claims {
  /**
   * The most seconds by which two heartbeats of a connected client may stand nearer or further than the interval, and
   * the first one further from the connect.
   */
  readonly deviation: number;
  /**
   * The most by which the messages of two seconds may differ while the fleet is at its full size and every client
   * that leaves is replaced at once; Infinity where nothing is promised.
   */
  readonly spread: number;
  /**
   * A scheduler without clients. `interval` is in seconds, 1 .. LONGEST_INTERVAL; `seed` is a uint32. Throws a
   * RangeError for anything else.
   */
  create(interval: number, seed: number): HeartbeatScheduler;
}

/** Each call throws an Error and changes nothing if the client is not in the state the call needs. */
export interface HeartbeatScheduler {
  /** Admits a client that is not connected. Returns when its first heartbeat is due, after `now`. */
  connect(client: number, now: number): number;
  /** Takes the heartbeat of a connected client. Returns when the next one is due, after `now`. */
  beat(client: number, now: number): number;
  /** Forgets a connected client. */
  disconnect(client: number, now: number): void;
}

/** About 24 days, and the longest range that `Random.below` draws from. */
export const LONGEST_INTERVAL = 2 ** 21;

/** The checks every `create` starts with; throws the RangeErrors it promises. */
export function assertSchedule(interval: number, seed: number): void {
  if (!(Number.isInteger(interval) && interval >= 1 && interval <= LONGEST_INTERVAL))
    throw new RangeError(`interval ${interval} is not an integer of seconds in 1 .. ${LONGEST_INTERVAL}`);
  if (!(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32))
    throw new RangeError(`seed ${seed} is not a uint32`);
}

export const contract = {
  question:
    "Which second should each client's heartbeat get, so that the server sees a level stream whoever comes and goes?",
  oracle: "least-loaded-scan",
  fields: {
    summary: "string",
    source: "string",
    progress: "string",
    deviation: "number",
    spread: "number",
    create: "function",
  },
  footprint: ({ deviation, spread }) =>
    `on the heap; heartbeats within ${deviation} s of the interval, ${
      Number.isFinite(spread) ? `seconds within ${spread} of each other` : "no bound on a second"
    }`,
} satisfies Contract<HeartbeatCompetitor>;
