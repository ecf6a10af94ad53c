import type { PickCompetitor } from "../../../structures/pick/pick.contract.ts";
import { ascending, quantile } from "../../engine/statistics.ts";
import { type Metric, type Scenario, simulation } from "../../shared/vocabulary.ts";
import { type Joining, type JoiningSeen, join } from "../cold.ts";

const SLOW_START_MS = 5_000;
const FIRST_MS = 1_000;

const METRICS = {
  shareAtOnce: { title: "Its first second", unit: "of its fair share", digits: 2 },
  shareSlowly: { title: "with a slow start", unit: "of its fair share", digits: 2 },
  p99AtOnce: { title: "p99", unit: "ms", digits: 0 },
  p99Slowly: { title: "with a slow start", unit: "ms", digits: 0 },
} satisfies Record<string, Metric>;

/** What the new one got of the requests that came in its first second. */
function firstShare({ backends, joinsMs }: Joining, { since }: JoiningSeen): number {
  const first = since.filter(({ atMs }) => atMs < joinsMs + FIRST_MS);
  return ((backends + 1) * first.filter(({ isNew }) => isNew).length) / first.length;
}

function p99Of({ since }: JoiningSeen): number {
  return quantile(since.map(({ tookMs }) => tookMs).sort(ascending), 0.99);
}

function cold(scenario: string, processes: number): Scenario {
  const full = {
    processes,
    backends: 8,
    utilisation: 0.7,
    meanMs: 10,
    slowness: 10,
    warmAfter: 100,
    joinsMs: 2_000,
    lastMs: 2_000 + SLOW_START_MS,
  };
  return simulation<PickCompetitor, Joining>({
    scenario,
    title: `a ninth backend joins eight that are 70 % busy, and is ten times slower until it has served 100 requests: ${processes === 1 ? "one balancer" : `${processes} balancers`}, without and with a slow start of ${SLOW_START_MS / 1_000} s`,
    headline: false,
    baseline: "per-worker-random",
    competitors: ["per-worker-random", "rotating-round-robin", "two-choices", "peak-ewma"],
    params: { full, smoke: { ...full, joinsMs: 200, lastMs: 700 } },
    seeds: 5,
    secondsPerSeed: 0.1,
    metrics: METRICS,

    run(competitor, params, seed) {
      const [atOnce, slowly] = [undefined, SLOW_START_MS].map((ms) => join(competitor, params, ms, seed)) as [
        JoiningSeen,
        JoiningSeen,
      ];
      return {
        metrics: {
          shareAtOnce: firstShare(params, atOnce),
          shareSlowly: firstShare(params, slowly),
          p99AtOnce: p99Of(atOnce),
          p99Slowly: p99Of(slowly),
        },
        series: {},
        evidence: [atOnce, slowly].map(({ requests, ended }) => requests - ended),
      };
    },

    law: (_competitor, _params, { evidence }) =>
      (evidence as number[]).every((lost) => lost === 0)
        ? undefined
        : `allEnd: ${evidence} requests did not end`,
  });
}

export default [cold("cold-backend", 100), cold("cold-backend-1-process", 1)];
