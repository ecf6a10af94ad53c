import type { Contract } from "../shared/contract.ts";
import type { Traits } from "../shared/traits.ts";

/**
 * Decides when each client of a fleet sends its heartbeat. The server hears from every client once per interval, and
 * from about equally many in every second.
 *
 * Time is virtual: integer seconds from an origin of the caller's choice, and never goes back from call to call.
 * Clients are dense small integers.
 */
export interface HeartbeatCompetitor extends Traits {
  /** Every time that it returns is a whole multiple of this, in seconds. */
  readonly resolution: number;
  /**
   * How far two heartbeats of a connected client may deviate from `interval` when each is sent on time. The first may
   * be `later` past an interval from the connect.
   */
  deviation(interval: number): Deviation;
  /**
   * The most by which the messages of two slots may differ at the fleet's full size, while every client that leaves
   * is replaced at once. Infinity where nothing is promised.
   */
  readonly spread: number;
  /**
   * The same once no client has come or left for three intervals, however many have left for good before. Infinity
   * where nothing is promised.
   */
  readonly spreadOfSurvivors: number;
  /**
   * A scheduler without clients. `interval` is in seconds, a multiple of the resolution in 1 .. LONGEST_INTERVAL;
   * `seed` is a uint32. `slots` is for schedulers that divide the interval: the number of equal parts, each a
   * multiple of the resolution. Absent: as many as possible. Throws a RangeError for anything else.
   */
  create(interval: number, seed: number, slots?: number): HeartbeatScheduler;
}

/** The most seconds that two heartbeats may be closer than an interval, and the most that they may be further apart. */
export interface Deviation {
  readonly earlier: number;
  readonly later: number;
}

/** Each call throws an Error and changes nothing if the client is not in the state the call needs. */
export interface HeartbeatScheduler {
  /**
   * Admits a client that is not connected, 0 .. MOST_CLIENTS - 1. Throws a RangeError for others. Returns when its
   * first heartbeat is due: `now` or later.
   */
  connect(client: number, now: number): number;
  /** Takes the heartbeat of a connected client. Returns when the next one is due: later than `now`. */
  beat(client: number, now: number): number;
  /** Forgets a connected client. */
  disconnect(client: number, now: number): void;
}

/** About 24 days, and the longest range that `Random.below` draws from. */
export const LONGEST_INTERVAL = 2 ** 21;

/** Sixteen million. */
export const MOST_CLIENTS = 2 ** 24;

export const NO_DEVIATION: Deviation = { earlier: 0, later: 0 };

/** Of every scheduler here, in seconds: the clock that a server compares heartbeats with. */
export const RESOLUTION = 1;

/** The checks that every `create` starts with. Throws the RangeErrors that it promises. Returns the slots. */
export function checkedSlots(interval: number, seed: number, slots: number | undefined): number {
  if (!(Number.isInteger(interval) && interval >= 1 && interval <= LONGEST_INTERVAL))
    throw new RangeError(`interval ${interval} is not an integer of seconds in 1 .. ${LONGEST_INTERVAL}`);
  if (!(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32))
    throw new RangeError(`seed ${seed} is not a uint32`);
  const most = interval / RESOLUTION;
  if (slots === undefined) return most;
  if (!(Number.isInteger(slots) && slots >= 1)) throw new RangeError(`${slots} slots: not an integer from 1`);
  if (slots > most)
    throw new RangeError(
      `${slots} slots: an interval of ${interval} s has at most ${most} at a resolution of ${RESOLUTION} s`,
    );
  if (most % slots !== 0)
    throw new RangeError(
      `${slots} slots: ${interval} s do not divide into that number of equal parts of whole seconds`,
    );
  return slots;
}

export const contract = {
  question:
    "Which second should each client's heartbeat get, so that the rate stays level while clients come and go?",
  oracle: "optimum",
  fields: {
    resolution: "number",
    deviation: "function",
    spread: "number",
    spreadOfSurvivors: "number",
    create: "function",
  },
  optional: {},
  footprint({ deviation, spread, spreadOfSurvivors }) {
    const level = Number.isFinite(spread) ? `slots within ${spread} of each other` : "no bound on a slot";
    const survivors = Number.isFinite(spreadOfSurvivors) ? ", also of those left after others have gone" : "";
    const { earlier, later } = deviation(600);
    return `on the heap; heartbeats ${600 - earlier} to ${600 + later} s apart at 600 s, ${level}${survivors}`;
  },
} satisfies Contract<HeartbeatCompetitor>;
