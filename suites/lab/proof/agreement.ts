import { isFullSpeed } from "../../engine/measure/fork/tag.ts";
import type { State } from "../../engine/schema/verdict.ts";
import { median } from "../../engine/statistics.ts";
import {
  type CheckedCellRecord,
  type CheckedGroupRecord,
  READINGS,
  type Reading,
} from "../schema/calibration.ts";
import type { Figures, Opinion } from "../schema/opinion.ts";

/**
 * Whether the judges that measured a cell agree, and if not, why: only reasons that the readings themselves bear
 * out. Pure.
 *
 * Medians are compared: each process's own, then over the turns. Quiet figures of one are compared with quiet figures
 * of the others, where there are enough. The lab's samples are slices, each a mean over a fraction of a millisecond or
 * more; a library's are batches of 25 us. So where a few batches are expensive, the lab's median is near a library's
 * mean and above its median. That is one of the reasons looked for.
 */

/** Two figures agree if the larger is at most this much above the smaller. */
export const AGREEMENT = 0.1;

const LIBRARIES: readonly Reading[] = ["mitata", "tinybench"];

export type ReasonKind = "moves" | "skewed" | "raced";

export interface Reason {
  readonly kind: ReasonKind;
  readonly text: string;
}

/** Two readings of the same cell. */
export interface Pair {
  readonly a: Reading;
  readonly b: Reading;
  /** The larger figure over the smaller, less 1. */
  readonly apart: number;
  /** Undefined where they agree, and where nothing explains why they do not. */
  readonly reason: Reason | undefined;
}

/** One reading of a cell, over all turns; times in ns per operation. */
export interface Summary {
  readonly median: number;
  readonly mean: number;
  /** p99 over median. */
  readonly tail: number;
  /** Over the turns. */
  readonly medians: Range;
  readonly means: Range;
}

/** The smallest and the largest. */
interface Range {
  readonly low: number;
  readonly high: number;
}

export interface Agreement {
  readonly name: string;
  readonly competitor: string;
  /** Whether the figures are of samples with the core at full speed alone: if every reading has such of some turn. */
  readonly state: State;
  /** Of the judges that have a number. */
  readonly summaries: ReadonlyMap<Reading, Summary>;
  /** Why the others have none. */
  readonly failures: ReadonlyMap<Reading, string>;
  readonly pairs: readonly Pair[];
  readonly heapBytesPerOperation: number | undefined;
  readonly gcNsPerOperation: number | undefined;
  /** What the libraries warned of. */
  readonly flags: readonly string[];
}

export function isApart({ apart }: Pair): boolean {
  return apart > AGREEMENT;
}

/** What a core at full speed takes for a tag, in ns: the least of a run's. Undefined without tags. */
export function fullSpeedOf(groups: readonly CheckedGroupRecord[]): number | undefined {
  const known = groups.flatMap(({ cells }) =>
    cells.flatMap(({ turns }) =>
      turns.flatMap((turn) => READINGS.flatMap((reading) => turn[reading].fullSpeedNs ?? [])),
    ),
  );
  return known.length === 0 ? undefined : Math.min(...known);
}

/** `fullSpeedNs` is that of the run. */
export function agreementOf(
  cell: CheckedCellRecord,
  group: CheckedGroupRecord,
  fullSpeedNs: number | undefined,
): Agreement {
  const failures = new Map<Reading, string>();
  for (const reading of READINGS) {
    const failed = cell.turns.find((turn) => turn[reading].failure !== undefined);
    if (failed !== undefined) failures.set(reading, failed[reading].failure!.reason);
  }
  const whole = READINGS.filter((reading) => !failures.has(reading));
  const quiet = figuresByReading(whole, cell, (opinion) =>
    isOfFullSpeed(opinion, fullSpeedNs) ? opinion.quiet?.nsPerOperation : undefined,
  );
  const any = figuresByReading(whole, cell, ({ nsPerOperation }) => nsPerOperation);
  const state = [...any.keys()].every((reading) => quiet.has(reading)) ? "quiet" : "any";
  const summaries = new Map(
    [...(state === "quiet" ? quiet : any)].map(([reading, figures]) => [reading, summaryOf(figures)]),
  );
  const weighed = cell.turns.map(({ mitata }) => mitata);
  return {
    name: cell.name,
    competitor: cell.competitor,
    state,
    summaries,
    failures,
    pairs: pairsOf([...summaries.keys()]).map(([a, b]) => {
      const apart = apartBy(summaries.get(a)!.median, summaries.get(b)!.median);
      const reason = apart > AGREEMENT ? reasonFor({ a, b, apart }, summaries, group) : undefined;
      return { a, b, apart, reason };
    }),
    heapBytesPerOperation: weighed.find((opinion) => opinion.heapBytesPerOperation !== undefined)
      ?.heapBytesPerOperation,
    gcNsPerOperation: weighed.find((opinion) => opinion.gcNsPerOperation !== undefined)?.gcNsPerOperation,
    flags: [
      ...new Set(
        cell.turns.flatMap((turn) =>
          READINGS.flatMap((reading) => turn[reading].flags.map((flag) => `${reading}: ${flag}`)),
        ),
      ),
    ],
  };
}

/** A process that never met the full speed took a slower one for it. */
function isOfFullSpeed(opinion: Opinion, fullSpeedNs: number | undefined): boolean {
  return (
    opinion.fullSpeedNs !== undefined &&
    fullSpeedNs !== undefined &&
    isFullSpeed(opinion.fullSpeedNs, fullSpeedNs)
  );
}

/** Of the libraries that have figures in any turn. */
function figuresByReading(
  readings: readonly Reading[],
  { turns }: CheckedCellRecord,
  figuresOf: (opinion: Opinion) => Figures | undefined,
): Map<Reading, readonly Figures[]> {
  const all = readings.map(
    (reading) => [reading, turns.flatMap((turn) => figuresOf(turn[reading]) ?? [])] as const,
  );
  return new Map(all.filter(([, figures]) => figures.length > 0));
}

function summaryOf(figures: readonly Figures[]): Summary {
  const medians = figures.map((figure) => figure.median);
  const means = figures.map(({ mean }) => mean);
  return {
    median: median(medians),
    mean: median(means),
    tail: median(figures.map((figure) => figure.p99 / figure.median)),
    medians: rangeOf(medians),
    means: rangeOf(means),
  };
}

function rangeOf(values: readonly number[]): Range {
  return { low: Math.min(...values), high: Math.max(...values) };
}

function meet(a: Range, b: Range): boolean {
  return a.low <= b.high && b.low <= a.high;
}

/** By how much a figure moves between processes, as a share of its least. */
function movement({ low, high }: Range): number {
  return apartBy(low, high);
}

type Difference = Omit<Pair, "reason">;

/** What a reason may leave of a difference: no disagreement, and not the larger part of what it is to explain. */
function mostLeft(apart: number): number {
  return Math.min(AGREEMENT, apart / 2);
}

/** The first of the reasons that the readings bear out; undefined if none does. */
function reasonFor(
  difference: Difference,
  summaries: ReadonlyMap<Reading, Summary>,
  group: Pick<CheckedGroupRecord, "sliceMs" | "crews">,
): Reason | undefined {
  return (
    moves(difference, summaries) ??
    skewed(difference, summaries, group.sliceMs) ??
    raced(difference, summaries, group.crews)
  );
}

/** Their ranges over the turns meet: the same engine in another process is as far from itself. */
function moves({ a, b }: Difference, summaries: ReadonlyMap<Reading, Summary>): Reason | undefined {
  const [of, other] = [summaries.get(a)!.medians, summaries.get(b)!.medians];
  if (!meet(of, other)) return undefined;
  const [reading, range] = movement(of) > movement(other) ? [a, of] : [b, other];
  const text = `between processes the figure of ${reading} itself moves by ${percent(movement(range))}`;
  return { kind: "moves", text };
}

/**
 * The lab's slice is a mean over many batches, and the mean of the library's batches agrees with it, or does in some
 * processes. Where collections or other rare work make the mean, each process has few of them.
 */
function skewed(
  { a, b, apart: difference }: Difference,
  summaries: ReadonlyMap<Reading, Summary>,
  sliceMs: number,
): Reason | undefined {
  const library = [a, b].find((reading) => LIBRARIES.includes(reading));
  const lab = [a, b].find((reading) => !LIBRARIES.includes(reading));
  if (library === undefined || lab === undefined) return undefined;
  const { mean, means, tail } = summaries.get(library)!;
  const ofLab = summaries.get(lab)!;
  const apart = apartBy(mean, ofLab.median);
  const most = mostLeft(difference);
  if (apart > most && !meet(means, ofLab.medians)) return undefined;
  const agrees =
    apart > most ? `in some processes (it moves by ${percent(movement(means))})` : `within ${percent(apart)}`;
  const text = `mean against median: the mean of ${library}'s batches agrees with the lab's slices, each a mean over ${sliceMs} ms, ${agrees}; its p99 is ${tail.toFixed(1)} times its median`;
  return { kind: "skewed", text };
}

/** The lab alone agrees with the libraries, and takes longer where other crews have the core and the caches in between. */
function raced(
  { a, b, apart: difference }: Difference,
  summaries: ReadonlyMap<Reading, Summary>,
  crews: number,
): Reason | undefined {
  const alone = summaries.get("alone")?.median;
  const among = summaries.get("raced")?.median;
  if (![a, b].includes("raced") || alone === undefined || among === undefined || among <= alone)
    return undefined;
  // Of the pair the other, or any library where that is the lab itself.
  const witnesses = LIBRARIES.filter(
    (library) => summaries.has(library) && ([a, b].includes(library) || [a, b].includes("alone")),
  );
  const apart = Math.min(...witnesses.map((library) => apartBy(alone, summaries.get(library)!.median)));
  if (apart > mostLeft(difference)) return undefined;
  const text = `raced by turns with ${crews - 1} other crews, which leave it cold caches, it takes ${percent(apartBy(alone, among))} longer; alone the lab agrees with ${witnesses.join(" or ")} within ${percent(apart)}`;
  return { kind: "raced", text };
}

export function pairsOf(readings: readonly Reading[]): [Reading, Reading][] {
  return readings.flatMap((a, index) => readings.slice(index + 1).map((b): [Reading, Reading] => [a, b]));
}

/** By how much the larger is above the smaller, as a share of it. */
function apartBy(a: number, b: number): number {
  return Math.max(a, b) / Math.min(a, b) - 1;
}

/** `12 %`, and below ten with a digit more. */
export function percent(share: number): string {
  const value = 100 * share;
  return `${value.toFixed(value < 9.95 ? 1 : 0)} %`;
}
