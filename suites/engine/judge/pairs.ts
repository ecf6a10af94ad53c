import { FEWEST_FORKS } from "../measure/plan/timing.ts";
import type { GroupRecord } from "../schema/record.ts";
import type { Contrast } from "../schema/verdict.ts";
import { mean, type Sample } from "../statistics.ts";
import { present } from "../words/present.ts";
import { type Entrant, logRatiosOf, NOTHING, type Place, type Ratios, ratioPeers } from "./samples.ts";
import { differenceOf, evidenceOf, FEWEST_OF_GROUP, groupsOf, withoutOutliers } from "./verdict.ts";

/** Two rows of one table. */
export interface PairContrast extends Contrast {
  /** Where no process raced both: each was compared with the baseline beside it, and these ratios with each other. */
  readonly byWayOfBaseline: boolean;
}

/**
 * The contrast of any two rows of a table, the first to the second. It is taken process by process where both were
 * raced in the same ones, and otherwise by way of the baseline. Undefined where one of the two has nothing to be
 * compared by. The floor of their group holds, and by way of the baseline those of both.
 */
export function contrastOf(ones: readonly Place[], others: readonly Place[]): PairContrast | undefined {
  if (others.some(isOfBaseline)) return direct(firstOf(ones, toBaseline));
  if (ones.some(isOfBaseline)) return direct(turned(firstOf(others, toBaseline)));
  const together = firstOf(ones, (one) => {
    const other = others.find(({ group }) => group === one.group);
    return other === undefined ? undefined : withinGroup(one, other.entrant);
  });
  if (together !== undefined) return direct(together);
  const [one, other] = [firstOf(ones, toBaseline), firstOf(others, toBaseline)];
  return one === undefined || other === undefined
    ? undefined
    : { ...differenceOf(one, other), byWayOfBaseline: true };
}

function isOfBaseline({ entrant }: Place): boolean {
  return entrant.cell.kind === "baseline";
}

/** Of the first row that gives one. */
function firstOf<Row>(
  rows: readonly Row[],
  seenOf: (row: Row) => Contrast | undefined,
): Contrast | undefined {
  for (const row of rows) {
    const seen = seenOf(row);
    if (seen !== undefined) return seen;
  }
  return undefined;
}

function direct(seen: Contrast | undefined): PairContrast | undefined {
  return seen === undefined ? undefined : { ...seen, byWayOfBaseline: false };
}

/** The second row to the first. */
function turned(seen: Contrast | undefined): Contrast | undefined {
  if (seen === undefined) return undefined;
  const { groups, ...rest } = seen;
  const mirrored = groups?.toReversed().map((group) => ({ ...group, middle: -group.middle }));
  return { ...rest, middle: -seen.middle, ...present({ groups: mirrored }) };
}

/** A row of one group to its baseline; undefined where there is nothing to compare, or no floor. */
export function toBaseline({ group, entrant }: Place): Contrast | undefined {
  const { cell, role, logRatios } = entrant;
  const floor = group.floors.get(role);
  if (floor === undefined || logRatios.values.length === 0) return undefined;
  const known = { peers: ratioPeers(group, entrant), scale: group.scales.get(role)!, floor };
  return contrast(logRatios, known, cell.forks);
}

function withinGroup({ group, entrant }: Place, other: Entrant): Contrast | undefined {
  const { role } = entrant;
  const floor = group.floors.get(role);
  const seen = ratiosBetween(group.group, entrant, other);
  if (floor === undefined || seen.values.length === 0) return undefined;
  const peers = group.entrants
    .filter((peer) => peer !== entrant && peer !== other && peer.role === other.role)
    .map((peer) => ratiosBetween(group.group, peer, other).values)
    .filter((peer) => peer.length > 0);
  const known = { peers, scale: group.scales.get(role)!, floor };
  return contrast(seen, known, Math.max(entrant.cell.forks, other.cell.forks));
}

/** What is known of the group of a row beside its own values. */
export interface KnownOfGroup {
  readonly peers: readonly Sample[];
  /** How far its values scatter (see `robustScale`). */
  readonly scale: number;
  readonly floor: number;
}

/** The two groups that the processes of a row fall into. */
export interface Division {
  /** The lower ratio first. */
  readonly groups: readonly [Sample, Sample];
  /** Whether one is of slices while the cores were near one another, the other while they were far apart. */
  readonly isByDistance: boolean;
}

/** By the distance of the cores where both were seen often enough; otherwise by the values themselves. */
export function divisionOf({ values, quiet, far }: Ratios): Division | undefined {
  if (values.length < FEWEST_FORKS) return undefined;
  if (Math.min(quiet.length, far.length) >= FEWEST_OF_GROUP) {
    return { groups: mean(quiet) <= mean(far) ? [quiet, far] : [far, quiet], isByDistance: true };
  }
  const places = groupsOf(values);
  if (places === undefined) return undefined;
  const [low, high] = places.map((own) => own.map((place) => values[place]!));
  return { groups: [low!, high!], isByDistance: false };
}

/** The contrast from the ratios of all processes; `raced` processes raced the row. */
export function contrast(seen: Ratios, { peers, scale, floor }: KnownOfGroup, raced: number): Contrast {
  const division = divisionOf(seen);
  const weighs = weighsIn(seen, scale, division);
  const kept = seen.values.filter((_, place) => weighs[place]);
  const evidence = { ...evidenceOf(kept, peers), floor, forks: kept.length, raced };
  if (division === undefined) return evidence;
  const groups = division.groups.map((own) => ({
    ...evidenceOf(own, peers, FEWEST_OF_GROUP),
    forks: own.length,
  }));
  return { ...evidence, groups };
}

/**
 * Which processes weigh in a row's ratio. Where the distance of the cores divides them, all weigh but the processes
 * that saw only far cores. Where something else does, all weigh: neither group is the exception. Otherwise all but
 * outliers.
 */
export function weighsIn(
  seen: Ratios,
  scale: number,
  division: Division | undefined = divisionOf(seen),
): readonly boolean[] {
  if (division === undefined) return withoutOutliers(seen.values, scale);
  return seen.states.map((state) => !division.isByDistance || state !== "far");
}

/** Logarithm of one / other in every process that has both; either may be the baseline. It has none of the baseline's noise. */
function ratiosBetween(group: GroupRecord, one: Entrant, other: Entrant): Ratios {
  const areWhole = [one, other].every(({ logCosts }) => logCosts.values.length > 0);
  if (!areWhole) return NOTHING;
  return logRatiosOf(one.cell, other.cell, other.role, group);
}
