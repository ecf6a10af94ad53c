import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { syntheticGroup } from "../../engine/judge/judge.synthetic.ts";
import type { KnownGroupRecord, LibraryReadingRecord } from "../schema/calibration.ts";
import { racedApart } from "./raced-apart.ts";
import { equalsIn, goalsOf, type Score, scoresOf } from "./scores.ts";

/** Beside the baseline and the A/A control that sets the floor: three crews that are equal to them, and two that are slower. */
const EXTRA_WORK = { equal1: 0, equal2: 0, equal3: 0, slowed: 0.02, slower: 0.1 };

/** A group whose crews cost what their extra work says, or `costsNs`, with this much noise by fork and by slice. */
function group(
  noise: number,
  seed: number,
  costsNs: Readonly<Record<string, number>> = {},
): KnownGroupRecord {
  const truths = Object.entries(EXTRA_WORK).map(([name, extra]) => [name, 10 * (1 + extra)]);
  const raced = syntheticGroup({
    costsNs: { baseline: 10, ...Object.fromEntries(truths), ...costsNs },
    workers: 1,
    forks: 8,
    rounds: 20,
    sliceNoise: noise,
    forkNoise: noise,
    roundNoise: 0,
    seed,
  });
  const extraWork = { baseline: 0, "baseline~aa1": 0, ...EXTRA_WORK };
  return { ...raced, extraWork, isLarge: false, precision: 0.01 };
}

type Roles = KnownGroupRecord["cells"][number]["roles"];

/** The first forks of the one and the others of the other. */
function spliced(one: Roles, other: Roles, forks: number): Roles {
  return Object.fromEntries(
    Object.entries(one).map(([role, { any }]) => {
      const { costNs } = other[role]!.any;
      const column = (of: "p25" | "p50" | "p75") => [
        ...any.costNs[of].slice(0, forks),
        ...costNs[of].slice(forks),
      ];
      const levels = { p25: column("p25"), p50: column("p50"), p75: column("p75") };
      return [role, { any: { costNs: { ...any.costNs, ...levels } } }];
    }),
  );
}

function lab(groups: readonly KnownGroupRecord[]): Map<number, Score> {
  const scores = scoresOf({ groups: [...groups], readings: [] });
  return new Map(scores.map((score) => [score.truth, score]));
}

describe("the lab's own scores", () => {
  it("count each pair of equals once, and each slowed crew against each equal one", () => {
    const scores = lab([group(0.001, 1), group(0.001, 2)]);
    assert.deepEqual([...scores.keys()], [0, 0.02, 0.1]);
    // Four equal crews make six pairs, the one that sets the floor aside.
    assert.equal(scores.get(0)!.trials, 2 * 6);
    assert.equal(scores.get(0)!.sources, 2);
    assert.equal(scores.get(0.1)!.trials, 2 * 4);
  });

  it("say same of equals and slower of slower ones where there is little noise", () => {
    const scores = lab([group(0.001, 3)]);
    assert.equal(scores.get(0)!.verdicts.same, 6);
    assert.equal(scores.get(0)!.decidedSources, 0);
    assert.equal(scores.get(0.1)!.verdicts.slower, 4);
    assert.equal(scores.get(0.02)!.verdicts.slower, 4);
  });

  it("say that small differences cannot be seen where there is much", () => {
    const scores = lab([group(0.06, 4)]);
    assert.equal(scores.get(0.02)!.verdicts.slower, 0);
    assert.ok(scores.get(0)!.reach > 0.05, `an interval reaches ${scores.get(0)!.reach}`);
  });

  it("report an equal crew that is not equal as false alarms, in one group", () => {
    const crooked = group(0.001, 5, { equal3: 11 });
    const equals = lab([crooked, group(0.001, 6)]).get(0)!;
    assert.equal(equals.verdicts.slower + equals.verdicts.faster, 3);
    assert.equal(equals.decidedSources, 1);
  });

  it("leave out crews and groups without numbers", () => {
    const whole = group(0.001, 8);
    const cells = whole.cells.map((cell) => (cell.competitor === "slower" ? { ...cell, roles: {} } : cell));
    const scores = lab([
      { ...whole, cells },
      { ...group(0.001, 9), failure: "its process died" },
    ]);
    assert.equal(scores.get(0)!.sources, 1);
    assert.equal(scores.get(0.1), undefined);
  });

  it("judge a group after as many forks as racing would have given it", () => {
    const { forks } = lab([group(0.001, 10)]).get(0.1)!;
    assert.ok(forks < 8, `decided after ${forks} of 8`);
    assert.equal(lab([group(0.02, 10)]).get(0.02)!.forks, 8);
    // What the forks after that would have said does not count.
    const [calm, outlying] = [group(0.001, 10), group(0.001, 10, { slower: 5 })];
    const cells = calm.cells.map((cell, index) =>
      cell.competitor === "slower"
        ? { ...cell, roles: spliced(cell.roles, outlying.cells[index]!.roles, forks) }
        : cell,
    );
    assert.equal(lab([{ ...calm, cells }]).get(0.1)!.verdicts.slower, 4);
  });

  it("are of no power where the floor is too high", () => {
    assert.equal(lab([group(0.4, 4)]).get(0)!.verdicts["no power"], 6);
  });
});

describe("goals", () => {
  const score = (truth: number, verdicts: Partial<Score["verdicts"]>, more: Partial<Score> = {}): Score => {
    const all = { faster: 0, slower: 0, same: 0, depends: 0, "cannot tell": 0, "no power": 0, ...verdicts };
    return {
      judge: "lab",
      workers: 1,
      oversubscribed: false,
      isLarge: false,
      isCompiledAlike: false,
      truth,
      trials: Object.values(all).reduce((sum, count) => sum + count, 0),
      sources: 1,
      verdicts: all,
      decidedSources: 0,
      floor: 0.003,
      reach: 0.01,
      forks: 8,
      ...more,
    };
  };
  const metOf = (scores: readonly Score[], isDisturbed?: boolean) =>
    goalsOf(scores, [], isDisturbed).map(({ goal, seen, trials, met }) => [
      goal.split(":")[0],
      seen,
      trials,
      met,
    ]);

  it("are the lab's scores, kind of race by kind of race, and what was measured decides all of them", () => {
    const scores = [
      score(0.01, { slower: 8, "cannot tell": 2 }),
      score(0.03, { slower: 9, same: 1 }),
      score(0.03, { slower: 7, "no power": 3 }, { workers: 2 }),
      score(0.05, { slower: 4 }, { isLarge: true }),
      score(0.1, { slower: 9, faster: 1 }, { workers: 4, oversubscribed: true }),
      score(0.01, { slower: 10 }, { isCompiledAlike: true }),
    ];
    assert.deepEqual(metOf(scores), [
      ["slower ones called faster", 1, 54, "no"],
      ["one worker, +1 %", 8, 10, "yes"],
      ["one worker, +3 %", 9, 10, "no"],
      ["several workers, +3 %", 7, 10, "no"],
      ["large working set, +5 %", 4, 4, "yes"],
      ["more workers than cores, +10 %", 9, 10, "yes"],
      ["one worker, compiled alike, +1 %", 10, 10, "yes"],
    ]);
  });

  it("are of twice the differences beside a disturbance", () => {
    const scores = [
      score(0.02, { slower: 8, depends: 2 }),
      score(0.03, { slower: 9, same: 1 }),
      score(0.1, { slower: 19, "cannot tell": 1 }, { workers: 2 }),
    ];
    assert.deepEqual(metOf(scores, true).slice(1), [
      ["one worker, +2 %", 8, 10, "yes"],
      ["several workers, +10 %", 19, 20, "yes"],
    ]);
    assert.deepEqual(metOf(scores).slice(1), [["one worker, +3 %", 9, 10, "no"]]);
  });

  it("allow one false alarm in two hundred, where that is shown", () => {
    const metOf = (trials: number, wrong: number) =>
      goalsOf([], [{ what: "equals", trials, wrong }]).map(({ met }) => met);
    const said = [metOf(199, 1), metOf(200, 1), metOf(630, 0), metOf(765, 0), metOf(1_456, 1), metOf(0, 0)];
    assert.deepEqual(said, [["no"], ["not shown"], ["not shown"], ["yes"], ["yes"], []]);
  });

  it("count the equals of all runs", () => {
    const runs = [1, 2].map((seed) => ({ groups: [group(0.001, seed)] }));
    assert.deepEqual(equalsIn(runs), { what: "equals", trials: 12, wrong: 0 });
  });
});

describe("equals that raced apart", () => {
  const [one, same, other] = [group(0.001, 1), group(0.001, 2), group(0.001, 3, { equal3: 11 })];
  const withoutSlowed = (whole: KnownGroupRecord): KnownGroupRecord => {
    const cells = whole.cells.filter(({ competitor }) => !competitor.startsWith("slow"));
    const { slowed: _, slower: __, ...extraWork } = whole.extraWork;
    return { ...whole, cells, extraWork };
  };
  const counts = (...runs: readonly (readonly KnownGroupRecord[])[]) =>
    racedApart(runs.map((groups) => ({ groups: [...groups] }))).map(({ where, trials, sources, wrong }) => [
      where,
      trials,
      sources,
      wrong,
    ]);

  it("are compared by their names: of another group, in other company, and in another run", () => {
    const company = withoutSlowed(group(0.001, 4));
    assert.deepEqual(counts([one, same, company], [group(0.001, 5)]), [
      ["in another group", 3, 1, 0],
      ["in other company", 6, 2, 0],
      ["in another run", 9, 3, 0],
    ]);
  });

  it("are counted where they are called different, or further apart than chance brings them", () => {
    assert.deepEqual(counts([one, other]), [["in another group", 3, 1, 1]]);
    assert.deepEqual(
      racedApart([{ groups: [one, other] }]).map(({ unlikely }) => unlikely),
      [1],
    );
  });

  it("are not compared with what failed, another cell or another way to compile", () => {
    const failed: KnownGroupRecord = { ...same, failure: "its process died" };
    const cells = same.cells.map((cell) => ({
      ...cell,
      name: cell.name.replace("/test/", "/test@compiled-alike/"),
    }));
    assert.deepEqual(counts([one, failed, { ...same, cells }]), []);
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
    }) satisfies LibraryReadingRecord;
  const scoreOf = (readings: LibraryReadingRecord[], truth: number) =>
    scoresOf({ groups: [], readings }).find((score) => score.truth === truth)!.verdicts;

  it("two intervals that do not meet are a difference, whichever way", () => {
    const readings = [
      reading("a", 0, 0, 10, 0.1),
      reading("a", 0, 0, 10.3, 0.1),
      reading("a", 0, 0, 10.15, 0.1),
    ];
    assert.deepEqual(scoreOf(readings, 0), {
      faster: 0,
      slower: 1,
      same: 0,
      depends: 0,
      "cannot tell": 2,
      "no power": 0,
    });
  });

  it("without intervals every ratio but one that is printed as 1 is a difference", () => {
    const readings = [reading("b", 0, 0, 10), reading("b", 0, 0, 10.04), reading("b", 0, 0, 9.9)];
    assert.deepEqual(scoreOf(readings, 0), {
      faster: 2,
      slower: 0,
      same: 1,
      depends: 0,
      "cannot tell": 0,
      "no power": 0,
    });
  });

  it("readings of different turns, whose workloads differ, are not compared", () => {
    const readings = [
      reading("a", 0, 0, 10, 0.1),
      reading("a", 0, 0, 10, 0.1),
      reading("a", 1, 0, 20, 0.1),
      reading("a", 1, 0, 20, 0.1),
      reading("a", 1, 0.1, 22, 0.1),
    ];
    const [equals, slowed] = scoresOf({ groups: [], readings });
    assert.deepEqual([equals!.trials, equals!.sources, equals!.decidedSources], [2, 2, 0]);
    assert.deepEqual([slowed!.trials, slowed!.verdicts.slower], [1, 1]);
  });

  it("a slowed reading is held to the equal one of its own turn, where that has a number", () => {
    const readings: LibraryReadingRecord[] = [
      reading("a", 1, 0, 10, 0.1),
      { ...reading("a", 0, 0, 0), mean: null, failure: "it died" },
      reading("a", 0, 0.1, 11, 0.1),
      reading("a", 1, 0.1, 9, 0.1),
    ];
    assert.deepEqual(scoreOf(readings, 0.1), {
      faster: 1,
      slower: 0,
      same: 0,
      depends: 0,
      "cannot tell": 0,
      "no power": 0,
    });
  });
});
