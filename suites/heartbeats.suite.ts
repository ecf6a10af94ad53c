import type { HeartbeatCompetitor } from "../structures/heartbeats/heartbeats.contract.ts";
import {
  evennessOf,
  type FleetPlan,
  type FleetSeen,
  runFleet,
} from "../structures/heartbeats/heartbeats.fleet.ts";
import { conserved, level, nobodyIsLost, punctual } from "../structures/heartbeats/heartbeats.laws.ts";
import { type Metric, type Outcome, type Sizes, type Suite, simulation } from "./engine/suite.ts";

/**
 * Question: which scheduler spreads a fleet's heartbeats most evenly over the seconds, and still does as clients come
 *   and go?
 * Workload and why it is realistic: the source document's fleet, 10,000 clients with a heartbeat every 600 s for 6 h,
 *   all connecting in the same second, as after a restart of the server. Then the same with lives of 1 h on average
 *   and immediate reconnects, as behind mobile networks, so that the placement made at the start is gone by the end.
 * Not measured: what a call costs, or how it scales over workers; delay and loss on the network; clients that stay away.
 * How to run: npm run bench -- heartbeats
 */
export default {
  primitive: "heartbeats",
  scenarios: [
    scenario("steady", "10,000 clients at rest, messages per second", {
      full: fleet(10_000, 600, 21_600),
      smoke: fleet(500, 60, 600),
    }),
    scenario("churn", "10,000 clients with lives of an hour that reconnect at once, messages per second", {
      full: { ...fleet(10_000, 600, 21_600), churn: { kind: "reconnect-at-once", meanLife: 3600 } },
      smoke: { ...fleet(500, 60, 600), churn: { kind: "reconnect-at-once", meanLife: 120 } },
    }),
  ],
} satisfies Suite;

function scenario(name: string, title: string, params: Sizes<FleetPlan>) {
  return simulation<HeartbeatCompetitor, FleetPlan>({
    scenario: name,
    title,
    headline: true,
    // The optimum for the clients that are there: the rest is how far a rival is from what can be had.
    baseline: "least-loaded-scan",
    params,
    metrics: metrics(),
    run: ({ create }, plan, seed) => outcomeOf(runFleet(create(plan.interval, seed), plan, seed)),
    law({ deviation, spread }, plan, outcome) {
      const seen = seenIn(plan, outcome);
      return (
        punctual(seen, deviation) ??
        nobodyIsLost(seen, deviation) ??
        conserved(seen, deviation) ??
        level(seen, spread)
      );
    },
  });
}

/** Two whole intervals are observed: enough to see a pattern repeat, and few enough points to keep and to draw. */
function fleet(clients: number, interval: number, horizon: number): FleetPlan {
  return {
    clients,
    interval,
    horizon,
    observedIntervals: 2,
    arrivals: { kind: "all-at-once" },
    churn: { kind: "none" },
  };
}

/** Peak to connects are of the observed seconds; deviation, wait and silence of the whole run. */
function metrics() {
  return {
    peak: { title: "Peak", unit: "messages/s", digits: 0 },
    low: { title: "Low", unit: "messages/s", digits: 0 },
    mean: { title: "Mean", unit: "messages/s", digits: 2 },
    cv: { title: "CV", unit: "", digits: 3 },
    observedConnects: { title: "Connects", unit: "", digits: 0 },
    worstDeviation: { title: "Most off interval", unit: "s", digits: 0 },
    longestWait: { title: "Longest first wait", unit: "s", digits: 0 },
    longestSilence: { title: "Longest silence", unit: "s", digits: 0 },
  } satisfies Record<string, Metric>;
}

function outcomeOf(seen: FleetSeen): Outcome {
  const { messages, observedConnects, worstDeviation, longestWait, longestSilence } = seen;
  return {
    metrics: { ...evennessOf(messages), observedConnects, worstDeviation, longestWait, longestSilence },
    series: { messages },
  };
}

/** What the laws look at, from what a record keeps: a cell that is read back can be held to them again. */
function seenIn({ clients, interval }: FleetPlan, { metrics, series }: Outcome): FleetSeen {
  const { observedConnects, worstDeviation, longestWait, longestSilence } = metrics as Account;
  const messages = series.messages!;
  return { clients, interval, messages, observedConnects, worstDeviation, longestWait, longestSilence };
}

type Account = Readonly<Record<keyof ReturnType<typeof metrics>, number>>;
