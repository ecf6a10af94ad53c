import { it } from "node:test";
import { goldenCases } from "../../engine/golden.trials.ts";
import { inRoles } from "../../engine/judge/judge.synthetic.ts";
import { judgeScenario } from "../../engine/judge/judge.ts";
import { CALM, raceOf, slowAtFirst } from "../pictures/races.synthetic.ts";
import { dependsPage } from "./depends.ts";

const COSTS = { reference: 100, alike: 100, torn: 50 };
const race = raceOf(COSTS, 1, CALM);
const torn = slowAtFirst(race, "torn");

it("the page of rows that depend has both ratios of each, and no other row", (t) => {
  const of = (...groups: (typeof race)[]) => {
    return dependsPage([{ primitive: "synthetic", races: [judgeScenario(groups)] }]);
  };
  goldenCases(t, "testdata/depends.md", {
    "a row": of(torn),
    "in two roles": of(inRoles(slowAtFirst(raceOf(COSTS, 2, CALM), "torn"), "reader", "writer")),
    "no row": of(race),
  });
});
