import { both, picking } from "../picking.ts";

export default picking({
  scenario: "weighted-8",
  title: "one of 8 backends that weigh 1 to 8",
  headline: false,
  // The textbook, and the most even order that weights can have.
  baseline: "smooth-weighted",
  params: both({ backends: 8, weights: [5, 1, 1, 3, 2, 8, 1, 4] }),
  absent: ({ shareBound }) => (shareBound === undefined ? "it ignores weights" : undefined),
});
