import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { chiSquareFloor, chiSquareLimit } from "./chi-square.ts";
import { type Sum, unlikeDraws, unlikeSums } from "./drawn.ts";
import { Random } from "./sfc32.ts";

const DRAWS = 2 ** 14;

function drawn(values: number, seed: number, draws = DRAWS): Int32Array {
  const random = new Random(seed);
  return Int32Array.from({ length: draws }, () => random.below(values));
}

describe("draws", () => {
  it("are as chance has them where a generator made them", () => {
    for (const values of [2, 3, 7, 8, 64, 1000])
      for (let seed = 0; seed < 50; seed++)
        assert.equal(unlikeDraws([drawn(values, seed), drawn(values, seed + 1000, 999)], values), undefined);
  });

  it("are too uneven or too even where they are none", () => {
    const fakes: Readonly<Record<string, (at: number, values: number) => number>> = {
      counted: (at, values) => at % values,
      "counted in large steps": (at, values) => (at * 619) % values,
      "each twice": (at, values) => (at >> 1) % values,
      constant: () => 1,
    };
    for (const values of [2, 7, 8, 1000])
      for (const [name, fake] of Object.entries(fakes)) {
        const sequence = Int32Array.from({ length: DRAWS }, (_, at) => fake(at, values));
        assert.match(
          unlikeDraws([sequence], values) ?? "",
          /^counts of (pairs of )?values are too/,
          `${name} ${values}`,
        );
      }
  });

  it("are too even where they come from a shuffled bag", () => {
    const random = new Random(3);
    const bags = Array.from({ length: DRAWS / 1024 }, () =>
      random.shuffle(Int32Array.from({ length: 1024 }, (_, at) => at % 8)),
    );
    const sequence = Int32Array.from(bags.flatMap((bag) => [...bag]));
    assert.match(unlikeDraws([sequence], 8) ?? "", /^counts of values are too even: chi-square 0\.00 under /);
  });

  it("say nothing where they are few", () => {
    assert.equal(unlikeDraws([new Int32Array(100)], 8), undefined);
    assert.equal(unlikeDraws([new Int32Array(DRAWS)], 1), undefined);
    assert.equal(unlikeDraws([], 8), undefined);
  });
});

describe("sums of draws", () => {
  const bagged = (bag: number, stretch: number): Sum => {
    const random = new Random(stretch + 1);
    let checksum = 0;
    // Whole bags add up to their mean; a stretch ends within one.
    const draws = 2 ** 17 + 5;
    const rest = random.shuffle(Int32Array.from({ length: bag }, (_, at) => at % 8)).subarray(0, draws % bag);
    for (const value of rest) checksum += value;
    return { draws, checksum: checksum + (draws - rest.length) * 3.5 };
  };
  const honest = (stretch: number): Sum => {
    const sequence = drawn(8, stretch, 2 ** 17);
    return { draws: sequence.length, checksum: sequence.reduce((sum, value) => sum + value, 0) };
  };
  const of = (many: number, sum: (stretch: number) => Sum) =>
    Array.from({ length: many }, (_, at) => sum(at));

  it("stray as chance has it, or too little, or too much", () => {
    assert.equal(unlikeSums(of(12, honest), 8), undefined);
    assert.match(
      unlikeSums(
        of(12, (stretch) => bagged(1024, stretch)),
        8,
      ) ?? "",
      /^the sums of 12 stretches are too even: chi-square /,
    );
    const off = of(12, (stretch) => ({ draws: 2 ** 17, checksum: 3.5 * 2 ** 17 + 4000 * (stretch % 2) }));
    assert.match(unlikeSums(off, 8) ?? "", /^the sums of 12 stretches are too uneven/);
  });

  it("say nothing where they are few, or of few draws, or known modulo too little", () => {
    const even = { draws: 2 ** 17, checksum: 3.5 * 2 ** 17 };
    assert.equal(unlikeSums(new Array(5).fill(even), 8), undefined);
    assert.equal(unlikeSums(new Array(50).fill({ draws: 1000, checksum: 3500 }), 8), undefined);
    assert.equal(unlikeSums(new Array(50).fill({ draws: 2 ** 31, checksum: 0 }), 2 ** 20), undefined);
    assert.match(unlikeSums(new Array(50).fill(even), 8) ?? "", /too even/);
  });
});

/**
 * The quantile of chi-square at e^-30 is 11.62 with 63 degrees of freedom and 7.64e-4 with 7, by SciPy's `chi2.ppf`.
 */
describe("what the chi-square of counts stays within", () => {
  it("is bounded from below by no more than the quantile", () => {
    assert.ok(chiSquareFloor(64, 256, 30) < 11.62 && chiSquareFloor(64, 256, 30) > 9);
    assert.ok(chiSquareFloor(8, 2048, 30) < 7.64e-4 && chiSquareFloor(8, 2048, 30) > 4e-4);
  });

  it("has no bound from below where chance alone may make all counts equal", () => {
    assert.equal(chiSquareFloor(8, 320, 30), 0);
    assert.equal(chiSquareFloor(2, 2 ** 20, 30), 0);
  });

  it("is bounded from above as far out as is asked", () => {
    assert.ok(chiSquareLimit(8, 30) > chiSquareLimit(8));
  });
});
