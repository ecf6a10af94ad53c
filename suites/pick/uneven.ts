import type { PickCompetitor } from "../../structures/pick/pick.contract.ts";
import { quantile } from "../engine/statistics.ts";
import { type Scenario, simulation } from "../shared/vocabulary.ts";
import { refusalOf, requestsAreServed, type Serving, type ServingSeen, serve } from "./serving.ts";
import { notSimulated } from "./simulated.ts";

/** As many backends, and as many workers in all, as in Prequal's testbed. */
const BACKENDS = 100;
const WORKERS = 100;
/** Fifty times what a mean request takes alone. */
const LATE_MS = 500;

/** How long requests take at backends that differ and change, balanced by `processes` that share nothing. */
export function uneven(scenario: string, processes: number): Scenario {
  const full = {
    backends: BACKENDS,
    processes,
    workers: WORKERS / processes,
    utilisation: 0.75,
    seconds: 10,
  };
  return simulation<PickCompetitor, Serving>({
    scenario,
    title: `requests that take time, ${BACKENDS} uneven backends, 75 % busy, ${processes === 1 ? "one process" : `${processes} processes`} with ${WORKERS} workers in all`,
    headline: processes !== 1,
    // The least that a balancer can do.
    baseline: "per-worker-random",
    params: { full, smoke: { ...full, seconds: 0.5 } },
    seeds: 5,
    secondsPerSeed: 0.06,
    metrics: {
      p50: { title: "p50", unit: "ms", digits: 1 },
      p99: { title: "p99", unit: "ms", digits: 0 },
      p999: { title: "p99.9", unit: "ms", digits: 0 },
      late: { title: `Over ${LATE_MS} ms`, unit: "% of requests", digits: 2 },
      ahead: { title: "Busiest backend ahead of the mean", unit: "requests in flight", digits: 1 },
      probes: { title: "Probes", unit: "per request", digits: 2 },
    },

    absent(competitor, params) {
      if (competitor.variantOf !== undefined) return "it picks as what it is a variant of";
      return notSimulated(competitor) ?? refusalOf(competitor, params);
    },

    run(competitor, params, seed) {
      const seen = serve(competitor, params, seed);
      const { latenciesMs, requests, ahead, probes } = seen;
      const late = latenciesMs.filter((ms) => ms > LATE_MS).length;
      return {
        metrics: {
          p50: quantile(latenciesMs, 0.5),
          p99: quantile(latenciesMs, 0.99),
          p999: quantile(latenciesMs, 0.999),
          late: (100 * late) / requests,
          ahead,
          probes: probes / requests,
        },
        series: {},
        evidence: seen,
      };
    },

    law: (_competitor, _params, { evidence }) => requestsAreServed(evidence as ServingSeen),
  });
}
