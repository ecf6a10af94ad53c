import type { FleetPlan } from "../../structures/heartbeats/parts/fleet.ts";
import type { Sizes } from "../engine/race.ts";
import type { Scenario } from "../shared/vocabulary.ts";
import { type FleetParams, type FleetScenario, fleetScenario, type MetricName } from "./fleets.ts";

/**
 * The ten graphs of the source, each from the choice that makes it: what is not written down there was found by trying.
 * What the source says of each, and how closely it is held to, is in statements.json.
 */
const SEEDS = 100;
/** For a graph that chance has no part in. */
export const NO_CHANCE = 1;

/** Connects of 0 to 200 a second. With 10,800 clients, 18 to a second, the source's levels come out. */
export const ARRIVING: Partial<FleetPlan> = { clients: 10_800, arrivals: { kind: "uniform", most: 200 } };
export const ARRIVING_SMOKE: Partial<FleetPlan> = { arrivals: { kind: "uniform", most: 20 } };

export function figure(
  name: string,
  competitors: readonly [string, ...string[]],
  title: string,
  params: Sizes<FleetParams>,
  metrics: readonly MetricName[],
  seeds = SEEDS,
): Scenario {
  const described: FleetScenario = {
    scenario: `figure-${name}`,
    title,
    headline: false,
    baseline: competitors[0],
    competitors,
    params,
    metrics,
    seeds,
    chart: "seconds",
  };
  return fleetScenario(described);
}
