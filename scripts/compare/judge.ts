import { judgeRecord, judgeScenario } from "../../suites/engine/judge/judge.ts";
import {
  confidenceOf,
  differenceOf,
  judgeContrast,
  ratiosOfGroups,
  type Strictness,
  UNBOUNDED,
  type Verdict,
} from "../../suites/engine/judge/verdict.ts";
import type { BenchRecord } from "../../suites/engine/schema/record.ts";
import type {
  Conditions,
  Contrast,
  JudgedMeasured,
  JudgedRow,
  JudgedScenario,
  Ratio,
  State,
} from "../../suites/engine/schema/verdict.ts";

/**
 * From records to the rows of a comparison. Pure: the same records give the same rows. The table of a bench compares
 * competitors with each other, this one a competitor with itself. Figures and verdicts are made alike.
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
  /** Of the two groups that its processes fall into, the lower ratio first; absent where they are one group. */
  readonly groups?: readonly { readonly ratio: Ratio; readonly forks: number }[];
  /** As a share: 0.012 is 1.2 %. Undefined where nothing is judged, and of a single process of method 3. */
  readonly floor: number | undefined;
  /** The least difference that would have been seen, as a share; undefined where nothing is judged, and of a single process. */
  readonly sees: number | undefined;
  /** Processes that the ratio rests on; of two records, of the one that has fewer. */
  readonly forks: number;
  /** The state of the machine that most of its figures are of; `any` where the two sides differ in that. */
  readonly state: State;
  /** `not judged` where nothing was raced beside it that could take the host's noise out of it. */
  readonly verdict: Verdict | "not judged";
}

export interface NumberlessRow {
  readonly cell: string;
  readonly noNumber: string;
}

/**
 * The rows of groups that compare.ts's plan made: the rival against the baseline, each against its own group's floor,
 * all judged as one table.
 */
export function compareGroups(groups: BenchRecord["groups"]): Row[] {
  const pairs = groups.flatMap((group) => {
    const sightings = sightingsIn([judgeScenario([group])]);
    const ofKind = (kind: JudgedRow["kind"], role: string | undefined) =>
      sightings.find(({ row }) => row.kind === kind && row.role === role)!;
    const roles = new Set(sightings.map(({ row }) => row.role));
    return [...roles].map((role) => [ofKind("baseline", role), ofKind("rival", role)] as const);
  });
  const strictness = { rows: pairs.length, looks: mostLooks(pairs.flat()) };
  return pairs.map(([base, head]): Row => {
    const cell = withoutSide(base.row);
    const sides = sidesOf(base.row, head.row);
    if (typeof sides === "string") return { cell, noNumber: sides };
    const { toBaseline } = sides.head;
    if (toBaseline === undefined) {
      const reason =
        base.conditions.floors.length === 0
          ? "its A/A control, which sets the noise floor, has no number"
          : "no slice of one side counts beside one of the other";
      return { cell, noNumber: reason };
    }
    return judgedRow(cell, sides, toBaseline, strictness);
  });
}

/** `pick/uniform-8/cas-ring@1a2b3c4/1w/reader` without the name of the side. */
function withoutSide({ cell, competitor }: JudgedRow): string {
  return cell.replace(`/${competitor}/`, `/${competitor.split("@")[0]!}/`);
}

export interface RecordComparison {
  readonly rows: readonly Row[];
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
  const strictness = {
    rows: pairs.filter((pair) => isPair(pair.base, pair.head)).length,
    looks: mostLooks([...before.values(), ...after.values()]),
  };
  return {
    rows: pairs.map((pair): Row => {
      const { cell } = pair;
      const sides = sidesOf(pair.base.row, pair.head.row);
      if (typeof sides === "string") return { cell, noNumber: sides };
      if (!isPair(pair.base, pair.head)) return unjudgedRow(cell, sides);
      const [earlier, later] = [sides.base.toBaseline, sides.head.toBaseline];
      return earlier === undefined || later === undefined
        ? { cell, noNumber: "in one of the records its baseline or the A/A control has no number" }
        : judgedRow(cell, sides, differenceOf(later, earlier), strictness);
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

function mostLooks(sightings: readonly Sighting[]): number {
  return Math.max(1, ...sightings.map(({ conditions }) => conditions.looks));
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

/** What a row is of one side. */
interface Side {
  readonly cost: Ratio;
  /** Processes that have a cost. */
  readonly forks: number;
  readonly toBaseline: Contrast | undefined;
}

interface Sides {
  readonly state: State;
  readonly base: Side;
  readonly head: Side;
}

/** Of two rows with a number; or why there is none, on which side. */
function sidesOf(base: JudgedRow, head: JudgedRow): Sides | string {
  if (base.noNumber !== undefined) return `base: ${base.noNumber}`;
  if (head.noNumber !== undefined) return `head: ${head.noNumber}`;
  const state = base.state === head.state ? base.state : "any";
  return { state, base: sideOf(base), head: sideOf(head) };
}

function sideOf({ median, interval, processes, toBaseline }: JudgedMeasured): Side {
  return { cost: { value: median, ...(interval ?? UNBOUNDED) }, forks: processes.length, toBaseline };
}

function judgedRow(
  cell: string,
  { state, base, head }: Sides,
  contrast: Contrast,
  strictness: Strictness,
): MeasuredRow {
  const { ratio, sees, verdict } = judgeContrast(contrast, strictness);
  const { floor, forks } = contrast;
  const groups = ratiosOfGroups(contrast, confidenceOf(strictness));
  return {
    cell,
    state,
    base: base.cost,
    head: head.cost,
    ratio,
    ...(groups === undefined ? {} : { groups }),
    floor: finite(floor),
    sees: finite(sees),
    forks,
    verdict,
  };
}

/** A single process does not show how processes differ. */
function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}

/** What two costs come to that were not measured side by side: their ratio, as far apart as both intervals allow. */
function unjudgedRow(cell: string, { state, base, head }: Sides): MeasuredRow {
  const [before, after] = [base.cost, head.cost];
  return {
    cell,
    state,
    base: before,
    head: after,
    ratio: {
      value: after.value / before.value,
      low: after.low / before.high,
      high: after.high / before.low,
    },
    floor: undefined,
    sees: undefined,
    forks: Math.min(base.forks, head.forks),
    verdict: "not judged",
  };
}
