import { checkedIndex, played } from "../../../structures/pick/parts/simulation.ts";
import type { PickCompetitor } from "../../../structures/pick/pick.contract.ts";
import { makePicker } from "../../../structures/pick/pick.instance.ts";
import { failingAreSpared, picksAreInRange } from "../../../structures/pick/pick.laws.ts";
import { simulation } from "../../shared/vocabulary.ts";
import { notSimulated, SEEDS, unanswered } from "../simulated.ts";

const BACKENDS = 5;
const WORKERS = 4;
/** Requests that the other backends have in flight; one of them ends with each pick of one of these. */
const UNDER_WAY = 32;

/** One of 5 backends fails each request before the next is picked, as one whose process is gone does. */
export default simulation<PickCompetitor, { requests: number }>({
  scenario: "failing-backend",
  title: `one of ${BACKENDS} backends fails its requests at once, the others have ${UNDER_WAY} under way, ${WORKERS} workers`,
  headline: false,
  // The least that a balancer can do.
  baseline: "per-worker-random",
  params: { full: { requests: 20_000 }, smoke: { requests: 2_000 } },
  seeds: SEEDS,
  metrics: {
    failed: { title: "Failed", unit: "% of requests", digits: 3 },
  },
  absent: (competitor) =>
    notSimulated(competitor) ?? unanswered(competitor) ?? competitor.refuses?.({ backends: BACKENDS }),

  run(competitor, { requests }, seed) {
    // All of it is over before a backend is due for a trial.
    const picking = competitor.ejects?.byClock(() => 0) ?? competitor;
    const instance = makePicker(picking, { backends: BACKENDS, workers: WORKERS, seed });
    const { pickers, step } = played(picking, instance);
    const counts = new Array<number>(BACKENDS + 1).fill(0);
    const underWay: number[] = [];
    for (let request = 0; request < requests; request++) {
      const picker = pickers[request % WORKERS]!;
      const backend = checkedIndex(picker.pick());
      step();
      counts[backend >= 0 && backend < BACKENDS ? backend : BACKENDS]!++;
      if (backend === 0) picker.release?.(backend, true);
      else if (underWay.push(backend) > UNDER_WAY) picker.release?.(underWay.shift()!);
    }
    return { metrics: { failed: (100 * counts[0]!) / requests }, series: {}, evidence: counts };
  },

  law({ ejects }, _params, { evidence }) {
    const counts = evidence as readonly number[];
    return (
      picksAreInRange(counts, BACKENDS) ??
      (ejects === undefined ? undefined : failingAreSpared(counts[0]!, ejects.failures))
    );
  },
});
