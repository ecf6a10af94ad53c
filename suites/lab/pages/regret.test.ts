import { it } from "node:test";
import { goldenCases } from "../../engine/golden.trials.ts";
import { inRoles } from "../../engine/judge/judge.synthetic.ts";
import { judgeScenario } from "../../engine/judge/judge.ts";
import type { GroupRecord } from "../../engine/schema/record.ts";
import { broken, CALM, LABELS, raceOf, slowAtFirst } from "../pictures/races.synthetic.ts";
import { regretText } from "./regret.ts";

/** Two scenarios, in each of which another is the best. */
const COSTS = { base: 20, even: 22, odd: 10 };
const OTHER = { base: 30, even: 22, odd: 88 };
const WITHOUT_ODD = { base: 20, even: 22 };

function raced(scenario: string, costs: Readonly<Record<string, number>>, workers = 1): GroupRecord {
  return { ...raceOf(costs, workers, CALM), scenario };
}

/** Scenarios, each with its groups. */
const RACES: Readonly<Record<string, readonly (readonly GroupRecord[])[]>> = {
  "the highest ratio to the best of a condition": [[raced("one", COSTS)], [raced("two", OTHER)]],
  "a table of its own where workers outnumber cores": [
    [raced("test", COSTS), raced("test", COSTS, 2), raced("test", { ...COSTS, odd: 200 }, 4)],
  ],
  "an oracle is named as one, a lower bound is omitted": [
    [1, 2].map((workers) => raced("test", { base: 20, obvious: 10, nothing: 1 }, workers)),
  ],
  "the worse group of a row that depends": [
    [1, 2].map((workers) => slowAtFirst(raced("test", { base: 20, torn: 10 }, workers), "torn")),
  ],
  "a condition for each role": [[inRoles(raced("test", COSTS, 2), "reader", "writer")]],
  "none that raced in fewer than half of the conditions, or has no number": [
    [raced("one", COSTS)],
    ...["two", "three", "five"].map((scenario) => [raced(scenario, WITHOUT_ODD)]),
    [broken(raced("four", COSTS), "even")],
  ],
  "a single condition": [[raced("test", COSTS)]],
  "no races": [],
};

it("who is never far from the best", (t) => {
  const texts = Object.entries(RACES).map(([name, scenarios]) => {
    return [name, regretText(scenarios.map(judgeScenario), LABELS).join("\n")];
  });
  goldenCases(t, "testdata/regret.md", Object.fromEntries(texts));
});
