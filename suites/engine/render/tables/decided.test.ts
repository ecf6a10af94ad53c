import assert from "node:assert/strict";
import { it } from "node:test";
import { withCosts, withDearControl } from "../../judge/judge.synthetic.ts";
import { judgedRecord } from "../../judge/judge.ts";
import { raceOf, recordOf } from "../pictures/races.synthetic.ts";
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

it("rows are counted by verdict, of each primitive by its workers, and of all", () => {
  const page = decidedText([
    { primitive: "pick", races: calm.verdicts.races },
    { primitive: "locks", races: powerless.verdicts.races },
    { primitive: "timers", races: divided.verdicts.races },
    { primitive: "slots", races: [] },
  ]);
  const cellsOf = (name: string) =>
    new RegExp(`^\\| ${name} +\\|(.*)\\|$`, "m")
      .exec(page)?.[1]
      ?.split("|")
      .map((cell) => cell.trim().replace(/ \(.*/, ""));
  assert.deepEqual(cellsOf("Primitive")?.slice(0, -1), [
    "How many",
    "Faster or slower",
    "Same",
    "Depends",
    "Cannot tell",
    "No power",
  ]);
  assert.deepEqual(cellsOf("pick, 1 worker")?.slice(0, -1), ["2", "1", "1", "0", "0", "0"]);
  assert.deepEqual(cellsOf("locks, 1 worker")?.slice(0, -1), ["2", "0", "0", "0", "0", "2"]);
  assert.deepEqual(cellsOf("timers, 1 worker")?.slice(0, -1), ["1", "0", "0", "1", "0", "0"]);
  assert.match(
    page,
    /^\| all +\| +5 \| +1 \(20 %\) \| +1 \(20 %\) \| +1 \(20 %\) \| +0 \(0 %\) \| +2 \(40 %\) \| +\d.*% \|$/m,
  );
  assert.doesNotMatch(page, /slots/);
});

it("rows with more workers than cores are counted apart", () => {
  const counted = (...judged: (typeof calm)[]) =>
    decidedText([{ primitive: "pick", races: judged.flatMap(({ verdicts }) => verdicts.races) }]);
  const both = counted(calm, crowded);
  assert.match(both, /^\| all +\| +4 \|/m);
  assert.match(both, /^\| a core for each worker +\| +2 \|/m);
  assert.match(both, /^\| oversubscribed +\| +2 \|/m);
  assert.match(both, /^\| pick, 8 workers +\| +2 \|/m);
  assert.doesNotMatch(counted(calm), /oversubscribed/);
});

it("nothing is said where nothing was judged", () => {
  assert.equal(decidedText([{ primitive: "slots", races: [] }]), "");
});
