import type { QueuesCompetitor } from "../../../structures/queues/queues.contract.ts";
import { ascending, quantile } from "../../engine/statistics.ts";
import { survey } from "../../shared/vocabulary.ts";
import { type Arrangement, durations, type PoolParams, piscinaTimes, poolTimes } from "../pools.ts";

const ARRANGEMENTS = { one: "One queue", each: "A queue each", stealing: "With stealing" } as const;
const MIXES = { Even: "even", Uneven: "uneven" } as const;
const BASELINE = "sequence-ring";

const WAYS: Readonly<Record<string, string>> = { ...ARRANGEMENTS, piscina: "Piscina" };

export default survey<QueuesCompetitor, PoolParams>({
  scenario: "pools",
  title:
    "10,000 tasks a second to a pool of two threads, 50 us each, or 10 us with one in fifty of 2 ms: until each is done",
  headline: false,
  baseline: BASELINE,
  competitors: [BASELINE, "robust-locked-ring"],
  absent: ({ messages, producers, consumers, full }) =>
    messages === "words" && producers === "many" && consumers === "many" && full === "refuses"
      ? undefined
      : "a pool's threads take words from one queue, none of them lost",
  params: {
    full: { tasks: 5_000, perSecond: 10_000, threads: 2 },
    smoke: { tasks: 40, perSecond: 10_000, threads: 2 },
  },
  metrics: {
    ...Object.fromEntries(
      Object.entries(WAYS).flatMap(([way, title]) =>
        Object.entries(MIXES).flatMap(([mix, name]) =>
          [50, 99].map((percent) => [
            `${way}${mix}P${percent}`,
            { title: `${title}, ${name}: p${percent}`, unit: "us", digits: 0 },
          ]),
        ),
      ),
    ),
    undone: { title: "Undone", unit: "tasks", digits: 0 },
  },
  mostForks: 3,
  secondsPerFork: 8,
  async run(competitor, params, seed, { competitorUrl }) {
    const metrics: Record<string, number> = { undone: 0 };
    for (const mix of Object.keys(MIXES) as (keyof typeof MIXES)[]) {
      const us = durations(mix === "Uneven", params.tasks, seed);
      const note = (way: string, times: readonly number[]) => {
        metrics.undone! += params.tasks - times.filter((time) => time > 0).length;
        const sorted = [...times].sort(ascending);
        for (const percent of [50, 99]) metrics[`${way}${mix}P${percent}`] = quantile(sorted, percent / 100);
      };
      for (const way of Object.keys(ARRANGEMENTS) as Arrangement[])
        note(way, await poolTimes(competitor, competitorUrl, way, us, params));
      // It has a queue of its own, whichever races here.
      note("piscina", await piscinaTimes(us, params));
    }
    return metrics;
  },
  law: (_competitor, _params, { undone }) =>
    undone === 0 ? undefined : `once: ${undone} tasks were handed to the pool and not done`,
});
