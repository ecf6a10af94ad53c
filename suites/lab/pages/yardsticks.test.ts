import { it } from "node:test";
import { goldenCases } from "../../engine/golden.trials.ts";
import { inRoles } from "../../engine/judge/judge.synthetic.ts";
import { judgeScenario } from "../../engine/judge/judge.ts";
import type { GroupRecord } from "../../engine/schema/record.ts";
import { broken, LABELS, raceOf } from "../pictures/races.synthetic.ts";
import { yardsticksText } from "./yardsticks.ts";

const PAIRS = { ...LABELS, yardsticks: new Map([["native", "script"]]) };
const COSTS = { base: 20, script: 30, native: 15 };

function raced(workers: number, costs: Readonly<Record<string, number>> = COSTS): GroupRecord {
  return raceOf(costs, workers, { forks: 8 });
}

function textOf(groups: readonly GroupRecord[], labels: typeof PAIRS | undefined = PAIRS): string {
  return yardsticksText(groups.length === 0 ? [] : [judgeScenario(groups)], labels).join("\n");
}

it("how far JavaScript is from WebAssembly: a row for each pair and worker count with a core each", (t) => {
  goldenCases(t, "testdata/yardsticks.md", {
    "one, two and more workers than cores": textOf([raced(2), raced(4), raced(1)]),
    "of the baseline": textOf([raced(1, { script: 30, native: 15, other: 20 })]),
    "cannot tell": textOf([raceOf({ ...COSTS, native: 31 }, 1, { forks: 4, forkNoise: 0.04 })]),
    "two roles": textOf([inRoles(raced(2), "reader", "writer")]),
    "no races": textOf([]),
    "the yardstick has no number": textOf([broken(raced(1), "native")]),
    "its script has no number": textOf([broken(raced(1), "script")]),
    "its script did not race": textOf([raced(1, { base: 20, native: 15, other: 30 })]),
    "no pair": yardsticksText([judgeScenario([raced(1)])], LABELS).join(),
    "nothing is known of competitors": yardsticksText([judgeScenario([raced(1)])], undefined).join(),
  });
});
