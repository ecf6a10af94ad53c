import { crossing } from "../../../structures/pick/parts/simulation.ts";
import type { PickCompetitor } from "../../../structures/pick/pick.contract.ts";
import { gapIsBounded, totalsAreRight } from "../../../structures/pick/pick.laws.ts";
import { simulation } from "../../shared/vocabulary.ts";
import { notSimulated, SEEDS } from "../simulated.ts";

/** Both ends of what 32 bits can count. */
const WRAPS = { "31": 2 ** 31, "32": 2 ** 32 };

export default simulation<PickCompetitor, { picksEachSide: number }>({
  scenario: "long-run",
  title: "one of 7 backends, from below ticket 2^31, and 2^32, to above it",
  headline: false,
  baseline: "locked-round-robin",
  params: { full: { picksEachSide: 700_000 }, smoke: { picksEachSide: 7_000 } },
  seeds: SEEDS,
  metrics: Object.fromEntries(
    Object.keys(WRAPS).flatMap((power) => [
      [`gap${power}`, { title: `Gap across 2^${power}`, unit: "picks", digits: 0 }],
      [`early${power}`, { title: `Back before a rotation, 2^${power}`, unit: "picks", digits: 0 }],
    ]),
  ),
  absent(competitor) {
    if (competitor.tickets === "none" || competitor.order === "random") return "no counter decides its order";
    return notSimulated(competitor) ?? competitor.refuses?.({ backends: 7 });
  },

  run(competitor, { picksEachSide }, seed) {
    const metrics: Record<string, number> = {};
    for (const [power, wrap] of Object.entries(WRAPS)) {
      const { gap, early, work } = crossing(competitor, { backends: 7, seed }, wrap, picksEachSide);
      const broken =
        totalsAreRight(competitor, work) ??
        gapIsBounded([0, gap], competitor.gapBound(work.setup, 2 * picksEachSide, work.state));
      if (broken !== undefined) throw new Error(broken);
      metrics[`gap${power}`] = gap;
      metrics[`early${power}`] = early;
    }
    return { metrics, series: {} };
  },
  // Held to its laws while the picker is still at hand: metrics alone cannot show what they look at.
  law: () => undefined,
});
