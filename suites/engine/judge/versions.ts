import type { GroupRecord, RoleRecord } from "../schema/record.ts";
import { mean, type Sample, standardDeviation } from "../statistics.ts";
import type { Place } from "./samples.ts";
import { GAP_DEVIATIONS, LEAST_APART } from "./verdict.ts";

/**
 * Rows that V8 compiled in several ways. Which code a process ran is in the record (see ../measure/machine/compiled-code.ts), so
 * processes are grouped by it without a look at what they cost.
 */

/** A version with fewer processes says nothing about itself. */
const FEWEST_OF_VERSION = 3;

/** Undefined where nothing was noted. */
function versionIn(role: RoleRecord | undefined, fork: number): string | undefined {
  return role?.compiled?.[fork] || undefined;
}

/** `compiled in two ways: 18.2 ns in 5 of 14 processes, 58.1 ns in 9`; undefined where the versions of a row cost the same. */
export function compiledText(places: readonly Place[]): string | undefined {
  const processes = places.flatMap(({ entrant: { cell, role, logCosts } }) =>
    logCosts.values.map((logNs, place) => ({
      version: versionIn(cell.roles[role], logCosts.forks[place]!),
      logNs,
    })),
  );
  const ways = waysOf(processes);
  if (ways === undefined) return undefined;
  const [low, high] = ways.map((logs) => `${Math.exp(mean(logs)).toPrecision(3)} ns in ${logs.length}`);
  return `compiled in two ways: ${low} of ${processes.length} processes, ${high}`;
}

/** What a process cost, and by which code. */
interface Compiled {
  readonly version: string | undefined;
  readonly logNs: number;
}

/**
 * The costs of the processes with the faster versions, and with the slower ones, as logarithms. Versions are split where the
 * means of neighbours are furthest apart. The two sides have to lie as far apart as groups that are split by their values
 * (see `groupsOf`).
 */
export function waysOf(processes: readonly Compiled[]): readonly [Sample, Sample] | undefined {
  const known = processes.filter(({ version }) => version !== undefined);
  const versions = [...Map.groupBy(known, ({ version }) => version).values()]
    .filter((own) => own.length >= FEWEST_OF_VERSION)
    .map((own) => own.map(({ logNs }) => logNs))
    .toSorted((a, b) => mean(a) - mean(b));
  if (versions.length < 2) return undefined;
  const gapBefore = (place: number) => mean(versions[place]!) - mean(versions[place - 1]!);
  let widest = 1;
  for (let place = 2; place < versions.length; place++)
    if (gapBefore(place) > gapBefore(widest)) widest = place;
  const [low, high] = [versions.slice(0, widest).flat(), versions.slice(widest).flat()];
  return areApart(low, high) ? [low, high] : undefined;
}

function areApart(low: Sample, high: Sample): boolean {
  const squares = [low, high].map((own) => standardDeviation(own) ** 2 * (own.length - 1));
  const within = Math.sqrt((squares[0]! + squares[1]!) / (low.length + high.length - 2));
  const gap = Math.min(...high) - Math.max(...low);
  return mean(high) - mean(low) >= LEAST_APART && gap > GAP_DEVIATIONS * within;
}

/**
 * Whether it is the code that distinguishes two groups of a row's processes, by their places in its ratios: its own, or
 * that of the baseline in them.
 */
export function apartByCode(
  places: readonly Place[],
  groups: readonly (readonly number[])[],
): string | undefined {
  const versionsOf = (roleIn: (place: Place) => RoleRecord | undefined) => {
    const all = places.flatMap((place) =>
      place.entrant.logRatios.forks.map((fork) => versionIn(roleIn(place), fork)),
    );
    return groups.map((own) => own.map((place) => all[place]));
  };
  const own = versionsOf(({ entrant: { cell, role } }) => cell.roles[role]);
  if (tellsApart(own)) return "how V8 compiled it";
  const baselines = versionsOf(({ group, entrant }) => baselineOf(group.group)?.roles[entrant.role]);
  return tellsApart(baselines) ? "how V8 compiled its baseline" : undefined;
}

function baselineOf({ cells }: GroupRecord) {
  return cells.find(({ kind }) => kind === "baseline");
}

/** The share of processes that has to be in the group where its version usually is, as of any trait (see groups.ts). */
const TELLS_APART = 0.9;

function tellsApart(groups: readonly (readonly (string | undefined)[])[]): boolean {
  const countsOf = (version: string | undefined) =>
    groups.map((own) => own.filter((one) => one === version).length) as [number, number];
  const versions = [...new Set(groups.flat())]
    .filter((version) => version !== undefined)
    .map(countsOf)
    .filter(([below, above]) => below + above >= FEWEST_OF_VERSION);
  const total = (countOf: (counts: [number, number]) => number) =>
    versions.reduce((sum, counts) => sum + countOf(counts), 0);
  const known = [total(([below]) => below), total(([, above]) => above)] as const;
  const usual = total((counts) => Math.max(...counts));
  return Math.min(...known) >= FEWEST_OF_VERSION && usual >= TELLS_APART * (known[0] + known[1]);
}
