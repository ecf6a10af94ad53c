import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Random } from "../../../structures/shared/sfc32.ts";
import type { RulerGroupRecord, RulerReadingRecord } from "../record/ruler.ts";
import { type Score, scoresOf } from "./ruler.ts";

const CREWS = [0, 0, 0, 0, 0.02, 0.1];

/** A group whose crews cost what their extra work says, with noise of so much by fork and by slice. */
function group(
  noise: number,
  seed: number,
  costs = CREWS.map((extra) => 10 * (1 + extra)),
): RulerGroupRecord {
  const random = new Random(seed);
  const wobble = () => 1 + noise * (random.fraction() - 0.5);
  return {
    cell: "synthetic/test/one/1w",
    workers: 1,
    oversubscribed: false,
    crews: CREWS.map((extraWork, crew) => ({ name: `crew${crew}`, extraWork })),
    forks: Array.from({ length: 5 }, () =>
      costs.map((ns) => {
        const luck = ns * wobble();
        return Array.from({ length: 20 }, () => luck * wobble());
      }),
    ),
  };
}

function lab(groups: readonly RulerGroupRecord[]): Map<number, Score> {
  const scores = scoresOf({ groups: [...groups], readings: [], seed: 7 });
  return new Map(scores.map((score) => [score.truth, score]));
}

describe("the lab's own scores", () => {
  it("count each pair of equals once, and each slowed crew once", () => {
    const scores = lab([group(0.001, 1), group(0.001, 2)]);
    assert.deepEqual([...scores.keys()], [0, 0.02, 0.1]);
    // Four equal crews make six pairs.
    assert.equal(scores.get(0)!.trials, 2 * 6);
    assert.equal(scores.get(0)!.sources, 2);
    assert.equal(scores.get(0.1)!.trials, 2);
  });

  it("say same of equals and slower of slower ones where there is little noise", () => {
    const scores = lab([group(0.001, 3)]);
    assert.equal(scores.get(0)!.verdicts.same, 6);
    assert.equal(scores.get(0)!.decidedSources, 0);
    assert.equal(scores.get(0.1)!.verdicts.slower, 1);
    assert.equal(scores.get(0.02)!.verdicts.slower, 1);
  });

  it("say that small differences cannot be told where there is much", () => {
    const scores = lab([group(0.3, 4)]);
    assert.equal(scores.get(0.02)!.verdicts.slower, 0);
    assert.ok(scores.get(0)!.reach > 0.05, `an interval reaches ${scores.get(0)!.reach}`);
  });

  it("report an equal crew that is not equal as false alarms, in one group", () => {
    const crooked = group(0.001, 5, [10, 10, 10, 11, 10.2, 11]);
    const equals = lab([crooked, group(0.001, 6)]).get(0)!;
    assert.equal(equals.verdicts.slower + equals.verdicts.faster, 3);
    assert.equal(equals.decidedSources, 1);
  });

  it("leave out rounds that were dropped, and groups without numbers", () => {
    const whole = group(0.001, 8);
    const forks = whole.forks.map((crews, fork) =>
      crews.map((rounds, crew) => (crew === 5 && fork < 4 ? rounds.map(() => null) : rounds)),
    );
    const scores = lab([
      { ...whole, forks },
      { ...group(0.001, 9), failure: "its process died", forks: [] },
    ]);
    assert.equal(scores.get(0)!.sources, 1);
    // One fork is left of the crew that is 10 % slower, and one process tells nothing.
    assert.equal(scores.get(0.1)!.verdicts["cannot tell"], 1);
  });
});

describe("what a reader takes from a library's readings", () => {
  const reading = (library: string, turn: number, extraWork: number, mean: number, margin?: number) =>
    ({
      library,
      cell: "synthetic/test/one/1w",
      extraWork,
      turn,
      mean,
      low: margin === undefined ? null : mean - margin,
      high: margin === undefined ? null : mean + margin,
    }) satisfies RulerReadingRecord;
  const scoreOf = (readings: RulerReadingRecord[], truth: number) =>
    scoresOf({ groups: [], readings, seed: 7 }).find((score) => score.truth === truth)!.verdicts;

  it("two intervals that do not meet are a difference, whichever way", () => {
    const readings = [
      reading("a", 0, 0, 10, 0.1),
      reading("a", 0, 0, 10.3, 0.1),
      reading("a", 0, 0, 10.15, 0.1),
    ];
    assert.deepEqual(scoreOf(readings, 0), { faster: 0, slower: 1, same: 0, "cannot tell": 2 });
  });

  it("without intervals every ratio but one that is printed as 1 is a difference", () => {
    const readings = [reading("b", 0, 0, 10), reading("b", 0, 0, 10.04), reading("b", 0, 0, 9.9)];
    assert.deepEqual(scoreOf(readings, 0), { faster: 2, slower: 0, same: 1, "cannot tell": 0 });
  });

  it("readings of different turns, whose workloads differ, are not compared", () => {
    const readings = [
      reading("a", 0, 0, 10, 0.1),
      reading("a", 0, 0, 10, 0.1),
      reading("a", 1, 0, 20, 0.1),
      reading("a", 1, 0, 20, 0.1),
      reading("a", 1, 0.1, 22, 0.1),
    ];
    const [equals, slowed] = scoresOf({ groups: [], readings, seed: 7 });
    assert.deepEqual([equals!.trials, equals!.sources, equals!.decidedSources], [2, 2, 0]);
    assert.deepEqual([slowed!.trials, slowed!.verdicts.slower], [1, 1]);
  });

  it("a slowed reading is held to the equal one of its own turn, where that has a number", () => {
    const readings: RulerReadingRecord[] = [
      reading("a", 1, 0, 10, 0.1),
      { ...reading("a", 0, 0, 0), mean: null, failure: "it died" },
      reading("a", 0, 0.1, 11, 0.1),
      reading("a", 1, 0.1, 9, 0.1),
    ];
    assert.deepEqual(scoreOf(readings, 0.1), { faster: 1, slower: 0, same: 0, "cannot tell": 0 });
  });
});
