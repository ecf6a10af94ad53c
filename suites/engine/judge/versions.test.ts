import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JudgedMeasured } from "../schema/verdict.ts";
import { mean, standardDeviation, studentP } from "../statistics.ts";
import { Random } from "../words/random.ts";
import { gaussian, groupOf, type SyntheticGroup, syntheticForks } from "./judge.synthetic.ts";
import { judgeScenario } from "./judge.ts";
import { changeText, compiledText, dividedByVersion } from "./versions.ts";

/** What a process ran, and how many times as much that cost. */
type Way = readonly [version: string, factor: number];
const FAST: Way = ["1036", 1];
const SLOW: Way = ["968", 3.2];

const TRUTH: SyntheticGroup = {
  costsNs: { baseline: 20, rival: 18.2, other: 30 },
  workers: 1,
  forks: 14,
  rounds: 40,
  sliceNoise: 0.001,
  forkNoise: 0.0002,
  roundNoise: 0.01,
  seed: 7,
};

function times(count: number, way: Way): Way[] {
  return new Array<Way>(count).fill(way);
}

/** The last at nearly one and a half times what the first costs. */
function spread(count: number, version: string, factor: number): Way[] {
  return Array.from({ length: count }, (_, process) => [version, factor * (1 + (0.5 * process) / count)]);
}

/** Each of a version of its own. */
function alone(count: number, factor: number): Way[] {
  return Array.from({ length: count }, (_, process) => [`${process + 100 * factor}`, factor]);
}

/** What is said of the row of a crew whose processes ran these ways, and of another row. */
function saidOf(ways: readonly Way[], crew = "rival", row = crew): readonly string[] {
  const forks = syntheticForks({ ...TRUTH, forks: ways.length }).map((crews, fork) => {
    const [version, factor] = ways[fork]!;
    return crews.map((own) => ({
      ...own,
      compiled: [own.name === crew ? version : "520'"],
      workers: own.workers.map((worker) => ({
        ...worker,
        operations: worker.operations.map((count) => (own.name === crew ? count / factor : count)),
      })),
    }));
  });
  const { rows } = judgeScenario([groupOf({ ...TRUTH, forks: ways.length }, forks)]);
  const judged = rows.find(({ competitor }) => competitor === row)!;
  return judged.noNumber === undefined ? [judged.verdict, ...judged.flags] : [];
}

const UNTOLD = [
  "slower",
  "5 processes at x0.91, 9 processes at x2.9; nothing that was measured beside them tells these apart, and the interval is over all",
];

describe("a row whose processes ran code of several versions", () => {
  const cases: readonly (readonly [string, readonly Way[], readonly string[]])[] = [
    [
      "is compiled in two ways where the versions cost differently",
      [...times(5, FAST), ...times(9, SLOW)],
      [
        "depends",
        "5 processes at x0.91 (0.91-0.91), 9 processes at x2.9 (2.9-2.9), distinguished by how V8 compiled it",
        "compiled in two ways: 18.2 ns in 5 of 14 processes, 58.3 ns in 9",
      ],
    ],
    [
      "is so with several versions on a side; of a rare one nothing is known",
      [...times(4, FAST), ...times(4, ["1040", 1.02]), ...times(4, SLOW), ...times(2, ["1200", 3.2])],
      [
        "depends",
        "8 processes at x0.92 (0.90-0.94), 4 processes at x2.9 (2.9-2.9), distinguished by how V8 compiled it",
        "compiled in two ways: 18.4 ns in 8 of 14 processes, 58.3 ns in 4",
      ],
    ],
    [
      "depends without a gap: the slowest of one version costs more than the fastest of the other",
      [...spread(12, "1036", 0.7), ...spread(12, "968", 1)],
      [
        "depends",
        "12 processes at x0.78 (0.67-0.90), 12 processes at x1.1 (0.96-1.3), distinguished by how V8 compiled it",
        "compiled in two ways: 15.6 ns in 12 of 24 processes, 22.2 ns in 12",
      ],
    ],
    ["says nothing where all cost the same", [...times(7, FAST), ...times(7, ["968", 1])], ["faster"]],
    ["says nothing below 10 %", [...times(7, FAST), ...times(7, ["968", 1.05])], ["faster"]],
    [
      "says nothing where a version costs either",
      [...times(4, FAST), ...times(3, ["1036", 3.2]), ...times(3, SLOW), ...times(4, ["968", 1])],
      [
        "cannot tell",
        "8 processes at x0.91, 6 processes at x2.9; nothing that was measured beside them tells these apart, and the interval is over all",
      ],
    ],
    [
      "says nothing of versions with fewer than three processes",
      [...times(12, FAST), ...times(2, SLOW)],
      ["faster", "2 of 14 processes not averaged: at x2.91, x2.91"],
    ],
    ["says nothing where nothing was noted", [...times(5, ["", 1]), ...times(9, ["", 3.2])], UNTOLD],
    ["says nothing where one side did not note it", [...times(5, FAST), ...times(9, ["", 3.2])], UNTOLD],
    ["says nothing where each has a version of its own", [...alone(5, 1), ...alone(9, 3.2)], UNTOLD],
  ];
  for (const [what, ways, said] of cases) {
    it(what, () => assert.deepEqual(saidOf(ways), said));
  }

  it("has others depend on it where it is the baseline", () => {
    const ways = [...times(5, FAST), ...times(9, SLOW)];
    assert.deepEqual(saidOf(ways, "baseline"), [
      "baseline",
      "compiled in two ways: 20.0 ns in 5 of 14 processes, 64.0 ns in 9",
    ]);
    assert.deepEqual(saidOf(ways, "baseline", "other"), [
      "no power",
      "9 processes at x0.47 (0.31-0.70), 5 processes at x1.5 (0.64-3.5), distinguished by how V8 compiled its baseline",
    ]);
  });
});

/** `a 18 18.2; b 58`: processes by the version of their code, with the ns of each; `-` where that was not noted. */
function processesIn(text: string): JudgedMeasured["processes"] {
  return text.split("; ").flatMap((way) => {
    const [compiled, ...ns] = way.split(" ");
    return ns.map((one) => ({
      ns: Number(one),
      slices: 50,
      ...(compiled === "-" ? {} : { compiled: compiled! }),
    }));
  });
}

describe("versions whose processes do not scatter", () => {
  for (const [what, text, said] of [
    ["cost the same to the digit", "a 10 10 10; b 10 10 10", undefined],
    [
      "do not scatter at all",
      "a 10 10 10; b 20 20 20",
      "compiled in two ways: 10.0 ns in 3 of 6 processes, 20.0 ns in 3",
    ],
  ] as const)
    it(what, () => assert.equal(compiledText(processesIn(text)), said));
});

describe("of two commits a change of versions is named", () => {
  for (const [what, before, after, said] of [
    [
      "for the slow way",
      "a 18 18 18.1 18.2; b 58",
      "a 18; b 58 58.1 58.2 58",
      "now compiled the slow way in 4 of 5 processes, before in 1 of 5",
    ],
    [
      "for the fast way",
      "b 58 58.1 58.2 58",
      "a 18 18 18.1 18.2; b 58",
      "now compiled the fast way in 4 of 5 processes, before in 0 of 4",
    ],
    ["not by less than half", "a 18 18.1 18.2; b 58 58", "a 18 18.2; b 58 58.1 58.2", undefined],
    [
      "by half, the unknown aside",
      "a 18 18.1 18.2 18; c 30",
      "a 18 18.2 18.1; b 58 58.1 58.2; d 30 30",
      "now compiled the slow way in 3 of 8 processes, before in 0 of 5",
    ],
    ["not where the code is another", "a 18 18.1 18.2 18", "b 58 58.1 58.2 58", undefined],
    ["not where versions cost the same", "a 18 18.1 18.2; b 18", "a 18; b 18 18.1 18.2", undefined],
    ["not where one has no known way", "c 18 58", "a 18 18.2 18; b 58 58.1 58.2; c 58", undefined],
    ["not where nothing was noted", "- 18 18.1 18.2", "- 58 58 58", undefined],
  ] as const)
    it(what, () => assert.equal(changeText(processesIn(before), processesIn(after)), said));
});

/** The rule by its description: of all divisions of the versions in two, the one whose means differ most clearly. */
function dividedSlowly(values: readonly number[], versions: readonly string[]) {
  const names = [...new Set(versions)].filter((name) => versions.filter((one) => one === name).length >= 3);
  const draws = 2 ** Math.max(0, names.length - 1) - 1;
  const divisions = Array.from({ length: draws }, (_, draw) => {
    const isOne = (name: string) => ((draw + 1) >> (names.indexOf(name) - 1)) % 2 === 1 && name !== names[0];
    const [low, high] = [names.filter(isOne), names.filter((name) => !isOne(name))]
      .map((own) => ({
        own: own.toSorted(),
        values: values.filter((_, place) => own.includes(versions[place]!)),
      }))
      .toSorted((one, other) => mean(one.values) - mean(other.values));
    const apart = mean(high!.values) - mean(low!.values);
    const [m, n] = [low!.values.length, high!.values.length];
    const squares =
      (m - 1) * standardDeviation(low!.values) ** 2 + (n - 1) * standardDeviation(high!.values) ** 2;
    const t = apart / Math.sqrt((squares / (m + n - 2)) * (1 / m + 1 / n));
    return { sides: [low!.own, high!.own], apart, p: studentP(t, m + n - 2) };
  });
  const [clearest] = divisions.toSorted((one, other) => one.p - other.p);
  return clearest !== undefined && clearest.p * draws < 0.004 && clearest.apart >= Math.log(1.1)
    ? clearest.sides
    : undefined;
}

describe("versions of random rows", () => {
  it("are divided as the clearest of all divisions", () => {
    const random = new Random(66);
    let divided = 0;
    for (let row = 0; row < 400; row++) {
      const levels = Array.from(
        { length: 1 + random.below(5) },
        () => 0.3 * random.below(2) * random.fraction(),
      );
      const own = Array.from({ length: 4 + random.below(26) }, () => random.below(levels.length));
      const values = own.map((version) => levels[version]! + 0.05 * gaussian(random));
      const versions = own.map(String);
      const found = dividedByVersion(values, versions)?.map((places) =>
        [...new Set(places.map((place) => versions[place]!))].toSorted(),
      );
      assert.deepEqual(found, dividedSlowly(values, versions), `row ${row}`);
      if (found !== undefined) divided++;
    }
    assert.ok(divided > 40 && divided < 360, `${divided} of 400 were divided`);
  });

  it("divide at most 5 in 1,000 rows where they make no difference", () => {
    const random = new Random(67);
    const rows = Array.from({ length: 10_000 }, () => Array.from({ length: 16 }, () => gaussian(random)));
    const versionsOf = (values: readonly number[]) => values.map(() => String(random.below(4)));
    const divided = rows.filter((values) => dividedByVersion(values, versionsOf(values)) !== undefined);
    assert.ok(divided.length <= 50, `${divided.length} of ${rows.length}`);
  });
});
