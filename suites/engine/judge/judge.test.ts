import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CrewResult } from "../measure/plan/protocol.ts";
import type { CellRecord, GroupRecord, QuartilesRecord, RoleRecord } from "../schema/record.ts";
import type { JudgedMeasured, JudgedRow } from "../schema/verdict.ts";
import {
  groupOf,
  type SyntheticGroup,
  syntheticForks,
  syntheticGroup,
  withCosts,
  withDearControl,
} from "./judge.synthetic.ts";
import { judgeScenario } from "./judge.ts";
import { ofForks } from "./samples.ts";
import { undecided } from "./undecided.ts";
import { judgeContrast } from "./verdict.ts";

const QUIET: SyntheticGroup = {
  costsNs: { baseline: 20, half: 10, double: 40, equal: 20.02, near: 20.6 },
  workers: 2,
  forks: 8,
  rounds: 40,
  sliceNoise: 0.003,
  forkNoise: 0.001,
  roundNoise: 0.3,
  seed: 5,
};

/** Equals, whose baseline a busy machine slows more than them. */
const EQUALS: SyntheticGroup = {
  ...QUIET,
  costsNs: { baseline: 20, few: 20, many: 20 },
  rounds: 120,
  busyFactors: { baseline: 2, few: 1.2, many: 1.2, rival: 1.2 },
};

/** The group as if hardly a slice of a competitor had been quiet in the first `forks` processes. */
function withFewQuiet(group: GroupRecord, competitor: string, forks = group.cells[0]!.forks): GroupRecord {
  const few = (table: QuartilesRecord): QuartilesRecord => ({
    ...table,
    counts: table.counts.map((count, place) => (place < forks ? 5 : count)),
  });
  const ofRole = (figures: RoleRecord): RoleRecord => ({
    ...figures,
    quiet: { costNs: few(figures.quiet!.costNs) },
  });
  const cells = group.cells.map((cell) =>
    cell.competitor !== competitor
      ? cell
      : {
          ...cell,
          roles: Object.fromEntries(Object.entries(cell.roles).map(([role, own]) => [role, ofRole(own)])),
        },
  );
  return { ...group, cells };
}

/** Forks, some with one crew that was slower for the whole life of the process. */
function slowedBy(
  factor: number,
  name: string,
  forks: readonly (readonly CrewResult[])[],
  isSlowed: (fork: number) => boolean,
): CrewResult[][] {
  const slower = (crew: CrewResult): CrewResult => ({
    ...crew,
    workers: crew.workers.map((worker) => ({
      ...worker,
      operations: worker.operations.map((operations) => operations / factor),
    })),
  });
  return forks.map((crews, fork) =>
    crews.map((crew) => (crew.name === name && isSlowed(fork) ? slower(crew) : crew)),
  );
}

/** A row that was slower in the first four of twelve processes, with private code or without it. */
function inTwoGroups(isExplained: boolean): JudgedMeasured {
  const truth = { ...QUIET, forks: 12 };
  const isBusy = (fork: number) => fork < 4;
  const slowed = slowedBy(4, "half", syntheticForks(truth), isBusy);
  const forks = isExplained ? slowedBy(2, "control", slowed, isBusy) : slowed;
  return rowsOf(groupOf(truth, forks)).get("half")!;
}

describe("the judge on records whose truth is known", () => {
  it("says faster, slower and same, however much host noise all rows share", () => {
    const verdicts = verdictsOf(syntheticGroup(QUIET));
    assert.equal(verdicts.get("half"), "faster");
    assert.equal(verdicts.get("double"), "slower");
    assert.equal(verdicts.get("equal"), "same");
    assert.equal(verdicts.get("near"), "slower", "3 % are beyond the floor");
    assert.equal(verdicts.get("baseline~aa1"), "noise floor");
    assert.equal(verdicts.get("baseline"), "baseline");
  });

  it("claims no difference of 3 % where forks differ by more, and says what it would have seen", () => {
    const group = syntheticGroup({ ...QUIET, forkNoise: 0.04 });
    const near = rowsOf(group).get("near")!;
    assert.equal(near.verdict, "cannot tell");
    assert.ok(near.sees! > 0.03 && near.sees! > near.halfWidth!, String(near.sees));
    assert.equal(rowsOf(group).get("half")!.verdict, "faster", "but a factor of two it can");
  });

  it("has no power over rows that stay open where the A/A control strays by more than 10 %", () => {
    const group = withDearControl(syntheticGroup({ ...QUIET, forkNoise: 0.1 }), 1.2);
    const verdicts = verdictsOf(group);
    for (const name of ["equal", "near"]) assert.equal(verdicts.get(name), "no power");
    assert.equal(verdicts.get("half"), "faster", "an interval wholly beyond the floor");
    assert.equal(verdicts.get("double"), "slower");
  });

  it("raises no false alarm in 50 tables of equals under fork noise of 2 %", () => {
    let alarms = 0;
    for (let seed = 0; seed < 50; seed++) {
      const costsNs = { baseline: 20, a: 20, b: 20 };
      const verdicts = verdictsOf(syntheticGroup({ ...QUIET, costsNs, forkNoise: 0.02, seed }));
      for (const name of ["a", "b"]) if (/er$/.test(verdicts.get(name)!)) alarms++;
    }
    assert.ok(alarms <= 1, `${alarms} of 100 verdicts were false`);
  });

  it("raises no false alarm where one rival's forks scatter far more than its peers'", () => {
    let alarms = 0;
    for (let seed = 0; seed < 50; seed++) {
      for (const forks of [5, 8]) {
        const costsNs = { baseline: 20, a: 20, b: 20, noisy: 20 };
        const truth = { ...QUIET, costsNs, forks, forkNoise: 0.002, noisy: { noisy: 0.05 }, seed };
        if (/er$/.test(verdictsOf(syntheticGroup(truth)).get("noisy")!)) alarms++;
      }
    }
    assert.ok(alarms <= 2, `${alarms} of 100 verdicts were false`);
  });

  it("gives figures in the units it says", () => {
    const half = rowsOf(syntheticGroup({ ...QUIET, roundNoise: 0, sliceNoise: 0, forkNoise: 0 })).get(
      "half",
    )!;
    assert.ok(Math.abs(half.median - 10) < 0.01, "one worker waits 10 ns");
    assert.ok(Math.abs(half.throughputPerSecond - 2e8) < 2e5, "two workers of 100 M/s each");
    assert.equal(half.fairness, 1);
    assert.equal(half.overlap, 1);
    assert.equal(half.forks, 8);
  });

  it("does not average the process in which a crew was compiled differently, and says so", () => {
    const truth = { ...QUIET, costsNs: { ...QUIET.costsNs, near: 20.02 } };
    const forks = syntheticForks(truth);
    const slowed = slowedBy(1.5, "near", forks, (fork) => fork === 3);
    const row = rowsOf(groupOf(truth, slowed)).get("near")!;
    assert.equal(row.verdict, "same");
    assert.equal(row.leftOut, 1);
    assert.equal(row.forks, 7);
    assert.deepEqual(row.flags, ["1 of 8 processes not averaged: at x1.50"]);
    assert.deepEqual(rowsOf(groupOf(truth, forks)).get("near")!.flags, []);
  });

  it("says of a row that part of its memory is not that of all others", () => {
    const group = syntheticGroup(QUIET);
    const cells = group.cells.map((cell) => (cell.competitor === "near" ? { ...cell, strays: 3 } : cell));
    const rows = rowsOf({ ...group, cells });
    assert.deepEqual(rows.get("near")!.flags, ["3 of its allocations outside of the common memory"]);
    assert.deepEqual(rows.get("equal")!.flags, []);
  });

  it("depends where processes fall into two groups that answer differently, and says what each says and why", () => {
    const row = inTwoGroups(true);
    assert.equal(row.verdict, "depends");
    assert.equal(row.leftOut, 0);
    assert.deepEqual(
      row.groups!.map(({ ratio, forks: count }) => [Number(ratio.value.toPrecision(2)), count]),
      [
        [0.5, 8],
        [2, 4],
      ],
    );
    assert.match(
      row.flags[0]!,
      /^8 processes at x0\.50 .*, 4 processes at x2\.0 .*, distinguished by what private code costs: 8\.0\d ns and 16\.\d ns$/,
    );
  });

  it("is judged over all processes where nothing measured tells two groups apart, and says so", () => {
    const row = inTwoGroups(false);
    assert.equal(row.verdict, "cannot tell");
    assert.equal(row.groups, undefined);
    assert.equal(row.forks, 12);
    assert.deepEqual(row.flags, [
      "8 processes at x0.50, 4 processes at x2.0; nothing that was measured beside them tells these apart, and the interval is over all",
    ]);
  });

  it("depends on how far apart the cores are where slices show it, though every process is alike", () => {
    const group = withDistances(syntheticGroup(QUIET), { half: 4 });
    const row = rowsOf(group).get("half")!;
    assert.equal(row.verdict, "depends");
    assert.ok(Math.abs(row.ratio!.value - 0.5) < 0.01, "the ratio is that of near cores");
    assert.match(
      row.flags[0]!,
      /distinguished by how long a cache line takes from core to core: 55\.0 ns and 190 ns$/,
    );
    assert.equal(rowsOf(group).get("double")!.verdict, "slower", "what is slower in both");
    assert.deepEqual(rowsOf(group).get("double")!.flags, []);
  });

  it("shows a broken law and a fault as rows without a number, and judges the rest", () => {
    const group = syntheticGroup(QUIET);
    const broken = group.cells.find(({ competitor }) => competitor === "half")!;
    broken.failure = { kind: "law", reason: "lost tickets" };
    const verdicts = verdictsOf(group);
    assert.equal(verdicts.get("half"), "lost tickets");
    assert.equal(verdicts.get("double"), "slower");
  });

  it("has no number where an operation came to no end in some slice", () => {
    const group = syntheticGroup(QUIET);
    group.cells.find(({ competitor }) => competitor === "half")!.roles.worker!.stalled = 1;
    assert.match(verdictsOf(group).get("half")!, /no operation came to its end/);
  });

  for (const [place, says] of ["no baseline to compare with", "no noise floor to judge by"].entries())
    it(`has ${says} when that crew failed, and says so`, () => {
      const group = syntheticGroup(QUIET);
      group.cells[place]!.failure = { kind: "fault", reason: "it hung" };
      assert.equal(verdictsOf(group).get("half"), says);
    });

  it("gives cells of two groups of one scenario one row each, baseline and A/A control included", () => {
    const { rows, conditions } = judgeScenario(twoGroups());
    assert.deepEqual(rows.map(({ competitor }) => competitor).sort(), [
      "baseline",
      "baseline~aa1",
      "double",
      "half",
    ]);
    assert.equal(conditions.length, 1);
    assert.equal(conditions[0]!.forks, 16);
    assert.equal(conditions[0]!.floors.length, 1, "the floor is of all groups");
  });

  it("gives times whose quotients are the ratios, though rows raced in some of a table's processes alone", () => {
    const calm = { ...QUIET, sliceNoise: 0, forkNoise: 0, roundNoise: 0 };
    const drifting = withCosts(syntheticGroup(calm), (_, fork) => 1 + 0.1 * fork);
    const left = drifting.cells.map((cell) => (cell.competitor === "half" ? ofFirst(cell, 5) : cell));
    const slower = withCosts(
      syntheticGroup({ ...calm, costsNs: { baseline: 20, third: 20 / 3 } }),
      () => 1.7,
    );
    const { rows } = judgeScenario([{ ...drifting, cells: left }, slower]);
    const base = timeOf(rows, "baseline");
    const quotients = ["half", "third", "double", "near"].map((name) => base / timeOf(rows, name));
    for (const [place, truth] of [2, 3, 0.5, 20 / 20.6].entries())
      assert.ok(Math.abs(quotients[place]! / truth - 1) < 1e-4, `${quotients[place]} and ${truth}`);
  });

  it("gives fewer than four processes no interval, neither of times nor of ratios, and no verdict", () => {
    for (const forks of [1, 2, 3, 4]) {
      const { rows } = judgeScenario([syntheticGroup({ ...QUIET, forks })]);
      const isWhole = forks === 4;
      for (const row of rows) {
        assert.ok(row.noNumber === undefined);
        assert.deepEqual([row.interval !== undefined, row.error !== undefined], [isWhole, isWhole], row.cell);
        if (row.ratio === undefined) continue;
        assert.equal(Number.isFinite(row.ratio.high), isWhole, row.cell);
        assert.equal(row.halfWidth !== undefined, isWhole);
      }
      const double = rows.find(({ competitor }) => competitor === "double")!;
      assert.ok(double.noNumber === undefined);
      assert.equal(double.verdict, isWhole ? "slower" : "cannot tell");
    }
  });

  it("says in how many forks even the control cost more with company", () => {
    const forks = syntheticForks(QUIET);
    const crowded = slowedBy(1.3, "control", forks, (fork) => fork < 3);
    const [conditions] = judgeScenario([groupOf(QUIET, crowded)]).conditions;
    assert.equal(conditions!.crowdedForks, 3);
    assert.equal(judgeScenario([groupOf(QUIET, forks)]).conditions[0]!.crowdedForks, 0);
  });
});

describe("a rival that puts work off, and does it in two slices of five", () => {
  /** Such slices do nothing else, so that it takes five thirds as long as the baseline. */
  function puttingOff(sliceUs: number): GroupRecord {
    const truth = { ...QUIET, costsNs: { baseline: 20, lazy: 20 }, workers: 1, roundNoise: 0 };
    const busied = (crew: CrewResult): CrewResult => ({
      ...crew,
      workers: crew.workers.map((worker) => ({
        ...worker,
        operations: worker.operations.map((operations, slice) => (slice % 5 < 2 ? 1 : operations)),
      })),
    });
    const forks = syntheticForks(truth).map((crews) =>
      crews.map((crew) => (crew.name === "lazy" ? busied(crew) : crew)),
    );
    return { ...groupOf(truth, forks), sliceUs };
  }
  const ratioOf = (group: GroupRecord) => rowsOf(group).get("lazy")!.ratio!.value;

  it("is charged with it where slices are long, as with large sets", () => {
    assert.ok(Math.abs(ratioOf(puttingOff(2_000)) - 5 / 3) < 0.01, `${ratioOf(puttingOff(2_000))}`);
  });

  it("is judged by its mean in short slices, too, which leave more than 3 % out, and says both", () => {
    const short = puttingOff(1_999);
    assert.ok(Math.abs(ratioOf(short) - 5 / 3) < 0.01, `${ratioOf(short)}`);
    const [flag] = rowsOf(short).get("lazy")!.flags;
    assert.match(flag!, /^ratio of means, as a few slices cost much; of lower quartiles x1\.0/);
  });

  it("keeps its lower quartile with more workers than cores, and says what its mean would be", () => {
    const long = { ...puttingOff(24_000), oversubscribed: true };
    assert.ok(Math.abs(ratioOf(long) - 1) < 0.01, `${ratioOf(long)}`);
    const [flag] = rowsOf(long).get("lazy")!.flags;
    assert.match(flag!, /^ratio of lower quartiles; of means, in which a few slices weigh much, x1\.6/);
  });
});

describe("the time of processors", () => {
  /** As if each process of every competitor had seen this much of it, in ns. */
  function withCpuTimes(ns: readonly number[]): GroupRecord {
    const group = syntheticGroup({ ...QUIET, forks: ns.length });
    const cells = group.cells.map((cell) => {
      const roles = Object.entries(cell.roles).map(([role, own]) => [
        role,
        { ...own, figures: { cpu: [...ns] } },
      ]);
      return { ...cell, roles: Object.fromEntries(roles) };
    });
    return { ...group, cells, columns: { cpu: { title: "CPU time", unit: "ns/op", reduce: "cpu" } } };
  }
  const extraOf = (ns: readonly number[]) => rowsOf(withCpuTimes(ns)).get("half")!.extra;

  it("has beside it half the width of its interval, in a column of its own", () => {
    const titles = judgeScenario([withCpuTimes([10, 10])]).columns.map(({ title, unit }) => [title, unit]);
    assert.deepEqual(titles, [
      ["CPU time", "ns/op"],
      ["CPU time error", "ns/op"],
    ]);
    // Four processes at 10 x 1.1^k: Student's 99.5 % quantile at three degrees of freedom is 5.8409.
    const reach = (5.8409 * Math.log(1.1) * Math.sqrt(5 / 3)) / 2;
    const { cpu, cpuError } = extraOf([10, 11, 12.1, 13.31]);
    assert.equal(cpu, 11.55);
    assert.ok(Math.abs(cpuError! - 10 * 1.1 ** 1.5 * Math.sinh(reach)) < 0.01, `${cpuError}`);
  });

  it("has no interval where a single process ran, or one saw no tick of the clock", () => {
    assert.deepEqual(extraOf([10]), { cpu: 10 });
    assert.deepEqual(extraOf([10, 0, 11]), { cpu: 10 });
  });
});

describe("the state of the machine", () => {
  /** In every other round a baseline takes twice as long, and its rival a fifth longer. */
  const twoSpeeds: SyntheticGroup = {
    ...QUIET,
    costsNs: { baseline: 20, chain: 20 },
    rounds: 100,
    busyFactors: { baseline: 2, chain: 1.2 },
  };

  it("is the quiet one for figures and verdicts, where there is enough of it", () => {
    const { rows, conditions } = judgeScenario([syntheticGroup(twoSpeeds)]);
    assert.equal(conditions[0]!.state, "quiet");
    assert.equal(conditions[0]!.quietShare, 0.5);
    const chain = rows.find(({ competitor }) => competitor === "chain") as JudgedMeasured;
    assert.equal(chain.verdict, "same");
    assert.ok(Math.abs(chain.median - 20) < 2, String(chain.median));
  });

  it("is any for a process that has too little of the quiet one, and it still counts", () => {
    const group = withFewQuiet(syntheticGroup(EQUALS), "few", 3);
    const few = rowsOf(group).get("few")!;
    assert.equal(few.forks + few.leftOut, QUIET.forks);
    assert.equal(few.state, "quiet", "as most of its processes are");
    // The busy baseline takes twice as long, its rival a fifth longer: all slices say less than 1.
    assert.match(
      few.flags[0]!,
      /^3 processes at x0\.[78].*, 5 processes at x1\.0; nothing .* tells these apart/,
    );
  });

  it("of a table is that of most values", () => {
    const group = syntheticGroup(EQUALS);
    const allFew = group.cells.reduce((before, { competitor }) => withFewQuiet(before, competitor, 5), group);
    assert.equal(judgeScenario([group]).conditions[0]!.state, "quiet");
    assert.equal(judgeScenario([group]).conditions[0]!.judgedBy.quiet, 8);
    assert.equal(judgeScenario([allFew]).conditions[0]!.state, "any");
    assert.equal(judgeScenario([allFew]).conditions[0]!.judgedBy.quiet, 3);
  });

  it("is any where too few slices of a process are quiet, or slices have no tags", () => {
    const few = judgeScenario([syntheticGroup({ ...twoSpeeds, rounds: 30 })]).conditions[0]!;
    assert.equal(few.state, "any");
    assert.equal(few.quietShare, 0.5);
    const untagged = judgeScenario([syntheticGroup(QUIET)]).conditions[0]!;
    assert.equal(untagged.state, "any");
    assert.equal(untagged.quietShare, undefined);
  });
});

/** What a table says of one of its rows to another, by their contrast. */
function compareRows(groups: readonly GroupRecord[], competitor: string, than: string) {
  const { rows, conditions } = judgeScenario(groups);
  const of = (name: string) => rows.find((row) => row.competitor === name);
  const row = of(competitor);
  const contrast =
    row?.noNumber === undefined ? row?.against.find(({ cell }) => cell === of(than)?.cell) : undefined;
  if (contrast === undefined) return undefined;
  const { judged, looks } = conditions[0]!;
  return { ...contrast, ...judgeContrast(contrast, { rows: judged, looks }) };
}

describe("two rows of a table", () => {
  it("are compared in the processes that raced both", () => {
    const judged = compareRows([syntheticGroup(QUIET)], "double", "half")!;
    assert.equal(judged.verdict, "slower");
    assert.ok(Math.abs(judged.ratio.value - 4) < 0.02, String(judged.ratio.value));
    assert.equal(judged.forks, 8);
    assert.ok(!judged.byWayOfBaseline);
  });

  it("with the baseline as one of them match what the table says", () => {
    const group = syntheticGroup(QUIET);
    for (const name of ["half", "double", "equal", "near"]) {
      const { ratio, verdict } = compareRows([group], name, "baseline")!;
      const row = rowsOf(group).get(name)!;
      assert.equal(verdict, row.verdict);
      assert.deepEqual(ratio, row.ratio);
      const turned = compareRows([group], "baseline", name)!;
      assert.ok(Math.abs(turned.ratio.value * ratio.value - 1) < 1e-9);
    }
  });

  it("are compared process by process in a state that both saw enough of", () => {
    const group = withFewQuiet(syntheticGroup(EQUALS), "few");
    const rows = rowsOf(group);
    assert.deepEqual([rows.get("few")!.state, rows.get("many")!.state], ["any", "quiet"]);
    for (const [one, other] of [
      ["few", "many"],
      ["few", "baseline"],
      ["many", "baseline"],
    ] as const) {
      const there = compareRows([group], one, other)!;
      const back = compareRows([group], other, one)!;
      assert.ok(Math.abs(there.ratio.value * back.ratio.value - 1) < 1e-9, `${one} to ${other}`);
    }
    assert.ok(rows.get("few")!.ratio!.value < 0.9, "a busy machine slows the baseline more");
    assert.equal(compareRows([group], "few", "many")!.verdict, "same");
  });

  it("are distinguished more sharply than by way of the baseline, whose luck both share", () => {
    const truth = { ...QUIET, forkNoise: 0.002, noisy: { baseline: 0.03 } };
    const together = compareRows([syntheticGroup(truth)], "near", "equal")!;
    const toBaseline = compareRows([syntheticGroup(truth)], "near", "baseline")!;
    assert.ok(
      3 * together.halfWidth < toBaseline.halfWidth,
      `${together.halfWidth}, ${toBaseline.halfWidth}`,
    );
  });

  it("that never met are compared by way of the baseline, with the noise of both", () => {
    const groups = twoGroups();
    const judged = compareRows(groups, "double", "half")!;
    assert.ok(judged.byWayOfBaseline);
    assert.equal(judged.verdict, "slower");
    assert.ok(Math.abs(judged.ratio.value - 4) < 0.05);
    const [one, other] = ["double", "half"].map((name) => compareRows(groups, name, "baseline")!.halfWidth);
    // In quadrature, and less than that because their difference has the freedom of both.
    assert.ok(judged.halfWidth > Math.max(one!, other!), String(judged.halfWidth));
    assert.ok(judged.halfWidth < Math.hypot(one!, other!), String(judged.halfWidth));
  });

  it("that never met are judged beside the floors of both groups", () => {
    const floorOf = (times: number) =>
      compareRows(
        twoGroups().map((group) => withDearControl(group, times)),
        "double",
        "half",
      )!.floor;
    assert.ok(Math.abs(floorOf(1.08) - (1.08 ** 2 - 1)) < 0.01, String(floorOf(1.08)));
  });

  it("are not compared where one has no number", () => {
    const group = syntheticGroup(QUIET);
    group.cells.find(({ competitor }) => competitor === "half")!.failure = { kind: "law", reason: "no" };
    assert.equal(compareRows([group], "double", "half"), undefined);
    assert.equal(compareRows([group], "double", "absent"), undefined);
  });
});

describe("the rows that need more forks", () => {
  const needing = (group: GroupRecord, precision = 0.1) => [...undecided([group], 4, precision)].sort();

  it("are none where all is decided", () => {
    assert.deepEqual(needing(syntheticGroup(QUIET)), []);
  });

  it("include a row that is not as precise as was asked, decided or not", () => {
    assert.deepEqual(needing(syntheticGroup(QUIET), 1e-6), ["double", "equal", "half", "near"]);
  });

  it("are the undecided ones, and neither the baseline nor the A/A control that sets the floor", () => {
    const truth = { ...QUIET, forks: 4, forkNoise: 0.02 };
    assert.deepEqual(needing(syntheticGroup(truth), 1), ["equal", "near"]);
    const powerless = { ...truth, forkNoise: 0.3 };
    assert.deepEqual(needing(syntheticGroup(powerless), 10), ["double", "equal", "half", "near"]);
  });

  it("exclude a row that failed", () => {
    const group = syntheticGroup({ ...QUIET, forks: 4, forkNoise: 0.02 });
    group.cells.find(({ competitor }) => competitor === "near")!.failure = { kind: "law", reason: "no" };
    assert.deepEqual(needing(group, 1), ["equal"]);
  });

  it("are all after a single fork", () => {
    assert.deepEqual(needing(syntheticGroup({ ...QUIET, forks: 1 })), ["double", "equal", "half", "near"]);
  });
});

/** The group as if half of its slices had been of far cores, where some competitors take a multiple of their time. */
function withDistances(group: GroupRecord, factors: Readonly<Record<string, number>>): GroupRecord {
  const far = withCosts(group, ({ competitor }) => factors[competitor] ?? 1);
  const cells = group.cells.map((cell, index) => ({
    ...cell,
    roles: Object.fromEntries(
      Object.entries(cell.roles).map(([role, { any, ...rest }]) => [
        role,
        { ...rest, any, quiet: any, far: far.cells[index]!.roles[role]!.any },
      ]),
    ),
  }));
  return { ...group, cells, referenceNs: 10, handovers: { nearNs: 55, farNs: 190 } };
}

/** The cell as if it had left the race after this number of forks. */
function ofFirst(cell: CellRecord, forks: number): CellRecord {
  const first = ([role, { any }]: [string, RoleRecord]) => [
    role,
    { any: { costNs: ofForks(any.costNs, (fork) => fork < forks) } },
  ];
  return { ...cell, forks, roles: Object.fromEntries(Object.entries(cell.roles).map(first)) };
}

function timeOf(rows: readonly JudgedRow[], name: string): number {
  const row = rows.find(({ competitor }) => competitor === name)!;
  return row.noNumber === undefined ? row.median : Number.NaN;
}

function twoGroups(): GroupRecord[] {
  return [
    syntheticGroup({ ...QUIET, costsNs: { baseline: 20, half: 10 } }),
    syntheticGroup({ ...QUIET, costsNs: { baseline: 20, double: 40 }, seed: 6 }),
  ];
}

function rowsOf(group: GroupRecord): Map<string, JudgedMeasured> {
  const measured = judgeScenario([group]).rows.filter((row) => row.noNumber === undefined);
  return new Map(measured.map((row) => [row.competitor, row]));
}

function verdictsOf(group: GroupRecord): Map<string, string> {
  const { rows } = judgeScenario([group]);
  return new Map(rows.map((row) => [row.competitor, row.noNumber ?? row.verdict]));
}
