import { membership } from "../../../structures/pick/parts/simulation.ts";
import type { PickCompetitor } from "../../../structures/pick/pick.contract.ts";
import { simulation } from "../../shared/vocabulary.ts";
import { notSimulated, SEEDS, unanswered } from "../simulated.ts";

/** A backend of 8 leaves and comes back, each time in the middle of a rotation. */
export default simulation<PickCompetitor, { picksPerPhase: number }>({
  scenario: "membership",
  title: "one of 8 backends leaves and comes back in mid-rotation, 4 workers",
  headline: false,
  baseline: "locked-round-robin",
  // 3 more than a multiple of 8, and no multiple of 7: both changes cut a rotation.
  params: { full: { picksPerPhase: 10_003 }, smoke: { picksPerPhase: 1_003 } },
  seeds: SEEDS,
  metrics: {
    newWords: { title: "Both new instances", unit: "words", digits: 0 },
    repeated: { title: "Second picks within a rotation of either change", unit: "picks", digits: 0 },
    missed: { title: "Not picked within a rotation of either change", unit: "backends", digits: 0 },
    gap: { title: "Gap of those that stayed", unit: "picks", digits: 0 },
    newcomerWait: { title: "Newcomer's first pick after", unit: "picks", digits: 0 },
    strays: { title: "Picks of nobody", unit: "picks", digits: 0 },
  },
  absent: (competitor) =>
    notSimulated(competitor) ?? unanswered(competitor) ?? competitor.refuses?.({ backends: 7 }),
  run(competitor, { picksPerPhase }, seed) {
    const seen = membership(competitor, { backends: 8, seed, firstTicket: 0, workers: 4 }, picksPerPhase);
    return { metrics: { ...seen }, series: {} };
  },
  law: (_competitor, _params, { metrics }) =>
    metrics.strays === 0 ? undefined : `picksAreInRange: ${metrics.strays} picks were of no member`,
});
