import { it } from "node:test";
import { goldenCases } from "../../../engine/golden.trials.ts";
import { judgeScenario } from "../../../engine/judge/judge.ts";
import { CALM, raceOf } from "../../pictures/races.synthetic.ts";
import { SYNTHETIC_CORES } from "./scaling.synthetic.ts";
import { codesIn, whyText } from "./why.ts";

const RACE = {
  ...judgeScenario([raceOf({ "two-choices": 20, "cas-ring": 10, unknown: 30 }, 2, CALM)]),
  ...{ primitive: "pick", scenario: "uniform-8" },
};
const [group] = [raceOf({ "cas-ring": 10, "two-choices": 20 }, 2, CALM)];
/** One worker has two functions, another one; of one process nothing was noted. */
const COMPILED = ["+1700',2824'/584'", "584'", "584'", ""];
const noted = {
  ...group,
  cells: group.cells.map((cell) => ({
    ...cell,
    name: `pick/uniform-8/${cell.competitor}/2w`,
    roles: Object.fromEntries(
      Object.entries(cell.roles).map(([role, own]) => [
        role,
        cell.competitor === "cas-ring" ? { ...own, compiled: COMPILED } : own,
      ]),
    ),
  })),
};
const CODES = codesIn([{ groups: [noted] }]);

it("why competitors differ: what was simulated of them with few workers and many, and their code", (t) => {
  goldenCases(t, "testdata/why.md", {
    "simulated, and its code noted": whyText(RACE, SYNTHETIC_CORES, CODES).join("\n"),
    "its code alone": whyText(RACE, undefined, CODES).join("\n"),
    "simulated alone": whyText(RACE, SYNTHETIC_CORES, new Map()).join("\n"),
    "nothing known": whyText(RACE, undefined, new Map()).join("\n"),
  });
});
