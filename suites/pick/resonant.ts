import { HEAVY_COST, resonance } from "../../structures/pick/parts/simulation.ts";
import type { PickCompetitor } from "../../structures/pick/pick.contract.ts";
import { patternsAreBroken } from "../../structures/pick/pick.laws.ts";
import { type Metric, simulation } from "../shared/vocabulary.ts";
import { BASELINE } from "./picking.ts";
import { notSimulated, SEEDS, unanswered } from "./simulated.ts";

/** Pairs of backends and period that share a factor, all of it or a part. */
const PATTERNS = [
  { backends: 8, period: 8 },
  { backends: 8, period: 4 },
  { backends: 8, period: 6 },
  { backends: 7, period: 7 },
] as const;

/** Heavy requests that come back with a period: a pattern that some pickers resonate with. */
export function resonant(scenario: string, workers: number) {
  const metrics: Record<string, Metric> = Object.fromEntries(
    PATTERNS.map(({ backends, period }) => [
      `load${backends}by${period}`,
      { title: `N=${backends}, every ${period}th`, unit: "max/mean", digits: 2 },
    ]),
  );
  return simulation<PickCompetitor, { requests: number }>({
    scenario,
    title: `load of the busiest backend when every P-th request costs ${HEAVY_COST}, ${workers === 1 ? "one worker" : `${workers} workers in turn`}`,
    headline: workers === 1,
    baseline: BASELINE,
    params: { full: { requests: 168_000 }, smoke: { requests: 16_800 } },
    seeds: SEEDS,
    metrics,
    absent: (competitor) =>
      notSimulated(competitor) ?? unanswered(competitor) ?? competitor.refuses?.({ backends: 7 }),

    run(competitor, { requests }, seed) {
      const seen = PATTERNS.map(({ backends, period }) => ({
        key: `load${backends}by${period}`,
        ...resonance(competitor, { backends, seed, firstTicket: 0, workers }, period, requests),
      }));
      return {
        metrics: Object.fromEntries(seen.map(({ key, maxOverMean }) => [key, maxOverMean])),
        series: Object.fromEntries(seen.map(({ key, heavy }) => [key, heavy])),
      };
    },

    law(competitor, _params, { series }) {
      if (!competitor.breaksPatterns) return undefined;
      return Object.values(series)
        .map(patternsAreBroken)
        .find((sentence) => sentence !== undefined);
    },
  });
}
