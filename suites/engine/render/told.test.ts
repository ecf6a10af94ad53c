import assert from "node:assert/strict";
import { it } from "node:test";
import { judgedRecord } from "../judge/judge.ts";
import { raceOf, recordOf, withDearControl } from "./races.synthetic.ts";
import { toldText } from "./told.ts";

const COSTS = { reference: 100, alike: 100, slow: 200 };
const told = judgedRecord(
  recordOf(raceOf(COSTS, 1, { forks: 12, rounds: 40, sliceNoise: 0.002, forkNoise: 0.002 })),
);
const crowded = judgedRecord(
  recordOf(raceOf(COSTS, 8, { forks: 12, rounds: 40, sliceNoise: 0.002, forkNoise: 0.002 })),
);
const powerless = judgedRecord(recordOf(withDearControl(raceOf(COSTS, 1), 1.5)));

it("rows are counted by verdict, of each primitive and of all", () => {
  const page = toldText([
    { primitive: "pick", races: told.verdicts.races },
    { primitive: "locks", races: powerless.verdicts.races },
    { primitive: "slots", races: [] },
  ]);
  assert.match(
    page,
    /^\| pick +\| +2 \| +1 \(50 %\) \| +1 \(50 %\) \| +0 \(0 %\) \| +0 \(0 %\) \| +\d.*% \|$/m,
  );
  assert.match(
    page,
    /^\| locks +\| +2 \| +0 \(0 %\) \| +0 \(0 %\) \| +0 \(0 %\) \| +2 \(100 %\) \| +\d.*% \|$/m,
  );
  assert.match(
    page,
    /^\| all +\| +4 \| +1 \(25 %\) \| +1 \(25 %\) \| +0 \(0 %\) \| +2 \(50 %\) \| +\d.*% \|$/m,
  );
  assert.doesNotMatch(page, /slots/);
});

it("those of more workers than cores are counted apart", () => {
  const counted = (...judged: (typeof told)[]) =>
    toldText([{ primitive: "pick", races: judged.flatMap(({ verdicts }) => verdicts.races) }]);
  const both = counted(told, crowded);
  assert.match(both, /^\| all +\| +4 \|/m);
  assert.match(both, /^\| a core for each worker +\| +2 \|/m);
  assert.match(both, /^\| oversubscribed +\| +2 \|/m);
  assert.doesNotMatch(counted(told), /oversubscribed/);
});

it("nothing is said where nothing was judged", () => {
  assert.equal(toldText([{ primitive: "slots", races: [] }]), "");
});
