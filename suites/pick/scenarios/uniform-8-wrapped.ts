import { both, CALM_BASELINE, picking } from "../picking.ts";

/** As uniform-8 after days of picks: what engines assume of a counter while it is small no longer holds. */
export default picking({
  scenario: "uniform-8-wrapped",
  title: "one of 8 equal backends, once every counter has wrapped",
  headline: false,
  baseline: CALM_BASELINE,
  params: both({ backends: 8, hasWrapped: true }),
  absent(competitor, params) {
    if (competitor.tickets === "none" || competitor.order === "random") return "no counter decides its order";
    return competitor.refuses?.(params);
  },
});
