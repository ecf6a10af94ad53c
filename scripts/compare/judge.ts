import type { TaskRow } from "../../suites/engine/cli/commits/outcome.ts";
import { IN_BASE, type SeenRace } from "../../suites/engine/cli/commits/verdicts.ts";
import { figureOf } from "../../suites/engine/cli/report.ts";
import { judgeScenario } from "../../suites/engine/judge/judge.ts";
import {
  differenceOf,
  judgeContrast,
  ratiosOfGroups,
  type Strictness,
  UNBOUNDED,
} from "../../suites/engine/judge/verdict.ts";
import { changeText } from "../../suites/engine/judge/versions.ts";
import type { GroupRecord } from "../../suites/engine/schema/record.ts";
import type {
  Conditions,
  Contrast,
  JudgedMeasured,
  JudgedRow,
  JudgedScenario,
  Ratio,
} from "../../suites/engine/schema/verdict.ts";
import { present } from "../../suites/engine/words/present.ts";
import type { BenchRecord } from "../../suites/lab/schema/record.ts";
import { judgeRecord } from "../../suites/lab/verdicts/judge-record.ts";

/**
 * From records to what is seen of a competitor at two commits. Pure. The table of a bench compares competitors with each other,
 * this one a competitor with itself. Figures and verdicts are made alike.
 */

/** All rows of a comparison of records have one place. */
export const FILE = "structures";

/** What a group of a pair shows, of each role: the rival against the baseline. */
export function seenInGroup(group: GroupRecord): SeenRace[] {
  const sightings = sightingsIn([judgeScenario([group])]);
  const ofKind = (kind: JudgedRow["kind"], role: string | undefined) =>
    sightings.find(({ row }) => row.kind === kind && row.role === role)!;
  return [...new Set(sightings.map(({ row }) => row.role))].map((role): SeenRace => {
    const [base, head] = [ofKind("baseline", role), ofKind("rival", role)];
    const named = role === undefined ? {} : { role };
    const { row, conditions } = head;
    const sides = sidesOf(base.row, row);
    if ("verdict" in sides) return { ...named, ...sides };
    if (sides.head.toBaseline !== undefined)
      return { ...named, ...judged(sides, sides.head.toBaseline, strictnessOf([head], 1)) };
    const reason =
      conditions.floors.length === 0
        ? "its A/A control, which sets the noise floor, has no number"
        : "no slice of one side counts beside one of the other";
    return { ...named, verdict: "no number", processes: conditions.forks, reason };
  });
}

export interface RecordComparison {
  readonly rows: readonly TaskRow[];
  /** Cells that only one of the two records has. */
  readonly onlyInBase: readonly string[];
  readonly onlyInHead: readonly string[];
}

/**
 * The rows of two records that were made at different times: of every cell that both have. What a competitor cost is
 * not comparable over time on a machine that others use too. Its ratio to the baseline beside it is comparable, so the
 * result is a ratio of ratios. The baseline itself has only its costs, and so has what was raced beside two different
 * baselines: their ratio is shown and not judged.
 */
export function compareRecords(base: BenchRecord, head: BenchRecord): RecordComparison {
  const [before, after] = [base, head].map(
    (record) =>
      new Map(
        sightingsIn(judgeRecord(record).races).map((sighting) => [sighting.row.cell, sighting] as const),
      ),
  ) as [Map<string, Sighting>, Map<string, Sighting>];
  const pairs = [...before].flatMap(([cell, sighting]) =>
    after.has(cell) ? [{ cell, base: sighting, head: after.get(cell)! }] : [],
  );
  const strictness = strictnessOf(
    [...before.values(), ...after.values()],
    pairs.filter((pair) => isPair(pair.base, pair.head)).length,
  );
  return {
    rows: pairs.map(({ cell, ...pair }): TaskRow => {
      const named = { file: FILE, task: cell };
      const sides = sidesOf(pair.base.row, pair.head.row);
      if ("verdict" in sides) return { ...named, ...sides };
      if (!isPair(pair.base, pair.head)) return { ...named, ...unjudged(sides) };
      const [earlier, later] = [sides.base.toBaseline, sides.head.toBaseline];
      if (earlier !== undefined && later !== undefined)
        return { ...named, ...judged(sides, differenceOf(later, earlier), strictness) };
      const reason = "in one of the records its baseline or the A/A control has no number";
      return { ...named, verdict: "no number", reason };
    }),
    onlyInBase: [...before.keys()].filter((cell) => !after.has(cell)),
    onlyInHead: [...after.keys()].filter((cell) => !before.has(cell)),
  };
}

/** A row, and how its table was raced. */
interface Sighting {
  readonly row: JudgedRow;
  readonly conditions: Conditions;
}

/** All rows but A/A controls, which belong to neither side. */
function sightingsIn(races: readonly JudgedScenario[]): Sighting[] {
  return races.flatMap(({ rows, conditions }) =>
    rows
      .filter(({ kind }) => kind !== "aa-control")
      .map((row) => ({ row, conditions: conditions.find(({ workers }) => workers === row.workers)! })),
  );
}

function strictnessOf(sightings: readonly Sighting[], rows: number): Strictness {
  return { rows, looks: Math.max(1, ...sightings.map(({ conditions }) => conditions.looks)) };
}

/**
 * Whether both were raced beside the same baseline, and neither is one itself: ratios to different baselines cannot be
 * compared.
 */
function isPair(base: Sighting, head: Sighting): boolean {
  return (
    base.row.kind !== "baseline" &&
    head.row.kind !== "baseline" &&
    base.conditions.baseline === head.conditions.baseline
  );
}

interface Sides {
  readonly base: JudgedMeasured;
  readonly head: JudgedMeasured;
}

/** Two rows with a number; or what it means that one has none. */
function sidesOf(base: JudgedRow, head: JudgedRow): Sides | SeenRace {
  const processes = Math.min(base.forks, head.forks);
  if (head.noNumber !== undefined)
    return {
      verdict: base.noNumber === undefined ? "failed" : "no number",
      processes,
      reason: head.noNumber,
    };
  if (base.noNumber !== undefined) return { verdict: "no base", processes, reason: IN_BASE + base.noNumber };
  return { base, head };
}

function judged({ base, head }: Sides, contrast: Contrast, strictness: Strictness): SeenRace {
  const { ratio, sees, verdict } = judgeContrast(contrast, strictness);
  const { floor, forks } = contrast;
  const groups = ratiosOfGroups(contrast, strictness);
  return {
    verdict,
    ratio: figureOf(ratio),
    ...(groups === undefined
      ? {}
      : { groups: groups.map((own) => ({ ratio: figureOf(own.ratio), forks: own.forks })) }),
    baseNs: base.median,
    headNs: head.median,
    // A single process does not show how processes differ.
    ...(Number.isFinite(floor) ? { floor } : {}),
    ...(Number.isFinite(sees) ? { sees } : {}),
    processes: forks,
    ...present({ compiled: changeText(base.processes, head.processes) }),
  };
}

/** What two costs come to that were not measured side by side: their ratio, as far apart as both intervals allow. */
function unjudged({ base, head }: Sides): SeenRace {
  const [before, after] = [base, head].map((row): Ratio => {
    return { value: row.median, ...(row.interval ?? UNBOUNDED) };
  }) as [Ratio, Ratio];
  const ratio = {
    value: after.value / before.value,
    low: after.low / before.high,
    high: after.high / before.low,
  };
  const processes = Math.min(base.processes.length, head.processes.length);
  return {
    verdict: "not judged",
    ratio: figureOf(ratio),
    baseNs: before.value,
    headNs: after.value,
    processes,
  };
}
