import { allBut, samplesOf } from "../judge/judge.ts";
import { isContestant, keptFigures, logCosts, logRatios, weatherOf } from "../judge/samples.ts";
import { type Interval, medianOfForks, type Sample } from "../judge/statistics.ts";
import {
  floorOf,
  intervalOf,
  judge,
  type Ratio,
  TABLE_ERROR,
  type Verdict,
  verdictOn,
} from "../judge/verdict.ts";
import { cellName } from "../measure/plan.ts";
import type { BenchRecord, CellRecord, GroupRecord } from "../record/record.ts";

/**
 * From records to the rows of a comparison. Pure: the same records give the same rows. The table of a bench says how
 * competitors stand to each other, this one how a competitor stands to itself; figures and verdicts are made alike.
 */
export type Row = MeasuredRow | NumberlessRow;

export interface MeasuredRow {
  /** `pick/uniform-8/cas-ring/1w`, with the role of the workers behind it where there are several. */
  readonly cell: string;
  readonly noNumber?: undefined;
  /** ns per operation with a 99 % interval, on either side. */
  readonly base: Ratio;
  readonly head: Ratio;
  /** Newer over older, with the interval that the verdict rests on. */
  readonly ratio: Ratio;
  /** As a share: 0.012 is 1.2 %. Undefined where nothing is judged. */
  readonly floor: number | undefined;
  /** `not judged` where nothing was raced beside it that could take the machine's weather out of it. */
  readonly verdict: Verdict | "not judged";
}

export interface NumberlessRow {
  readonly cell: string;
  readonly noNumber: string;
}

const COST_CONFIDENCE = 0.99;

/**
 * The rows of groups that compare.ts's plan made: the rival against the baseline, each against its own group's floor,
 * all judged as one table.
 */
export function compareGroups(groups: readonly GroupRecord[], seed: number): Row[] {
  const found = groups.flatMap((group) => {
    const baseline = group.cells.find(({ kind }) => kind === "baseline")!;
    const rival = group.cells.find(({ kind }) => kind === "rival")!;
    const [competitor] = baseline.competitor.split("@");
    const cell = cellName(group.primitive, group.scenario, competitor!, group.workers);
    return sightings(group, seed).map((sighting) => {
      const named = sighting.hasRoles ? `${cell}/${sighting.role}` : cell;
      return {
        cell: named,
        base: sighting.of.get(baseline)!,
        head: sighting.of.get(rival)!,
        floor: sighting.floor,
      };
    });
  });
  const judgeable = found.flatMap(({ base, head, floor }) =>
    base.costs === undefined || head.ratios === undefined || floor === undefined
      ? []
      : [{ head, comparison: { logRatios: head.ratios, floor, peers: head.ratioPeers } }],
  );
  const judgements = judge(
    judgeable.map(({ comparison }) => comparison),
    seed,
  );
  const judgementOf = new Map(judgeable.map(({ head }, index) => [head, judgements[index]!]));
  return found.map(({ cell, base, head, floor }): Row => {
    const judgement = judgementOf.get(head);
    if (judgement === undefined) {
      const missing =
        floor === undefined
          ? "its twin, which sets the noise floor, has no number"
          : "no round counts for both sides";
      return { cell, noNumber: whyNot(base, head) ?? missing };
    }
    return { cell, base: costOf(base, seed), head: costOf(head, seed), ...judgement, floor: floor! };
  });
}

export interface RecordComparison {
  readonly rows: readonly Row[];
  /** Cells that only one of the two records has. */
  readonly onlyInBase: readonly string[];
  readonly onlyInHead: readonly string[];
}

/**
 * The rows of two records that were made at different times: of every cell that both have. What a competitor cost is
 * not comparable over time on a machine that others use too, but how it stood to the baseline beside it is; so the ratio
 * is one of ratios. The baseline itself has only its costs, and so has what was raced beside two different baselines:
 * their ratio is shown and not judged.
 */
export function compareRecords(base: BenchRecord, head: BenchRecord): RecordComparison {
  const before = sightingsByCell(base);
  const after = sightingsByCell(head);
  const common = [...before.keys()].filter((cell) => after.has(cell));
  const pairs = common.map((cell) => ({ cell, base: before.get(cell)!, head: after.get(cell)! }));
  const judged = pairs.filter(
    (pair) => isJudgeable(pair.base) && isJudgeable(pair.head) && pair.base.baseline === pair.head.baseline,
  );
  const confidence = 1 - TABLE_ERROR / Math.max(1, judged.length);
  const rows = pairs.map((pair): Row => {
    const { cell } = pair;
    const missing = whyNot(pair.base, pair.head);
    if (missing !== undefined) return { cell, noNumber: missing };
    const costs = { base: costOf(pair.base, base.seed), head: costOf(pair.head, head.seed) };
    const isBaseline = pair.base.kind === "baseline" || pair.head.kind === "baseline";
    // Ratios to two different baselines say nothing of one another.
    if (isBaseline || pair.base.baseline !== pair.head.baseline) {
      const ratio = quotient(
        estimateOf(pair.base.costs!, pair.base.costPeers, COST_CONFIDENCE, base.seed),
        estimateOf(pair.head.costs!, pair.head.costPeers, COST_CONFIDENCE, head.seed),
      );
      return { cell, ...costs, ratio, floor: undefined, verdict: "not judged" };
    }
    if (!isJudgeable(pair.base) || !isJudgeable(pair.head)) {
      return { cell, noNumber: "in one of the records its baseline or the twin has no number" };
    }
    const ratio = quotient(
      estimateOf(pair.base.ratios, pair.base.ratioPeers, confidence, base.seed),
      estimateOf(pair.head.ratios, pair.head.ratioPeers, confidence, head.seed),
    );
    // One process shows nothing of how processes differ.
    const fewest = Math.min(pair.base.ratios.length, pair.head.ratios.length);
    const floor = Math.max(pair.base.floor, pair.head.floor);
    return { cell, ...costs, ratio, floor, verdict: fewest < 2 ? "cannot tell" : verdictOn(ratio, floor) };
  });
  return {
    rows,
    onlyInBase: [...before.keys()].filter((cell) => !after.has(cell)),
    onlyInHead: [...after.keys()].filter((cell) => !before.has(cell)),
  };
}

/** What one group, or all groups of a record that raced it, saw of a cell's workers of one role. */
interface Sighting {
  readonly kind: CellRecord["kind"];
  /** Competitor that `ratios` are to. */
  readonly baseline: string | undefined;
  readonly failure: string | undefined;
  /** Logarithms of ns per operation; undefined where no slice has a number. */
  readonly costs: Sample | undefined;
  /** Of the ratio to the group's baseline; undefined for the baseline. */
  readonly ratios: Sample | undefined;
  readonly costPeers: readonly Sample[];
  readonly ratioPeers: readonly Sample[];
}

function sightings(group: GroupRecord, seed: number) {
  const weather = weatherOf(group);
  const kept = new Map(group.cells.map((cell) => [cell, keptFigures(cell, group, weather)]));
  const entrants = group.cells.filter(isContestant);
  const baseline = entrants.find(({ kind }) => kind === "baseline");
  const roles = [...new Set(group.roles)];
  return roles.map((role) => {
    const costs = samplesOf(entrants, (cell) => logCosts(kept.get(cell)!, role));
    const ratios = samplesOf(
      entrants.filter((cell) => cell !== baseline && baseline !== undefined && costs.has(baseline)),
      (cell) => logRatios(kept.get(cell)!, kept.get(baseline!)!, role),
    );
    const floors = entrants.flatMap((cell) =>
      cell.kind === "twin" && ratios.has(cell) ? floorOf(ratios.get(cell)!, seed) : [],
    );
    const of = new Map(
      entrants.map((cell): [CellRecord, Sighting] => [
        cell,
        {
          kind: cell.kind,
          baseline: baseline?.competitor,
          failure: cell.failure?.reason,
          costs: costs.get(cell),
          ratios: ratios.get(cell),
          costPeers: allBut(costs, cell),
          ratioPeers: allBut(ratios, cell),
        },
      ]),
    );
    // Of several twins the one that strays most: what any of them can do by chance, so can the other side.
    return {
      role,
      hasRoles: roles.length > 1,
      of,
      floor: floors.length === 0 ? undefined : Math.max(...floors),
    };
  });
}

type FlooredSighting = Sighting & { readonly floor: number | undefined };

function isJudgeable(
  sighting: FlooredSighting,
): sighting is FlooredSighting & { readonly ratios: Sample; readonly floor: number } {
  return sighting.ratios !== undefined && sighting.floor !== undefined;
}

/**
 * Every cell of a record that is no twin and none of the engine's own. A baseline that was raced in several groups has
 * the forks of all, and the largest of their floors.
 */
function sightingsByCell(record: BenchRecord): Map<string, FlooredSighting> {
  const all = record.groups.flatMap((group) =>
    sightings(group, record.seed).flatMap(({ role, hasRoles, of, floor }) =>
      [...of]
        .filter(([{ kind }]) => kind !== "twin")
        .map(([{ name }, sighting]) => ({ cell: hasRoles ? `${name}/${role}` : name, ...sighting, floor })),
    ),
  );
  const merged = (parts: readonly (Sample | undefined)[]) => {
    const forks = parts.flatMap((part) => part ?? []);
    return forks.length === 0 ? undefined : forks;
  };
  return new Map(
    [...Map.groupBy(all, ({ cell }) => cell)].map(([cell, parts]) => {
      const floors = parts.flatMap(({ floor }) => floor ?? []);
      return [
        cell,
        {
          kind: parts[0]!.kind,
          baseline: parts[0]!.baseline,
          failure: parts.find(({ failure }) => failure !== undefined)?.failure,
          costs: merged(parts.map(({ costs }) => costs)),
          ratios: merged(parts.map(({ ratios }) => ratios)),
          costPeers: parts.flatMap(({ costPeers }) => costPeers),
          ratioPeers: parts.flatMap(({ ratioPeers }) => ratioPeers),
          floor: floors.length === 0 ? undefined : Math.max(...floors),
        },
      ];
    }),
  );
}

/** Why a pair has no number, and on which side; undefined where both have one. */
function whyNot(base: Sighting, head: Sighting): string | undefined {
  for (const [name, { failure, costs }] of [
    ["base", base],
    ["head", head],
  ] as const) {
    if (failure !== undefined) return `${name}: ${failure}`;
    if (costs === undefined) return `${name}: no slice counts, or in some no operation came to its end`;
  }
  return undefined;
}

/** A figure of a cell by itself, ns per operation. Of a cell that has costs. */
function costOf({ costs, costPeers }: Sighting, seed: number): Ratio {
  const { middle, low, high } = estimateOf(costs!, costPeers, COST_CONFIDENCE, seed);
  return { value: Math.exp(middle), low: Math.exp(low), high: Math.exp(high) };
}

interface Estimate extends Interval {
  readonly middle: number;
}

function estimateOf(sample: Sample, peers: readonly Sample[], confidence: number, seed: number): Estimate {
  return { middle: medianOfForks(sample), ...intervalOf(sample, peers, confidence, seed) };
}

/**
 * The quotient of two figures given by independent estimates of their logarithms. Its interval is recovered from the
 * two intervals, each end from the ends that are farthest in its direction, in quadrature (Zou & Donner 2008, Statistics
 * in Medicine 27:1693), so that it has what those have: the bootstrap's lopsidedness and the width that few forks ask for.
 */
function quotient(base: Estimate, head: Estimate): Ratio {
  const middle = head.middle - base.middle;
  const below = Math.hypot(head.middle - head.low, base.high - base.middle);
  const above = Math.hypot(head.high - head.middle, base.middle - base.low);
  return { value: Math.exp(middle), low: Math.exp(middle - below), high: Math.exp(middle + above) };
}
