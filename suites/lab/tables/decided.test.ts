import { it } from "node:test";
import { goldenCases } from "../../engine/golden.trials.ts";
import { withCosts, withDearControl } from "../../engine/judge/judge.synthetic.ts";
import { raceOf, recordOf } from "../pictures/races.synthetic.ts";
import { judgedRecord } from "../verdicts/judge-record.ts";
import { decidedText } from "./decided.ts";

const COSTS = { reference: 100, alike: 100, slow: 200 };
const CALM = { forks: 12, rounds: 40, sliceNoise: 0.002, forkNoise: 0.002 };
const calm = judgedRecord(recordOf(raceOf(COSTS, 1, CALM)));
const crowded = judgedRecord(recordOf(raceOf(COSTS, 8, CALM)));
/** Their differences are smaller than how far the A/A control strays. */
const powerless = judgedRecord(recordOf(withDearControl(raceOf({ ...COSTS, slow: 120 }, 1), 1.5)));
/** One of them takes a half of the reference's time in a third of the processes. */
const divided = judgedRecord(
  recordOf(
    withCosts(raceOf({ reference: 100, slow: 200 }, 1, CALM), ({ competitor }, fork) =>
      competitor === "slow" && fork < 4 ? 0.25 : 1,
    ),
  ),
);

it("rows are counted by verdict, of each primitive by its workers, and of all; those with more workers than cores apart", (t) => {
  const races = (...judged: (typeof calm)[]) => judged.flatMap(({ verdicts }) => verdicts.races);
  goldenCases(t, "testdata/decided.md", {
    "of several primitives": decidedText([
      { primitive: "pick", races: races(calm) },
      { primitive: "locks", races: races(powerless) },
      { primitive: "timers", races: races(divided) },
      { primitive: "slots", races: [] },
    ]),
    oversubscribed: decidedText([{ primitive: "pick", races: races(calm, crowded) }]),
    nothing: decidedText([{ primitive: "slots", races: [] }]),
  });
});
