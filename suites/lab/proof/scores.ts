import { contrastOf } from "../../engine/judge/pairs.ts";
import { floorControlOf, ofForks, prepareTable } from "../../engine/judge/samples.ts";
import { undecided } from "../../engine/judge/undecided.ts";
import { judgeContrast, LOOKS, type Verdict } from "../../engine/judge/verdict.ts";
import type { QuartilesRecord, StateRecord } from "../../engine/schema/record.ts";
import { type Bounds, median, sum, wilsonInterval } from "../../engine/statistics.ts";
import type { CalibrationRecord, KnownGroupRecord, LibraryReadingRecord } from "../schema/calibration.ts";

/**
 * Computes, from groups and readings whose truth is known, how often each judge was right. Pure. Groups are judged as
 * the lab's tables are. The floor comes from one of the equal crews. Intervals are widened for all rows and looks. A
 * group is judged after as many forks as racing would have given it. Libraries are judged as a reader of what they print
 * would judge.
 */

/** How the trials of one kind came out. */
export interface Score {
  /** `lab`, or a library. */
  readonly judge: string;
  readonly workers: number;
  readonly oversubscribed: boolean;
  /** Whether what was worked on is larger than the nearest caches. */
  readonly isLarge: boolean;
  /** See `GroupPlan`. */
  readonly isCompiledAlike: boolean;
  /** By how much the second of each pair is truly slower, as a share; 0 for equals. */
  readonly truth: number;
  readonly trials: number;
  /** What the trials come from: groups, whose pairs have crews in common, or turns, whose pairs have readings in common. */
  readonly sources: number;
  readonly verdicts: Readonly<Record<Verdict, number>>;
  /** Sources with a verdict of faster or slower. */
  readonly decidedSources: number;
  /** Middle of the floors, and of how far the intervals reach to one side, as shares; NaN for a library without. */
  readonly floor: number;
  readonly reach: number;
  /** Middle of the processes that a verdict took; NaN for a library. */
  readonly forks: number;
}

/** One of them; of the figures its own. */
interface Trial extends Omit<Score, "trials" | "sources" | "verdicts" | "decidedSources"> {
  readonly source: string;
  readonly verdict: Verdict;
}

/** Scores by judge, worker count, size of the working set and truth, in that order. */
export function scoresOf({ groups, readings }: Pick<CalibrationRecord, "groups" | "readings">): Score[] {
  const trials = [
    ...groups.flatMap((group, index) => groupTrials(group, String(index))),
    ...readingTrials(readings, new Set(groups.filter(({ isLarge }) => isLarge).map(cellOf))),
  ];
  const byKind = Map.groupBy(trials, ({ judge, workers, oversubscribed, isLarge, isCompiledAlike, truth }) =>
    [judge, workers, oversubscribed, isLarge, isCompiledAlike, truth].join("/"),
  );
  const scores = [...byKind.values()].map((same): Score => {
    const { judge, workers, oversubscribed, isLarge, isCompiledAlike, truth } = same[0]!;
    const count = (verdict: Verdict) => same.filter((trial) => trial.verdict === verdict).length;
    const decided = same.filter(({ verdict }) => verdict === "faster" || verdict === "slower");
    return {
      judge,
      workers,
      oversubscribed,
      isLarge,
      isCompiledAlike,
      truth,
      trials: same.length,
      sources: new Set(same.map(({ source }) => source)).size,
      verdicts: {
        faster: count("faster"),
        slower: count("slower"),
        same: count("same"),
        depends: count("depends"),
        "cannot tell": count("cannot tell"),
        "no power": count("no power"),
      },
      decidedSources: new Set(decided.map(({ source }) => source)).size,
      floor: median(same.map(({ floor }) => floor)),
      reach: median(same.map(({ reach }) => reach)),
      forks: median(same.map(({ forks }) => forks)),
    };
  });
  return scores.sort(
    (a, b) =>
      Number(a.judge !== "lab") - Number(b.judge !== "lab") ||
      (a.judge < b.judge ? -1 : Number(a.judge > b.judge)) ||
      a.workers - b.workers ||
      Number(a.isLarge) - Number(b.isLarge) ||
      Number(a.isCompiledAlike) - Number(b.isCompiledAlike) ||
      a.truth - b.truth,
  );
}

/** What all crews of a group have in common, as a cell's name: `pick/uniform-8/cas-ring/1w`. */
export function cellOf({ cells }: Pick<KnownGroupRecord, "cells">): string {
  return cells.find(({ kind }) => kind === "baseline")?.name ?? "";
}

/**
 * Every pair of equal crews once, and every slowed crew against every equal one. That is what tables say of rows and,
 * in their ranks, of pairs of rows. The crew that sets the floor is no judged row.
 */
function groupTrials(group: KnownGroupRecord, source: string): Trial[] {
  if (group.failure !== undefined) return [];
  const { workers, oversubscribed, isLarge, isCompiledAlike = false, extraWork, looks } = group;
  const { baseline, rivals, forks, seen } = replayed(group);
  const rows = rivals.length;
  const kind = { judge: "lab", workers, oversubscribed, isLarge, isCompiledAlike, source };
  const pairs = rivals.flatMap((rival, index) => [
    { one: rival, other: baseline, truth: extraWork[rival]! },
    ...rivals
      .slice(0, index)
      .filter((earlier) => extraWork[earlier] === 0)
      .map((earlier) => ({ one: rival, other: earlier, truth: extraWork[rival]! })),
  ]);
  return pairs.flatMap(({ one, other, truth }): Trial[] => {
    const placesOf = (name: string) => seen.filter(({ entrant }) => entrant.cell.competitor === name);
    const contrast = contrastOf(placesOf(one), placesOf(other));
    if (contrast === undefined) return [];
    const { verdict, halfWidth: reach } = judgeContrast(contrast, { rows, looks });
    const { floor } = contrast;
    return [{ ...kind, truth, verdict, floor, reach, forks }];
  });
}

/** The competitors of a group, and its rows as the judge saw them when racing would have been done. */
export function replayed(group: KnownGroupRecord) {
  const floorControl = floorControlOf(group);
  const names = Object.keys(group.extraWork).filter((name) => name !== floorControl?.competitor);
  const [baseline, ...rivals] = names as [string, ...string[]];
  const forks = forksOfRace(group, rivals.length);
  return { baseline, rivals, forks, seen: prepareTable([firstForks(group, forks)]).appearances };
}

/** After how many forks racing would have been done with a group: at the first look that finds no row open. */
function forksOfRace(group: KnownGroupRecord, rows: number): number {
  const most = Math.max(...group.cells.map(({ forks }) => forks));
  const isDone = (look: number) => undecided([firstForks(group, look)], rows, group.precision).size === 0;
  return LOOKS.find((look) => look < most && isDone(look)) ?? most;
}

/** A group as if it had been raced in that number of forks. */
function firstForks(group: KnownGroupRecord, most: number): KnownGroupRecord {
  const cut = (table: QuartilesRecord) => ofForks(table, (fork) => fork < most);
  const cutState = ({ costNs }: StateRecord): StateRecord => ({ costNs: cut(costNs) });
  const cells = group.cells.map((cell) => ({
    ...cell,
    forks: Math.min(cell.forks, most),
    roles: Object.fromEntries(
      Object.entries(cell.roles).map(([role, { any, quiet, far, ...rest }]) => [
        role,
        {
          ...rest,
          any: cutState(any),
          ...(quiet === undefined ? {} : { quiet: cutState(quiet) }),
          ...(far === undefined ? {} : { far: cutState(far) }),
        },
      ]),
    ),
  }));
  return { ...group, cells };
}

/** What kind of race a score is of, in a few words. */
export function raceKindOf({
  workers,
  oversubscribed,
  isLarge,
}: Pick<Score, "workers" | "oversubscribed" | "isLarge">): RaceKind {
  if (oversubscribed) return "more workers than cores";
  if (isLarge) return "large working set";
  return workers === 1 ? "one worker" : "several workers";
}

export type RaceKind = "one worker" | "several workers" | "large working set" | "more workers than cores";

/** What the lab is to reach, and what it does reach. */
export interface Goal {
  readonly goal: string;
  readonly trials: number;
  /** How many of them came out as they should not, or as they should. */
  readonly seen: number;
  readonly share: number;
  /** 95 %, as if the comparisons were independent; comparisons of one group have crews in common. */
  readonly interval: Bounds;
  /** A promise about errors is kept where the interval lies within it, and not shown where the share alone does. */
  readonly met: "yes" | "no" | "not shown";
}

/** Comparisons of equals, and how many were called faster or slower. */
export interface Equals {
  readonly what: string;
  readonly trials: number;
  readonly wrong: number;
}

/** Those that raced in one process. */
export function equalsIn(runs: readonly Pick<CalibrationRecord, "groups">[]): Equals {
  const equals = runs
    .flatMap(({ groups }) => scoresOf({ groups, readings: [] }))
    .filter(({ truth }) => truth === 0);
  return {
    what: "equals",
    trials: sum(equals.map(({ trials }) => trials)),
    wrong: sum(equals.map(({ verdicts }) => verdicts.faster + verdicts.slower)),
  };
}

/** The largest share of comparisons of equals that may be called faster or slower. */
const MOST_FALSE = 5 / 1000;
/** How many of the comparisons with crews that are slower by this much are to be seen on a quiet machine, as shares. */
const POWER: readonly { readonly kind: RaceKind; readonly truth: number; readonly least: number }[] = [
  { kind: "one worker", truth: 0.01, least: 0.8 },
  { kind: "one worker", truth: 0.03, least: 0.95 },
  { kind: "several workers", truth: 0.03, least: 0.8 },
  { kind: "several workers", truth: 0.05, least: 0.95 },
  { kind: "large working set", truth: 0.03, least: 0.8 },
  { kind: "large working set", truth: 0.05, least: 0.95 },
  { kind: "more workers than cores", truth: 0.1, least: 0.8 },
];
/** Beside a disturbance these times the differences are to be seen as often. */
const DISTURBED_TIMES = 2;

/** The lab's goals, without the ones that nothing was measured for. Of equals there may be more than those of the scores. */
export function goalsOf(scores: readonly Score[], equals: readonly Equals[], isDisturbed = false): Goal[] {
  const own = scores.filter(({ judge }) => judge === "lab");
  const goal = (text: string, trials: number, seen: number, metBy: MetBy): Goal[] => {
    const [share, interval] = [seen / trials, wilsonInterval(seen, trials)];
    return trials === 0 ? [] : [{ goal: text, trials, seen, share, interval, met: metBy(share, interval) }];
  };
  const slowed = own.filter(({ truth }) => truth > 0);
  const count = (of: readonly Score[], verdict: Verdict) => sum(of.map(({ verdicts }) => verdicts[verdict]));
  const trialsOf = (of: readonly Score[]) => sum(of.map(({ trials }) => trials));
  return [
    ...equals.flatMap(({ what, trials, wrong }) =>
      goal(`${what} called faster or slower: at most ${1000 * MOST_FALSE} in 1,000`, trials, wrong, isRare),
    ),
    ...goal("slower ones called faster: none", trialsOf(slowed), count(slowed, "faster"), atMost(0)),
    ...[false, true].flatMap((isCompiledAlike) =>
      POWER.flatMap(({ kind, least, truth: whenQuiet }) => {
        const percent = Math.round(100 * whenQuiet * (isDisturbed ? DISTURBED_TIMES : 1));
        const isMeant = (score: Score) =>
          Math.round(100 * score.truth) === percent &&
          raceKindOf(score) === kind &&
          score.isCompiledAlike === isCompiledAlike;
        const of = own.filter(isMeant);
        const name = `${kind}${isCompiledAlike ? COMPILED_ALIKE : ""}, +${percent} %`;
        const text = `${name}: ${100 * least} % called slower`;
        return goal(text, trialsOf(of), count(of, "slower"), atLeast(least));
      }),
    ),
  ];
}

/** Behind a kind of race. */
export const COMPILED_ALIKE = ", compiled alike";

type MetBy = (share: number, interval: Bounds) => Goal["met"];

/** An error is rare if its share surely is: none of a hundred says little. */
const isRare: MetBy = (share, { high }) =>
  high <= MOST_FALSE ? "yes" : share <= MOST_FALSE ? "not shown" : "no";

function atMost(most: number): MetBy {
  return (share) => (share <= most ? "yes" : "no");
}

function atLeast(least: number): MetBy {
  return (share) => (share >= least ? "yes" : "no");
}

/**
 * Readings of one library in one turn are compared; they have the same workload and were taken one after the other.
 * Every pair of equals is compared once, and every slowed one with the first of them, as in a group.
 */
function readingTrials(readings: readonly LibraryReadingRecord[], largeCells: ReadonlySet<string>): Trial[] {
  const measured = readings.filter(({ mean }) => mean !== null);
  const byTurn = Map.groupBy(measured, ({ library, cell, turn }) => `${library} ${cell} ${turn}`);
  return [...byTurn.values()].flatMap((own) => {
    const equals = own.filter(({ extraWork }) => extraWork === 0);
    const slowed = own.filter(({ extraWork }) => extraWork > 0);
    const pairs = equals.flatMap((one, index) =>
      [...equals.slice(index + 1), ...(index === 0 ? slowed : [])].map((other) => ({ one, other })),
    );
    return pairs.map(
      ({ one, other }): Trial => ({
        judge: one.library,
        workers: 1,
        oversubscribed: false,
        isLarge: largeCells.has(one.cell),
        isCompiledAlike: false,
        truth: other.extraWork,
        source: `${one.cell} ${one.turn}`,
        verdict: readingVerdict(one, other),
        floor: Number.NaN,
        reach: one.high === null || one.low === null ? Number.NaN : Math.sqrt(one.high / one.low) - 1,
        forks: Number.NaN,
      }),
    );
  });
}

/**
 * What a reader takes from two readings. Where the library prints intervals, two that do not meet differ. Where it
 * prints a ratio of means to two digits, any but 1.00 is a difference.
 */
function readingVerdict(one: LibraryReadingRecord, other: LibraryReadingRecord): Verdict {
  if (one.low !== null && one.high !== null && other.low !== null && other.high !== null) {
    if (other.low > one.high) return "slower";
    return other.high < one.low ? "faster" : "cannot tell";
  }
  const ratio = other.mean! / one.mean!;
  const printed = Number((ratio >= 1 ? ratio : 1 / ratio).toFixed(2));
  if (printed === 1) return "same";
  return ratio > 1 ? "slower" : "faster";
}
