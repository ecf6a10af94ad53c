import { mean, median, squaresOf, sum } from "../../statistics.ts";
import { type GroupPlan, isContestant } from "./plan.ts";
import type { CrewResult } from "./protocol.ts";
import { costOf, rateOf } from "./protocol.ts";

/**
 * How many rounds a process should have. The mean of k processes of n rounds each has the variance (b + w / n) / k, with b
 * between processes and w within them, of one round. They take k (p + n r), where p is what a process costs beside its rounds. So
 * in a given time the variance is least at n = sqrt(p w / (r b)) (Kalibera and Jones, ISMM 2013). Where processes differ by more
 * than their rounds do, more and shorter ones show more.
 *
 * The choice is made once, after the fewest processes, and from how values scatter alone: it never sees which task is faster. The
 * verdict is then looked at after as many processes as in any race.
 */

/** Variances of the logarithm of a ratio. */
export interface Scatter {
  /** Of what processes see, whose rounds add to it. */
  readonly ofProcesses: number;
  readonly ofRound: number;
  /** Of each process. */
  readonly rounds: number;
}

/** Fewer would have no twenty in a quiet state, and too few in a quarter to show drift. */
const FEWEST_ROUNDS = 24;
/**
 * The least part of the variance that four processes show which is real, in 95 of 100 cases: 3 over that quantile of its chi-squared
 * distribution. Else luck would often shorten processes that do not differ.
 */
const SHOWN = 3 / 7.81;
/** Processes that would be hardly shorter are left as they are. */
const LEAST_SHORTENING = 3 / 4;

type Seen = readonly { readonly crews: readonly CrewResult[] }[];

/** The group with the rounds that its next processes should have, where that is less; these took so long each, in ms. */
export function replicated(group: GroupPlan, seen: Seen, processMs: number, roundMs: number): GroupPlan {
  const [baseline, ...rivals] = group.crews.filter(isContestant).map(({ name }) => name);
  const scatter = baseline === undefined ? undefined : scatterIn(seen, baseline, rivals);
  if (scatter === undefined) return group;
  const besidesMs = Math.max(roundMs, processMs - group.rounds * roundMs);
  const { ofProcesses, ofRound } = scatter;
  const between = SHOWN * ofProcesses - ofRound / scatter.rounds;
  const best = bestRounds(besidesMs / roundMs, { between, ofRound });
  const rounds = Math.max(FEWEST_ROUNDS, 2 * Math.round(Math.min(best, group.rounds) / 2));
  const share = rounds / group.rounds;
  if (share > LEAST_SHORTENING) return group;
  const { mostRounds, beyondSlicesMs = 0 } = group;
  return {
    ...group,
    rounds,
    mostRounds: 2 * Math.round((share * mostRounds) / 2),
    beyondSlicesMs: share * beyondSlicesMs,
  };
}

/** `processInRounds` is what a process costs beside its rounds, as a multiple of one. Infinity where processes do not differ. */
export function bestRounds(
  processInRounds: number,
  { between, ofRound }: { readonly between: number; readonly ofRound: number },
): number {
  return between <= 0 ? Number.POSITIVE_INFINITY : Math.sqrt((processInRounds * ofRound) / between);
}

/**
 * How ratios to the baseline scatter, summed over the rivals, so that the ones that scatter most decide. What rounds add shows in how
 * two halves of a process differ, whatever a level is made of them. Undefined where there is nothing to see.
 */
export function scatterIn(seen: Seen, baseline: string, rivals: readonly string[]): Scatter | undefined {
  const all = rivals.flatMap((rival) => {
    const levels = seen.flatMap(({ crews }) => levelsOf(crews, rival, baseline) ?? []);
    if (levels.length < 2) return [];
    // The difference of two halves has the variance of four wholes.
    const ofWhole = mean(levels.map(({ halves: [one, other] }) => (one - other) ** 2)) / 4;
    const rounds = mean(levels.map((level) => level.rounds));
    const ofProcesses = squaresOf(levels.map(({ whole }) => whole)) / (levels.length - 1);
    return [{ ofProcesses, ofRound: rounds * ofWhole, rounds }];
  });
  if (all.length === 0) return undefined;
  const totalOf = (key: keyof Scatter) => sum(all.map((one) => one[key]));
  return {
    ofProcesses: totalOf("ofProcesses"),
    ofRound: totalOf("ofRound"),
    rounds: totalOf("rounds") / all.length,
  };
}

/** Of the ratio of two crews in a process: its logarithm by all rounds, and by either half of them. */
function levelsOf(crews: readonly CrewResult[], rival: string, baseline: string) {
  const [own, base] = [rival, baseline].map((name) => {
    const crew = crews.find((one) => one.name === name && one.failure === undefined);
    return crew && logCostsOf(crew);
  });
  if (own === undefined || base === undefined || Math.min(own.length, base.length) < 4) return undefined;
  const level = (is: (slice: number) => boolean) =>
    median(own.filter((_, slice) => is(slice))) - median(base.filter((_, slice) => is(slice)));
  // Pairs of rounds, whose orders are each other's reverse.
  const isOdd = (slice: number) => slice % 4 > 1;
  return {
    whole: level(() => true),
    halves: [level(isOdd), level((slice) => !isOdd(slice))] as const,
    rounds: own.length,
  };
}

/** Of what one worker waited for an operation in each slice. */
export function logCostsOf({ rounds, workers }: CrewResult): number[] {
  return rounds.map((_, slice) => {
    const rates = workers.map(({ operations, startNs, endNs, preparingNs }) =>
      rateOf(operations[slice]!, startNs[slice]!, endNs[slice]!, preparingNs?.[slice]),
    );
    return Math.log(costOf(rates));
  });
}
