import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { GroupRecord } from "../record/record.ts";
import { type SyntheticGroup, syntheticGroup } from "./judge.synthetic.ts";
import { judgeScenario } from "./judge.ts";
import { figuresOf, keptFigures, weatherOf } from "./samples.ts";

const QUIET: SyntheticGroup = {
  costsNs: { baseline: 20, half: 10, double: 40, equal: 20.02, near: 20.4 },
  workers: 2,
  forks: 5,
  rounds: 40,
  sliceNoise: 0.003,
  forkNoise: 0.001,
  roundNoise: 0.3,
  seed: 5,
};

describe("the judge on records whose truth is known", () => {
  it("says faster, slower and same, however rough the weather all rows share", () => {
    const verdicts = verdictsOf(syntheticGroup(QUIET));
    assert.equal(verdicts.get("half"), "faster");
    assert.equal(verdicts.get("double"), "slower");
    assert.equal(verdicts.get("equal"), "same");
    assert.equal(verdicts.get("near"), "slower", "2 % are beyond the floor of 1 %");
    assert.equal(verdicts.get("baseline~twin1"), "noise floor");
    assert.equal(verdicts.get("baseline"), "baseline");
  });

  it("leaves out the time in which batches were prepared", () => {
    const group = syntheticGroup({ ...QUIET, workers: 1 });
    const prepared: GroupRecord = {
      ...group,
      cells: group.cells.map((cell) => ({
        ...cell,
        forks: cell.forks.map((fork) => ({
          ...fork,
          // As long as they measured, they prepared: their windows are twice as long.
          endNs: fork.endNs.map((each) =>
            each.map((endNs) => (cell.competitor === "half" ? 2 * endNs : endNs)),
          ),
          ...(cell.competitor === "half" ? { preparingNs: fork.endNs } : {}),
        })),
      })),
    };
    const rowOf = (judged: GroupRecord) =>
      judgeScenario([judged], 1).rows.find(({ competitor }) => competitor === "half");
    assert.deepEqual(rowOf(prepared), rowOf(group));
  });

  it("claims no difference of 2 % where forks differ by more", () => {
    const verdicts = verdictsOf(syntheticGroup({ ...QUIET, forkNoise: 0.04 }));
    assert.ok(["same", "cannot tell"].includes(verdicts.get("near")!), verdicts.get("near"));
    assert.equal(verdicts.get("half"), "faster", "but a factor of two it can");
  });

  it("raises no false alarm in 50 tables of equals under fork noise of 2 %", () => {
    let alarms = 0;
    for (let seed = 0; seed < 50; seed++) {
      const group = syntheticGroup({
        ...QUIET,
        costsNs: { baseline: 20, a: 20, b: 20 },
        forkNoise: 0.02,
        seed,
      });
      const verdicts = verdictsOf(group);
      for (const name of ["a", "b"]) if (/er$/.test(verdicts.get(name)!)) alarms++;
    }
    assert.ok(alarms <= 1, `${alarms} of 100 verdicts were false`);
  });

  it("raises no false alarm where one rival's forks scatter far more than its peers'", () => {
    let alarms = 0;
    for (let seed = 0; seed < 50; seed++) {
      const costsNs = { baseline: 20, a: 20, b: 20, noisy: 20 };
      const truth = { ...QUIET, costsNs, rounds: 20, forkNoise: 0.002, noisy: { noisy: 0.05 }, seed };
      if (/er$/.test(verdictsOf(syntheticGroup(truth)).get("noisy")!)) alarms++;
    }
    assert.ok(alarms <= 1, `${alarms} of 50 verdicts were false`);
  });

  it("gives figures in the units it says", () => {
    const { rows } = judgeScenario(
      [syntheticGroup({ ...QUIET, roundNoise: 0, sliceNoise: 0, forkNoise: 0 })],
      1,
    );
    const half = rows.find(({ competitor }) => competitor === "half")!;
    assert.ok(half.noNumber === undefined);
    assert.ok(Math.abs(half.median - 10) < 0.01, "one worker waits 10 ns");
    assert.ok(Math.abs(half.throughputPerSecond - 2e8) < 2e5, "two workers of 100 M/s each");
    assert.equal(half.fairness, 1);
    assert.equal(half.overlap, 1);
  });

  it("shows a broken law and a fault as rows without a number, and judges the rest", () => {
    const group = syntheticGroup(QUIET);
    const broken = group.cells.find(({ competitor }) => competitor === "half")!;
    broken.failure = { kind: "law", reason: "lost tickets" };
    const { rows } = judgeScenario([group], 1);
    const row = rows.find(({ competitor }) => competitor === "half")!;
    assert.equal(row.noNumber, "lost tickets");
    assert.equal(rows.find(({ competitor }) => competitor === "double")!.noNumber, undefined);
  });

  it("has nothing to compare with when the baseline failed, and says so", () => {
    const group = syntheticGroup(QUIET);
    group.cells[0]!.failure = { kind: "fault", reason: "it hung" };
    assert.equal(verdictsOf(group).get("half"), "no baseline to compare with");
  });

  it("gives cells of two groups of one scenario one row each, baseline and twin included", () => {
    const first = syntheticGroup({ ...QUIET, costsNs: { baseline: 20, half: 10 } });
    const second = syntheticGroup({ ...QUIET, costsNs: { baseline: 20, double: 40 }, seed: 6 });
    const { rows } = judgeScenario([first, second], 1);
    assert.deepEqual(rows.map(({ competitor }) => competitor).sort(), [
      "baseline",
      "baseline~twin1",
      "double",
      "half",
    ]);
  });

  it("is a pure function of the record", () => {
    const group = syntheticGroup(QUIET);
    assert.deepEqual(judgeScenario([group], 3), judgeScenario([structuredClone(group)], 3));
  });
});

describe("which slices count", () => {
  const fork = (startNs: number[], endNs: number[]) => ({
    fork: 0,
    warmUp: { slices: 10, flat: true },
    batches: [1, 1],
    rounds: [0],
    operations: [[300, 100]],
    startNs: [startNs],
    endNs: [endNs],
    operationsWithRamps: [[300, 100]],
    counters: {},
  });

  it("overlap is the common part of the windows over their union", () => {
    const [figures] = figuresOf(fork([0, 100], [1000, 1100]), ["worker", "worker"], false);
    assert.equal(figures!.overlap, 900 / 1100);
    assert.ok(
      figuresOf(fork([0, 2000], [1000, 3000]), ["worker", "worker"], false)[0]!.overlap < 0,
      "windows that never meet",
    );
  });

  it("cost and fairness are by role", () => {
    const [alike] = figuresOf(fork([0, 0], [1000, 1000]), ["worker", "worker"], false);
    assert.equal(alike!.nsPerOperation.get("worker"), 2 / (0.3 + 0.1));
    assert.equal(alike!.fairness.get("worker"), 0.1 / 0.3);
    const [apart] = figuresOf(fork([0, 0], [1000, 1000]), ["writer", "reader"], false);
    assert.equal(apart!.nsPerOperation.get("writer"), 1000 / 300);
    assert.equal(apart!.nsPerOperation.get("reader"), 10);
  });

  it("with more workers than cores, waiting for a core is time too", () => {
    // The second worker got a core only when the first had finished; each ran for 1000 ns.
    const inTurns = fork([0, 1000], [1000, 2000]);
    const [figures] = figuresOf(inTurns, ["worker", "worker"], true);
    assert.equal(figures!.nsPerOperation.get("worker"), 2 / (300 / 1000 + 100 / 2000));
    assert.equal(figures!.overlap, 0.5);
  });

  it("a slice under 0.95 overlap is dropped and counted, unless workers exceed cores", () => {
    const group = syntheticGroup(QUIET);
    const cell = group.cells[0]!;
    cell.forks[0]!.startNs[3] = [0, 1_000_000];
    const none = new Map();
    const kept = keptFigures(cell, group, none);
    assert.equal(kept.droppedForOverlap, 1);
    assert.equal(kept.forks[0]!.slices.length, 39);
    assert.equal(keptFigures(cell, { ...group, oversubscribed: true }, none).droppedForOverlap, 0);
  });

  it("a round is dropped for every row when the control says it was disturbed", () => {
    const group = syntheticGroup(QUIET);
    const control = group.cells.find(({ kind }) => kind === "control")!;
    control.forks[1]!.operations[7] = control.forks[1]!.operations[7]!.map((operations) =>
      Math.round(operations / 1.2),
    );
    const weather = weatherOf(group);
    assert.deepEqual([...weather.get(1)!.disturbed], [7]);
    assert.equal(weather.get(0)!.disturbed.size, 0);
    assert.equal(keptFigures(group.cells[0]!, group, weather).forks[1]!.slices.length, 39);
  });

  it("a control that costs more with company throughout drops no round but is reported", () => {
    const group = syntheticGroup(QUIET);
    const control = group.cells.find(({ kind }) => kind === "control")!;
    group.cells.push({ ...structuredClone(control), kind: "control-alone", competitor: "control-alone" });
    const slowed = (operations: number[]) => operations.map((each) => Math.round(each / 1.3));
    control.forks[2]!.operations = control.forks[2]!.operations.map(slowed);
    const { disturbed, crowded } = weatherOf(group).get(2)!;
    assert.equal(disturbed.size, 0);
    assert.equal(crowded, true);
    assert.equal(weatherOf(group).get(0)!.crowded, false);
    assert.equal(judgeScenario([group], 1).conditions[0]!.crowdedForks, 1);
  });
});

function verdictsOf(group: GroupRecord): Map<string, string> {
  const { rows } = judgeScenario([group], 1);
  return new Map(rows.map((row) => [row.competitor, row.noNumber ?? row.verdict]));
}
