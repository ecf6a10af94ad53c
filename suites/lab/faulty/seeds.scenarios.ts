import { simulation } from "../../shared/vocabulary.ts";

/**
 * Simulations that go wrong from the second of their seeds on, or whose outcome is none. They race the competitors of
 * `pick`, but never call them.
 */
let run = 0;
const common = {
  title: "made up",
  headline: true,
  params: { full: {}, smoke: {} },
  baseline: "cas-ring",
  competitors: ["cas-ring"],
  seeds: 3,
  metrics: { seed: { title: "Seed", unit: "", digits: 0 }, first: { title: "First", unit: "", digits: 0 } },
};
/** Each cell has a process of its own, so the first run is that of the first seed. */
const outcome = (_competitor: unknown, _params: unknown, seed: number) => ({
  metrics: { seed, ...(run++ === 0 ? { first: 1 } : {}) },
  series: { values: [seed, run] },
});
const chart = { title: "values", unit: "", stepSeconds: 1 };

export default [
  simulation({ ...common, scenario: "well", run: outcome, law: () => undefined }),
  simulation({
    ...common,
    scenario: "lawless",
    run: outcome,
    law: (_competitor, _params, { metrics }) =>
      metrics.first === undefined ? "nothing is first" : undefined,
  }),
  simulation({
    ...common,
    scenario: "undrawable",
    chart: { ...chart, low: "values", high: "highs" },
    run: outcome,
    law: () => undefined,
  }),
  simulation({
    ...common,
    scenario: "uneven",
    chart: { ...chart, low: "values", high: "highs" },
    run: (...given) => ({ metrics: {}, series: { ...outcome(...given).series, highs: [1] } }),
    law: () => undefined,
  }),
  simulation({
    ...common,
    scenario: "infinite",
    run: () => ({ metrics: {}, series: { values: [1, Number.POSITIVE_INFINITY] } }),
    law: () => undefined,
  }),
  simulation({
    ...common,
    scenario: "talkative",
    run: () => ({ metrics: { other: 1 }, series: {} }),
    law: () => undefined,
  }),
];
