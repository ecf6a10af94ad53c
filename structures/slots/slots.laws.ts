import { chiSquareLimit, chiSquareOf } from "../shared/chi-square.ts";
import { MOST_DRAWN, type SlotsCompetitor, type SlotsState } from "./slots.contract.ts";

/**
 * The promises of a slot allocator as pure functions over what was observed at rest. Each returns undefined, or one
 * sentence that says what broke and by how much.
 */
export interface SlotsWork {
  /** What `inspect` says of the shared words. */
  readonly state: SlotsState;
  readonly perWorker: readonly WorkerSlots[];
}

/** What one worker has noted of its calls since format. */
export interface WorkerSlots {
  readonly takes: number;
  readonly gives: number;
  /** Takes that returned no slot. */
  readonly strays: number;
  /** By slot: takes less gives. */
  readonly loads: Int32Array;
  readonly counters: Readonly<Record<string, number>>;
}

/** Clients of each slot, all workers together. */
export function loadsOf(perWorker: readonly Pick<WorkerSlots, "loads">[]): number[] {
  const slots = perWorker[0]!.loads.length;
  return Array.from({ length: slots }, (_, slot) => sum(perWorker.map(({ loads }) => loads[slot]!)));
}

/** Clients of the fullest slot less those of the emptiest. */
export function spreadOf(loads: readonly number[]): number {
  // A fold, because a call with a million arguments overflows the stack.
  const most = loads.reduce((best, load) => Math.max(best, load), Number.NEGATIVE_INFINITY);
  const fewest = loads.reduce((best, load) => Math.min(best, load), Number.POSITIVE_INFINITY);
  return most - fewest;
}

/** Every take returned a slot. */
export function slotsAreInRange({ perWorker }: SlotsWork): string | undefined {
  const strays = sum(perWorker.map((worker) => worker.strays));
  return strays === 0
    ? undefined
    : `slotsAreInRange: ${strays} takes were not in 0 .. ${perWorker[0]!.loads.length - 1}`;
}

/** Shared words account for every take and every give, by the clients, tickets or holes that they record. */
export function conserved({ state, perWorker }: SlotsWork): string | undefined {
  const counted = (name: string) => sum(perWorker.map(({ counters }) => counters[name] ?? 0));
  const takes = sum(perWorker.map((worker) => worker.takes));
  const gives = sum(perWorker.map((worker) => worker.gives));
  if (state.loads !== undefined) {
    const noted = loadsOf(perWorker);
    const slot = noted.findIndex((load, index) => load !== state.loads![index]);
    if (slot !== -1)
      return `conserved: slot ${slot} has ${noted[slot]} clients, the shared words say ${state.loads[slot]}`;
  }
  if (state.tickets !== undefined) {
    const { count, modulo } = state.tickets;
    const drawn = takes - counted("reused") + counted("held");
    if ((drawn - count) % modulo !== 0)
      return `conserved: ${drawn} tickets were used or are held, the shared words say ${count} (modulo ${modulo})`;
  }
  if (state.holes !== undefined) {
    const holes = gives - counted("reused");
    if (holes !== state.holes)
      return `conserved: ${holes} slots were given and not taken again, the shared words say ${state.holes}`;
  }
  if (state.vacant !== undefined && state.vacant !== state.holes)
    return `conserved: ${state.holes} slots are free again, the shared words say that takes may claim ${state.vacant}`;
  return undefined;
}

/** A counter of tickets is folded back before it leaves the int32 range. */
export function foldedBack({ tickets }: SlotsState): string | undefined {
  if (tickets === undefined) return undefined;
  const { word, modulo } = tickets;
  return word >= 0 && word < modulo + MOST_DRAWN
    ? undefined
    : `foldedBack: the counter of tickets stands at ${word}, and is to be folded back at ${modulo}`;
}

/** A competitor with shared words says what they hold. Without that the laws could check nothing. */
export function sharedWordsTell(words: number, { loads, tickets }: SlotsState): string | undefined {
  return words === 0 || loads !== undefined || tickets !== undefined
    ? undefined
    : `sharedWordsTell: ${words} words are shared, and it reports neither loads nor tickets of them`;
}

/** All workers of a crew return from all their calls, given `limitMs` for them. */
export function everyWorkerFinishes(workers: number, finished: number, limitMs: number): string | undefined {
  return finished === workers
    ? undefined
    : `everyWorkerFinishes: ${workers - finished} of ${workers} workers were not done after ${limitMs} ms`;
}

/** Format leaves nothing done, whatever the words held before. */
export function emptyAtFirst({ loads = [], tickets, holes = 0, vacant = 0 }: SlotsState): string | undefined {
  const clients = loads.find((load) => load !== 0) ?? 0;
  const drawn = tickets?.count ?? 0;
  return clients === 0 && drawn === 0 && holes === 0 && vacant === 0
    ? undefined
    : `emptyAtFirst: before any take a slot has ${clients} clients, ${drawn} tickets are drawn, ${holes} slots given back, ${vacant} vacant`;
}

/** At every rest while filling no two slots differ by more than the claim. */
export function evenFilling(
  { spreadWhenFilling }: Pick<SlotsCompetitor, "spreadWhenFilling">,
  workers: number,
  loads: readonly number[],
): string | undefined {
  return asEvenAsClaimed("evenFilling", spreadWhenFilling(workers), workers, loads);
}

/** During churn no two slots differ by more than the claim. */
export function evenUnderChurn(
  { spreadUnderChurn }: Pick<SlotsCompetitor, "spreadUnderChurn">,
  workers: number,
  loads: readonly number[],
): string | undefined {
  return asEvenAsClaimed("evenUnderChurn", spreadUnderChurn(workers), workers, loads);
}

function asEvenAsClaimed(
  law: string,
  claimed: number,
  workers: number,
  loads: readonly number[],
): string | undefined {
  const spread = spreadOf(loads);
  return spread <= claimed
    ? undefined
    : `${law}: two slots differ by ${spread} clients, ${claimed} is claimed for ${workers} workers`;
}

/**
 * Clients are spread no worse than as many at random slots, by chi-square. This holds after filling, during churn and
 * while they come and go. It also holds when half have returned after all left slot by slot. This is the check for
 * allocators that claim no spread. Reports nothing for fewer than FEWEST_EXPECTED clients per slot.
 */
export function noWorseThanChance(loads: readonly number[]): string | undefined {
  if (sum(loads) < FEWEST_EXPECTED * loads.length) return undefined;
  const chiSquare = chiSquareOf(loads);
  const limit = chiSquareLimit(loads.length);
  return chiSquare <= limit
    ? undefined
    : `noWorseThanChance: chi-square ${chiSquare.toFixed(1)} over ${limit.toFixed(1)}`;
}

/**
 * Workers that take over a seat one after another continue. Together they are no worse than chance, and do not each
 * begin as the one before did. `loads`: the slots that each of them took first.
 */
export function restartsGoOn(loads: readonly number[]): string | undefined {
  const worse = noWorseThanChance(loads);
  if (worse === undefined) return undefined;
  const missed = loads.filter((load) => load === 0).length;
  return `restartsGoOn: ${sum(loads)} holders of one seat began at ${loads.length - missed} of ${loads.length} slots; ${worse}`;
}

/**
 * Whether clients that come and go may be spread worse than by chance. They may if an allocator deals slots in turn to
 * several workers, looks at no loads and claims no spread. Where one worker takes two turns for each of another's,
 * every worker always gets the same slots of the rotation. A worker with as many clients on fewer slots piles them up
 * there.
 */
export function turnsMayResonate(
  { readsLoads, spreadUnderChurn }: Pick<SlotsCompetitor, "readsLoads" | "spreadUnderChurn">,
  workers: number,
): boolean {
  return workers > 1 && !readsLoads && !Number.isFinite(spreadUnderChurn(workers));
}

/** Clients; the chi-square approximation needs 5 or more. */
const FEWEST_EXPECTED = 5;

/**
 * An allocator that looks at loads makes the variance less than half of what random slots have. Chance alone leaves so
 * little of it in one of 2^53 looks at 600 slots (the lower tail of chi-square in Laurent & Massart's lemma). For fewer
 * slots this reports nothing.
 */
export function loadsHaveASay(
  { readsLoads }: Pick<SlotsCompetitor, "readsLoads">,
  loads: readonly number[],
): string | undefined {
  if (!readsLoads || loads.length < FEWEST_TELLING || sum(loads) < FEWEST_EXPECTED * loads.length)
    return undefined;
  const overChance = dispersionOf(loads);
  return overChance < 0.5
    ? undefined
    : `loadsHaveASay: the variance is ${overChance.toFixed(2)} of what random slots have`;
}

const FEWEST_TELLING = 600;

/** Variance over mean: 1 for clients at random slots, however many there are; 0 for as many clients in each, or none. */
export function dispersionOf(loads: readonly number[]): number {
  return sum(loads) === 0 ? 0 : chiSquareOf(loads) / Math.max(1, loads.length - 1);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
