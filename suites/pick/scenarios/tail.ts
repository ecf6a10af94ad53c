import perWorkerRandom from "../../../structures/pick/competitors/per-worker-random.ts";
import shuffledRoundRobin from "../../../structures/pick/competitors/shuffled-round-robin.ts";
import type { PickCompetitor } from "../../../structures/pick/pick.contract.ts";
import { tail } from "../../shared/vocabulary.ts";
import { BASELINE, both, picking } from "../picking.ts";

/** As in locks/tail, so that what a lock does to a pick is seen beside what it does alone. */
const INTERVAL_US = 5;

/** What pickers with a lock are held to: a shared word without one, and nothing shared. */
const WITHOUT_LOCK: ReadonlySet<PickCompetitor> = new Set([shuffledRoundRobin, perWorkerRandom]);

export default [1, 2, 4].map((workers) =>
  tail(
    picking({
      scenario: "uniform-8",
      title: "one of 8 equal backends, by pickers with a lock and two without",
      headline: false,
      baseline: BASELINE,
      params: both({ backends: 8 }),
      absent: (competitor, params) =>
        competitor.progress === "blocking" || WITHOUT_LOCK.has(competitor)
          ? competitor.refuses?.(params)
          : "has no lock, see uniform-8",
    }),
    { family: "tail", workers, intervalUs: INTERVAL_US, count: { full: 200_000, smoke: 2_000 } },
  ),
);
