import { fleet, fleetScenario, HOUR_S } from "../fleets.ts";

/** Long enough for the narrowest jitter of the sweep to wear a wave down. */
const SWEEP_HOURS = 200;

export default fleetScenario({
  scenario: "jitter-sweep",
  title: "10,000 clients under jitter of 15 to 600 s, until their wave is worn down",
  headline: false,
  baseline: "jitter-15",
  competitors: ["jitter-15", "jitter-60", "jitter-150", "jitter-300", "jitter-600"],
  params: fleet({ horizon: SWEEP_HOURS * HOUR_S }, { horizon: 20 * HOUR_S }),
  metrics: ["waveFallsByE", "waveFallsToTenth", "settled", "sent"],
  seeds: 3,
  chart: "none",
});
