import { both, CALM_BASELINE, NOTHING_PER_BACKEND, picking } from "../picking.ts";

/**
 * As uniform-7, where the program has a second balancer. An engine that has met one number of backends only takes it
 * for a constant and divides by it with a multiplication. A server with several upstreams does not benefit from that.
 */
export default picking({
  scenario: "uniform-7-of-two",
  title: "one of 7 equal backends, in a program that also balances over 14",
  headline: false,
  baseline: CALM_BASELINE,
  params: both({ backends: 7, besideAnother: true }),
  absent(competitor, params) {
    if (!competitor.dependsOnBackends) return NOTHING_PER_BACKEND;
    return competitor.refuses?.(params);
  },
});
