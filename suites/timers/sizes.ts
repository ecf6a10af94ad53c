import type { TimersCompetitor } from "../../structures/timers/timers.contract.ts";
import type { Placement } from "../engine/race.ts";

export const SIZES = [
  ["1k", 1_000],
  ["10k", 10_000],
  ["100k", 100_000],
  ["1m", 1_000_000],
] as const;
/** Where variants race too; the other sizes are for competitors whose growth is of interest. */
export const MAIN_SIZE = 100_000;
export const SMOKE_SIZE = 200;
/**
 * What the largest, a timer of Node's or an entry of two hash maps, holds, and the workload beside it. V8 needs as much
 * again to move things about.
 */
const BYTES_PER_TIMER = 500;
/** What the workloads hold for each timer at most. */
const BYTES_OF_WORKLOAD = 32;
/** From here on timers and connections, 35 bytes each, and the heads of a wheel do not fit the nearest caches. */
export const LARGE = 10_000;
/**
 * Least length of a slice for each 100,000 timers. Some structures look at all they have about once in a second of virtual
 * time. That is 10,000 messages of 100,000 connections, 0.2 to 1 ms: a slice should hold a few such moments.
 */
const SLICE_MS_PER_100K = 3;

const FOLLOWS_OTHER_CLOCK = "its timers do not follow the caller's clock";

export function slicesFor(size: number): { readonly sliceMs?: number } {
  return size < MAIN_SIZE ? {} : { sliceMs: (size / 100_000) * SLICE_MS_PER_100K };
}

/** What has no words keeps its timers on the engine's heap. */
export function placementOf(competitor: TimersCompetitor, timers: number): Placement {
  return competitor.words(timers, 1) === 0 ? "objects" : "arena";
}

export function bytesFor(competitor: TimersCompetitor | undefined, timers: number): number {
  const words = competitor?.words(timers, 1) ?? 0;
  const own = words > 0 ? words * Int32Array.BYTES_PER_ELEMENT : timers * BYTES_PER_TIMER;
  return own + timers * BYTES_OF_WORKLOAD;
}

export function absentFrom({ callers, mostTimers }: TimersCompetitor, size: number): string | undefined {
  if (callers === "crew") return "made for several workers: see the crew scenarios";
  if (mostTimers !== undefined && size > mostTimers) return `not meant for more than ${mostTimers} timers`;
  return undefined;
}

export function variantElsewhere({ variantOf }: TimersCompetitor): string | undefined {
  return variantOf === undefined
    ? undefined
    : "a variant: see refresh-100k, renew-100k, mixed-100k, requests-100k and steady-100k";
}

export function otherClock({ expiry }: TimersCompetitor): string | undefined {
  return expiry === "advance" ? undefined : FOLLOWS_OTHER_CLOCK;
}
