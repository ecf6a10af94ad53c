import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CellRecord, GroupRecord } from "../schema/record.ts";
import { mean, type Sample } from "../statistics.ts";
import { Random } from "../words/random.ts";
import { divisionOf, groupsByGap } from "./division.ts";
import { gaussian } from "./judge.synthetic.ts";
import { contrast } from "./pairs.ts";
import type { Ratios } from "./samples.ts";
import { inAnyRegime, judgeContrast, ratiosOfGroups, robustScale } from "./verdict.ts";

const STRICTNESS = { rows: 1, looks: 1 };

/** The ratios of processes in which private code cost this much, in ns. */
function ratiosOf(values: Sample, privateNs: Sample, seen: Partial<Ratios> = {}): Ratios {
  const forks = [...values.keys()];
  const costNs = { forks, p50: privateNs };
  const group = {
    cells: [{ kind: "control", roles: { worker: { any: { costNs } } } }],
    handovers: [{ nearNs: 55, farNs: 190 }],
  } as unknown as GroupRecord;
  const cell = { roles: {} } as unknown as CellRecord;
  return {
    forks,
    values,
    states: forks.map(() => "any"),
    processes: forks.map((fork) => ({ group, fork, role: "worker", cell, baseline: cell })),
    quiet: forks.map(() => undefined),
    far: forks.map(() => undefined),
    ...seen,
  };
}

function seenOf(ratios: Ratios) {
  return contrast(
    ratios,
    { peers: [], scale: robustScale([ratios.values]), floor: 0.003 },
    ratios.values.length,
  );
}

function verdictAndForks(seen: ReturnType<typeof seenOf>) {
  return [judgeContrast(seen, STRICTNESS).verdict, ...(seen.groups ?? []).map(({ forks }) => forks)];
}

/** Private code costs more where values are above 0: it tells groups apart. */
function explained(values: Sample) {
  const privateNs = values.map((value) => (value > values.reduce((a, b) => a + b) / values.length ? 16 : 8));
  return seenOf(ratiosOf(values, privateNs));
}

const near = (at: number, count: number) =>
  Array.from({ length: count }, (_, index) => at + 0.002 * (index % 3));

/** In an order of racing in which each half has both. */
const mixed = (ones: Sample, others: Sample) =>
  [...ones.map((value, place) => ({ value, at: Math.floor(place / 2) / ones.length }))]
    .concat(others.map((value, place) => ({ value, at: Math.floor(place / 2) / others.length })))
    .toSorted((a, b) => a.at - b.at)
    .map(({ value }) => value);

describe("groups of processes by a gap", () => {
  it("are found where each half of the processes shows the gap", () => {
    assert.deepEqual(groupsByGap([0, 0.4, 0.001, 0, 0.402, 0.002, 0.401, 0.4]), [
      [0, 2, 3, 5],
      [1, 4, 6, 7],
    ]);
    assert.equal(groupsByGap([0.4, 0, 0.4, 0, 0.4, 0, 0.4, 0]), undefined, "each half has one level alone");
    assert.equal(groupsByGap(near(0, 3).concat(near(0.4, 4))), undefined, "too few for two halves");
    assert.equal(groupsByGap(mixed(near(0, 10), near(0.4, 2))), undefined, "two are none");
    assert.equal(groupsByGap(mixed(near(0, 4), near(0.08, 4))), undefined, "nearer than 10 %");
  });

  it("are what a slow search finds, which tries each threshold on each half", () => {
    const random = new Random(3);
    for (let time = 0; time < 3000; time++) {
      const upper = 0.1 + 0.4 * random.fraction();
      const values = Array.from(
        { length: 6 + random.below(14) },
        () => (random.below(3) === 0 ? upper : 0) + 0.01 * gaussian(random),
      );
      assert.deepEqual(groupsByGap(values), slowly(values));
    }
  });

  it("are no artefact of one level that scatters, normal or skewed", () => {
    const random = new Random(8);
    const levels = {
      normal: () => 0.3 * gaussian(random),
      exponential: () => -0.3 * Math.log(1 - random.fraction()),
      lognormal: () => 0.2 * Math.exp(gaussian(random)),
    };
    for (const [name, draw] of Object.entries(levels)) {
      for (const forks of [8, 12, 24, 64]) {
        const rows = Array.from({ length: 1000 }, () => {
          const values = Array.from({ length: forks }, draw);
          return { values, privateNs: values.map(() => 8 + 8 * random.fraction()) };
        });
        const found = rows.filter(({ values }) => groupsByGap(values) !== undefined).length;
        assert.ok(found <= 25, `${name}: ${found} of 1000 rows of ${forks}`);
        const depends = rows.filter(({ values, privateNs }) => {
          return judgeContrast(seenOf(ratiosOf(values, privateNs)), STRICTNESS).verdict === "depends";
        }).length;
        assert.ok(depends <= 3, `${name}: ${depends} of 1000 rows of ${forks} depend`);
      }
    }
  });
});

/** Sides of every threshold between two values of a half; the half shows a gap where the widest has room. */
function slowly(values: Sample) {
  if (values.length < 8) return undefined;
  const gapOf = (half: Sample) => {
    const gaps = half.flatMap((low) => {
      const above = half.filter((value) => value > low);
      return above.length === 0 ? [] : [{ low, high: Math.min(...above) }];
    });
    const widest = gaps.toSorted((a, b) => b.high - b.low - (a.high - a.low))[0]!;
    const sides = [
      half.filter((value) => value <= widest.low),
      half.filter((value) => value >= widest.high),
    ] as const;
    const squares = sides.flatMap((side) => side.map((value) => (value - mean(side)) ** 2));
    const within = Math.sqrt(squares.reduce((a, b) => a + b) / (half.length - 2));
    const isGap = mean(sides[1]) >= mean(sides[0]) + Math.log(1.1) && widest.high - widest.low > 5 * within;
    return isGap ? (widest.low + widest.high) / 2 : undefined;
  };
  const halves = [0, 1].map((half) => values.filter((_, place) => place % 2 === half));
  const thresholds = halves.map(gapOf);
  if (thresholds.includes(undefined)) return undefined;
  const sidesBy = (threshold: number) => values.map((value) => value > threshold);
  const [one, other] = thresholds.map((threshold) => sidesBy(threshold!));
  if (one!.some((side, place) => side !== other![place])) return undefined;
  const places = [...values.keys()];
  const groups = [places.filter((place) => !one![place]), places.filter((place) => one![place])];
  const fewest = Math.max(3, values.length / 10);
  return groups.every(({ length }) => length >= fewest) ? groups : undefined;
}

describe("a row of two groups", () => {
  it("depends where one is faster and the other slower, and its groups do not overlap", () => {
    const row = explained(mixed(near(-0.6, 8), near(0.4, 4)));
    assert.equal(judgeContrast(row, STRICTNESS).verdict, "depends");
    const [low, high] = ratiosOfGroups(row, STRICTNESS)!;
    assert.deepEqual([low!.forks, high!.forks], [8, 4]);
    assert.ok(low!.ratio.high < high!.ratio.low);
  });

  it("prints them at the confidence of the rule, the last look's", () => {
    const row = { ...explained(mixed(near(-0.6, 6), near(0.4, 6))), raced: 12 };
    const widthAt = (looks: number) => {
      const [low] = ratiosOfGroups(row, { rows: 1, looks })!;
      return Math.log(low!.ratio.high / low!.ratio.low);
    };
    // Of nine looks six are left at twelve processes: the shares of all six are spent.
    assert.ok(widthAt(1) < widthAt(9) && widthAt(9) < 1.2 * widthAt(1));
  });

  it("is faster where both are, though their mean is not known well", () => {
    const row = explained(mixed(near(-2, 4), near(-0.5, 4)));
    assert.equal(judgeContrast(row, STRICTNESS).verdict, "faster");
  });

  it("turns round with the row", () => {
    const turned = explained(mixed(near(-0.6, 5), near(0.4, 4)).map((value) => -value));
    assert.deepEqual(verdictAndForks(turned), ["depends", 4, 5]);
  });

  const byDistance = (quiet: Ratios["quiet"], far: Ratios["far"]) => {
    const values = quiet.map((value, place) => value ?? far[place]!);
    const states = quiet.map((value) => (value === undefined ? "far" : "quiet"));
    return seenOf(ratiosOf(values, near(8, values.length), { quiet, far, states }));
  };
  const [a, b, none] = [-0.05, 0.04, undefined];

  it("has each process in one group by the distance of the cores, in the smaller one if it saw both", () => {
    const row = byDistance(
      [a, a, a, a, none, none, a + 0.002, a],
      [none, none, none, none, b, b, b, b + 0.002],
    );
    assert.deepEqual(verdictAndForks(row), ["depends", 4, 4]);
    assert.equal(row.forks, 6, "the ratio is of all that saw near cores");
  });

  it("has a ratio of all where three processes saw near cores, as three have no interval", () => {
    const { forks, freedom } = byDistance([a, a, a, none, none, none], [none, none, none, b, b, b + 0.002]);
    assert.deepEqual([forks, freedom > 0], [6, true]);
  });
});

describe("what divides a row", () => {
  const values = mixed(near(-0.6, 6), near(0.4, 6));
  /** The first two, which are low, are of a version of which nothing is known. */
  const versions = values.map((value, place) => (place < 2 ? "rare" : value < 0 ? "968" : "1036"));
  /** Noted of the row or of its baseline. */
  const noted = (side: "cell" | "baseline") => {
    const seen = ratiosOf(values, near(8, 12));
    const roles = { worker: { compiled: versions } } as unknown as CellRecord["roles"];
    const processes = seen.processes.map((process) => ({ ...process, [side]: { ...process[side], roles } }));
    return { ...seen, processes };
  };
  const low = values.map((value) => (value < 0 ? value : undefined));
  const high = values.map((value) => (value < 0 ? undefined : value));
  for (const [what, seen, apartBy, lengths] of [
    ["its own versions", noted("cell"), "how V8 compiled it", [4, 6]],
    ["its baseline's", noted("baseline"), "how V8 compiled its baseline", [4, 6]],
    [
      "the distance of cores before versions",
      { ...noted("cell"), quiet: low, far: high },
      "how long a cache line takes from core to core: 55.0 ns and 190 ns",
      [6, 6],
    ],
    ["a gap where no version is known", ratiosOf(values, near(8, 12)), undefined, [6, 6]],
  ] as const)
    it(what, () => {
      const division = divisionOf(seen)!;
      assert.equal(division.apartBy, apartBy);
      assert.deepEqual(
        division.groups.map(({ places }) => places.length),
        lengths,
      );
    });
});

describe("processes of one regime of the scheduler", () => {
  it("say a factor and not tenths", () => {
    const verdictAt = (factor: number) =>
      judgeContrast(inAnyRegime(seenOf(ratiosOf(near(Math.log(factor), 4), near(8, 4)))), STRICTNESS).verdict;
    assert.deepEqual([1, 1.05, 1.2, 1.6, 3].map(verdictAt), [
      "cannot tell",
      "cannot tell",
      "cannot tell",
      "slower",
      "slower",
    ]);
  });
});
