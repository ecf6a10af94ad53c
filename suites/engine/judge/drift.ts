import type { CrewResult } from "../measure/plan/protocol.ts";
import { logCostsOf } from "../measure/plan/replication.ts";
import { ascending, median, quantile } from "../statistics.ts";

/**
 * Operations whose cost changes as they run: a queue that grows, a cache that fills, code that V8 compiled late on a busy
 * machine. What one costs depends on how many came before it, and slices are no samples of one cost. Pure.
 */

/** Costs that change by less are within what machines do, as a ratio. */
const LEAST_CHANGE = Math.log(1.25);
/** The share of processes that may show less, or none: they were disturbed. */
const MAY_DIFFER = 1 / 4;
const FEWEST_PROCESSES = 2;
const FEWEST_SLICES_OF_QUARTER = 3;
/** The crew whose work never changes: what it shows is the machine's doing. */
const CONTROL = "~control";

/**
 * How many times as long an operation takes in the last quarter of a process as in the first, by name of the crew. Only crews
 * whose operations change as they run have an entry. Such a row keeps its time, and no verdict rests on it.
 */
export function driftsIn(
  processes: readonly { readonly crews: readonly CrewResult[] }[],
): Map<string, number> {
  const changes = new Map<string, Change[]>();
  for (const { crews } of processes) {
    const control = crews.find(({ name }) => name === CONTROL);
    const machine = control === undefined ? 0 : (changeOf(control, 1)?.middle ?? 0);
    for (const crew of crews) {
      const change = crew === control ? undefined : changeOf(crew, FEWEST_SLICES_OF_QUARTER);
      if (change !== undefined)
        changes.set(crew.name, [...(changes.get(crew.name) ?? []), less(change, machine)]);
    }
  }
  const drifting = [...changes].filter(([, seen]) => isDrift(seen.map(({ least }) => least)));
  return new Map(drifting.map(([name, seen]) => [name, Math.exp(median(seen.map(({ middle }) => middle)))]));
}

/** From the first quarter of a process's rounds to the last: logarithms of ratios of costs. */
interface Change {
  readonly middle: number;
  /** The least that slices agree on: from the nearer quartile of one quarter to that of the other, 0 where these overlap. */
  readonly least: number;
}

function changeOf(crew: CrewResult, fewest: number): Change | undefined {
  const { rounds } = crew;
  const end = (rounds.at(-1) ?? 0) + 1;
  const costs = logCostsOf(crew);
  const within = (from: number, to: number) =>
    costs
      .filter(
        (cost, slice) => rounds[slice]! >= from * end && rounds[slice]! < to * end && Number.isFinite(cost),
      )
      .sort(ascending);
  const first = within(0, 1 / 4);
  const last = within(3 / 4, 1);
  if (Math.min(first.length, last.length) < fewest) return undefined;
  const middle = quantile(last, 1 / 2) - quantile(first, 1 / 2);
  const rise = quantile(last, 1 / 4) - quantile(first, 3 / 4);
  const fall = quantile(last, 3 / 4) - quantile(first, 1 / 4);
  return { middle, least: middle > 0 ? Math.max(0, rise) : Math.min(0, fall) };
}

/** What is left of a change where the machine itself changed by so much in the same direction. */
function less({ middle, least }: Change, machine: number): Change {
  const part = Math.sign(middle) === Math.sign(machine) ? machine : 0;
  const towardsZero = (change: number) => Math.sign(middle) * Math.max(0, Math.abs(change) - Math.abs(part));
  return { middle: towardsZero(middle), least: towardsZero(least) };
}

function isDrift(changes: readonly number[]): boolean {
  if (changes.length < FEWEST_PROCESSES) return false;
  const mayDiffer = Math.floor(MAY_DIFFER * changes.length);
  const sorted = changes.toSorted(ascending);
  return sorted[mayDiffer]! >= LEAST_CHANGE || sorted.at(-1 - mayDiffer)! <= -LEAST_CHANGE;
}
