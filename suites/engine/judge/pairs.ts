import { FEWEST_FORKS } from "../measure/plan/timing.ts";
import type { Contrast } from "../schema/verdict.ts";
import type { Sample } from "../statistics.ts";
import { present } from "../words/present.ts";
import { type Division, divisionOf, FEWEST_OF_GROUP } from "./division.ts";
import {
  type Appearance,
  type Entrant,
  logRatiosOf,
  NOTHING,
  type PreparedGroup,
  type Ratios,
  ratioPeers,
} from "./samples.ts";
import { differenceOf, evidenceOf, withoutOutliers } from "./verdict.ts";

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
export function contrastOf(
  ones: readonly Appearance[],
  others: readonly Appearance[],
): PairContrast | undefined {
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

function isOfBaseline({ entrant }: Appearance): boolean {
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

/** Of each row that is compared by way of its baseline: it is, with many others. */
const byBaseline = new WeakMap<Appearance, { readonly seen: Contrast | undefined }>();

/** A row of one group to its baseline; undefined where there is nothing to compare, or no floor. */
export function toBaseline(row: Appearance): Contrast | undefined {
  const { seen } = byBaseline.get(row) ?? { seen: madeToBaseline(row) };
  byBaseline.set(row, { seen });
  return seen;
}

function madeToBaseline({ group, entrant }: Appearance): Contrast | undefined {
  const { cell, role, logRatios } = entrant;
  const floor = group.floors.get(role);
  if (floor === undefined || logRatios.values.length === 0) return undefined;
  const known = { peers: ratioPeers(group, entrant), scale: group.scales.get(role)!, floor };
  return contrast(logRatios, known, cell.forks);
}

function withinGroup({ group, entrant }: Appearance, other: Entrant): Contrast | undefined {
  const { role } = entrant;
  const floor = group.floors.get(role);
  const seen = ratiosBetween(group, entrant, other);
  if (floor === undefined || seen.values.length === 0) return undefined;
  const peers = group.entrants
    .filter((peer) => peer !== entrant && peer !== other && peer.role === other.role)
    .map((peer) => ratiosBetween(group, peer, other).values)
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

/**
 * The contrast from the ratios of all processes; `raced` processes raced the row. Of two groups that nothing measured
 * tells apart it is one over all of them.
 */
export function contrast(seen: Ratios, { peers, scale, floor }: KnownOfGroup, raced: number): Contrast {
  const division = divisionOf(seen);
  const weighs = weighsIn(seen, scale, division);
  const kept = seen.values.filter((_, place) => weighs[place]);
  const evidence = { ...evidenceOf(kept, peers), floor, forks: kept.length, raced };
  if (division?.apartBy === undefined) return evidence;
  const groups = division.groups.map(({ values }) => ({
    ...evidenceOf(values, peers, FEWEST_OF_GROUP),
    forks: values.length,
  }));
  return { ...evidence, groups };
}

/**
 * Which processes weigh in a row's ratio. Where the distance of the cores divides them, all weigh but the processes
 * that saw only far cores, unless too few for an interval are left. Where something else does, all weigh: neither group
 * is the exception. Otherwise all but outliers.
 */
export function weighsIn(
  seen: Ratios,
  scale: number,
  division: Division | undefined = divisionOf(seen),
): readonly boolean[] {
  if (division === undefined) return withoutOutliers(seen.values, scale);
  const sawNear = seen.states.map((state) => state !== "far");
  const isOfNear = division.groups[0].state !== undefined && sawNear.filter(Boolean).length >= FEWEST_FORKS;
  return isOfNear ? sawNear : sawNear.map(() => true);
}

/** Each is a peer of every other comparison with the same row: a row's, by the other. */
const betweenRows = new WeakMap<Entrant, WeakMap<Entrant, Ratios>>();

/** Logarithm of one / other in every process that has both; either may be the baseline. It has none of the baseline's noise, and is of means if either is. */
function ratiosBetween(group: PreparedGroup, one: Entrant, other: Entrant): Ratios {
  const toOther = betweenRows.get(other) ?? new WeakMap<Entrant, Ratios>();
  const ratios = toOther.get(one) ?? madeBetween(group, one, other);
  betweenRows.set(other, toOther.set(one, ratios));
  return ratios;
}

function madeBetween({ group }: PreparedGroup, one: Entrant, other: Entrant): Ratios {
  const areWhole = [one, other].every(({ logCosts }) => logCosts.values.length > 0);
  if (!areWhole) return NOTHING;
  const level = [one, other].some((row) => row.level === "mean") ? "mean" : one.level;
  return logRatiosOf(one.cell, other.cell, other.role, group, level);
}
