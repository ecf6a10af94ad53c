import { it } from "node:test";
import { golden } from "../../engine/golden.trials.ts";
import { inRoles, withDearControl } from "../../engine/judge/judge.synthetic.ts";
import { judgeScenario } from "../../engine/judge/judge.ts";
import type { JudgedScenario } from "../../engine/schema/verdict.ts";
import { BETWEEN_RUNS, broken, LABELS, raceOf } from "../pictures/races.synthetic.ts";
import type { JudgedMetrics } from "../schema/verdict.ts";
import { withAnotherRun } from "../verdicts/another-run.ts";
import { blocksTerminal } from "./blocks.ts";
import { briefMetrics, briefRace, briefResults } from "./brief.ts";

const COSTS = { base: 20, dear: 40, nothing: 0.5, quick: 10, varied: 5, near: 10, alike: 20.1, obvious: 200 };
const CALM = { rounds: 10, sliceNoise: 0.001, forkNoise: 0.001, forks: 4 };

const metric = (title: string) => ({ title, unit: "ms", digits: 1 });

const survey: JudgedMetrics = {
  primitive: "upstreams",
  scenario: "even",
  title: "all servers alike",
  kind: "survey",
  times: 2,
  metrics: { errors: metric("Errors"), p50: metric("p50"), p99: metric("p99"), max: metric("Max") },
  rows: ["fair", "random"].map((competitor, place) => ({
    competitor,
    cell: `upstreams/even/${competitor}`,
    figures: {},
    isBaseline: place === 0,
    spreads: Object.fromEntries(
      ["errors", "p50", "p99", "max"].map((key, at) => [
        key,
        { value: at + place, low: at, high: at + 2, having: 2, of: 2 },
      ]),
    ),
  })),
  absent: [],
};

/** As if one process of four had too few quiet slices. */
function withStates(judged: JudgedScenario): JudgedScenario {
  const judgedBy = { quiet: 3, far: 0, any: 1 };
  const conditions = judged.conditions.map((one) => ({ ...one, quietShare: 0.4, judgedBy, crowdedForks: 1 }));
  return { ...judged, conditions };
}

it("a run prints what a reader looks at first, and a line for each race at its end", (t) => {
  const races = [
    judgeScenario([raceOf(COSTS, 1, CALM), broken(raceOf(COSTS, 2, CALM), "dear")]),
    withStates({
      ...judgeScenario([withDearControl(raceOf(COSTS, 2, CALM), 1.2)]),
      scenario: "disturbed",
    }),
    { ...judgeScenario([raceOf(COSTS, 4, CALM)]), scenario: "oversubscribed" },
    withAnotherRun({ ...judgeScenario([raceOf(COSTS, 2, CALM)]), scenario: "repeated" }, BETWEEN_RUNS),
    { ...judgeScenario([inRoles(raceOf(COSTS, 2, CALM), "reader", "writer")]), scenario: "in-roles" },
    { ...judgeScenario([broken(raceOf(COSTS, 1, CALM), undefined)]), scenario: "broken" },
  ];
  const labels = new Map(races.map(({ primitive }) => [primitive, LABELS]));
  const blocks = [
    ...races.flatMap((race) => briefRace(race, LABELS)),
    briefMetrics(survey),
    briefResults({ races, metrics: [survey] }, labels)!,
  ];
  golden(t, "testdata/brief.txt", blocksTerminal(blocks, { width: 80, colour: false }));
});
