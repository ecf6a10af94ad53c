import type { RulerGroupRecord, RulerReadingRecord, RulerRecord } from "../record/ruler.ts";
import { median, type Sample } from "./statistics.ts";
import { floorOf, type Judgement, judgeAmong, type Verdict } from "./verdict.ts";

/**
 * From what a measurement of the ruler saw to how often each judge was right. Pure. Groups are judged as the lab's
 * tables are, with the floor from one of the equal crews and intervals widened for all rows; libraries as a reader of
 * what they print would. Only that here the truth is known.
 */

/** How the trials of one kind came out. */
export interface Score {
  /** `lab`, or a library. */
  readonly judge: string;
  readonly workers: number;
  readonly oversubscribed: boolean;
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
}

interface Trial {
  readonly judge: string;
  readonly workers: number;
  readonly oversubscribed: boolean;
  readonly truth: number;
  readonly source: string;
  readonly verdict: Verdict;
  readonly floor: number;
  readonly reach: number;
}

/** Scores by judge, worker count and truth, in that order. */
export function scoresOf({
  groups,
  readings,
  seed,
}: Pick<RulerRecord, "groups" | "readings" | "seed">): Score[] {
  const trials = [
    ...groups.flatMap((group, index) => groupTrials(group, String(index), seed)),
    ...readingTrials(readings),
  ];
  const byKind = Map.groupBy(trials, ({ judge, workers, oversubscribed, truth }) =>
    [judge, workers, oversubscribed, truth].join("/"),
  );
  const scores = [...byKind.values()].map((same): Score => {
    const { judge, workers, oversubscribed, truth } = same[0]!;
    const count = (verdict: Verdict) => same.filter((trial) => trial.verdict === verdict).length;
    const decided = same.filter(({ verdict }) => verdict === "faster" || verdict === "slower");
    return {
      judge,
      workers,
      oversubscribed,
      truth,
      trials: same.length,
      sources: new Set(same.map(({ source }) => source)).size,
      verdicts: {
        faster: count("faster"),
        slower: count("slower"),
        same: count("same"),
        "cannot tell": count("cannot tell"),
      },
      decidedSources: new Set(decided.map(({ source }) => source)).size,
      floor: median(same.map(({ floor }) => floor)),
      reach: median(same.map(({ reach }) => reach)),
    };
  });
  return scores.sort(
    (a, b) =>
      Number(a.judge !== "lab") - Number(b.judge !== "lab") ||
      (a.judge < b.judge ? -1 : Number(a.judge > b.judge)) ||
      a.workers - b.workers ||
      a.truth - b.truth,
  );
}

/** Every pair of equal crews once, and every slowed crew against the first of them. */
function groupTrials(group: RulerGroupRecord, source: string, seed: number): Trial[] {
  if (group.failure !== undefined) return [];
  const { workers, oversubscribed, crews } = group;
  const equals = [...crews.keys()].filter((crew) => crews[crew]!.extraWork === 0);
  // The baseline and the crew that sets the floor are no judged rows.
  const rows = crews.length - 2;
  return equals.flatMap((baseline) => {
    const ratios = crews.map((_, crew) => logRatios(group, crew, baseline));
    const floors = new Map<number, number>();
    const floorFrom = (twin: number) => {
      const floor = floors.get(twin) ?? floorOf(ratios[twin]!, seed);
      floors.set(twin, floor);
      return floor;
    };
    const judged = [...crews.keys()].filter((crew) =>
      crews[crew]!.extraWork === 0 ? crew > baseline : baseline === equals[0],
    );
    return judged.flatMap((crew): Trial[] => {
      const own = ratios[crew]!;
      const twin = equals.find((other) => other !== baseline && other !== crew)!;
      if (own.length === 0 || ratios[twin]!.length === 0) return [];
      const peers = ratios.filter(
        (sample, other) => other !== baseline && other !== crew && sample.length > 0,
      );
      const floor = floorFrom(twin);
      const judgement = judgeAmong(rows, { logRatios: own, floor, peers }, seed);
      return [
        {
          judge: "lab",
          workers,
          oversubscribed,
          truth: crews[crew]!.extraWork,
          source,
          verdict: judgement.verdict,
          floor,
          reach: reachOf(judgement),
        },
      ];
    });
  });
}

/** Log of one crew's cost over another's for every round in which both count, fork by fork. */
function logRatios({ forks }: RulerGroupRecord, crew: number, than: number): Sample {
  const byFork = forks.map((crews) =>
    crews[crew]!.flatMap((ns, round) => {
      const other = crews[than]![round] ?? null;
      return ns === null || other === null ? [] : [Math.log(ns / other)];
    }),
  );
  return byFork.filter((rounds) => rounds.length > 0);
}

/** How far an interval reaches to one side, as a share: half of its width on a scale of ratios. */
function reachOf({ ratio: { low, high } }: Judgement): number {
  return Math.sqrt(high / low) - 1;
}

/**
 * Readings of one library in one turn are compared, which have the same workload and were taken one after the other:
 * every pair of equals once, and every slowed one against the first of them, as in a group.
 */
function readingTrials(readings: readonly RulerReadingRecord[]): Trial[] {
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
        truth: other.extraWork,
        source: `${one.cell} ${one.turn}`,
        verdict: readingVerdict(one, other),
        floor: Number.NaN,
        reach: one.high === null || one.low === null ? Number.NaN : Math.sqrt(one.high / one.low) - 1,
      }),
    );
  });
}

/**
 * What a reader takes from two readings: where the library prints intervals, that two which do not meet differ; where
 * it prints a ratio of means to two digits, that any but 1.00 is a difference.
 */
function readingVerdict(one: RulerReadingRecord, other: RulerReadingRecord): Verdict {
  if (one.low !== null && one.high !== null && other.low !== null && other.high !== null) {
    if (other.low > one.high) return "slower";
    return other.high < one.low ? "faster" : "cannot tell";
  }
  const ratio = other.mean! / one.mean!;
  const printed = Number((ratio >= 1 ? ratio : 1 / ratio).toFixed(2));
  if (printed === 1) return "same";
  return ratio > 1 ? "slower" : "faster";
}
