import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { golden } from "../../golden.trials.ts";
import { gaussian } from "../../judge/judge.synthetic.ts";
import { Random } from "../../words/random.ts";
import { growthOf, growthText, misfitsOf, type Point } from "./growth.ts";

const EIGHT = [8, 16, 64, 256, 1024, 4096, 16_384, 65_536];

interface Noise {
  /** Of each process, and of each n in all processes, as shares. */
  readonly processes?: number;
  readonly points?: number;
}

/** Times of a function of n, in ns, as eight processes see them. */
function timed(
  of: (n: number) => number,
  random: Random,
  ns = EIGHT,
  { processes = 0.02, points = 0.01 }: Noise = {},
): Point[] {
  return ns.map((n) => {
    const logNs = Math.log(of(n)) + points * gaussian(random);
    return { n, logNs: Array.from({ length: 8 }, () => logNs + processes * gaussian(random)) };
  });
}

/** Least squares written out: a and c are searched for, each time more closely around the best so far. */
function slowMisfit(points: readonly Point[], of: (n: number) => number): number {
  const misses = (a: number, c: number) => {
    let sum = 0;
    for (const { n, logNs } of points) {
      let mean = 0;
      for (const log of logNs) mean += log / logNs.length;
      let squares = 0;
      for (const log of logNs) squares += (log - mean) ** 2;
      const expected = 0.02 ** 2 + squares / (logNs.length - 1) / logNs.length;
      const error = (a + c * of(n)) / Math.exp(mean) - 1;
      sum += error ** 2 / expected;
    }
    return sum;
  };
  const most = Math.max(...points.map(({ logNs }) => Math.exp(Math.max(...logNs))));
  let [a, c] = [0, 0];
  let [reachA, reachC] = [most, most / Math.max(...points.map(({ n }) => of(n)))];
  for (let round = 0; round < 300; round++) {
    const [beforeA, beforeC] = [a, c];
    for (let step = 0; step < 121; step++) {
      const tryA = Math.max(0, beforeA + ((step % 11) / 5 - 1) * reachA);
      const tryC = Math.max(0, beforeC + (Math.floor(step / 11) / 5 - 1) * reachC);
      if (misses(tryA, tryC) < misses(a, c)) [a, c] = [tryA, tryC];
    }
    if (a === beforeA && c === beforeC) [reachA, reachC] = [reachA / 2, reachC / 2];
  }
  return misses(a, c);
}

describe("growth", () => {
  it("misses by as much as least squares that are written out, also where an overhead or a cost would be negative", () => {
    const random = new Random(1);
    for (const [truth, of] of [
      [(n: number) => 40 + 2 * n, (n: number) => n],
      [(n: number) => n ** 2, (n: number) => n],
      [(n: number) => 5 * Math.log(n), (n: number) => n ** 0.5],
      [(n: number) => 1000 / n, (n: number) => n],
    ] as const) {
      const points = timed(truth, random, [8, 20, 50, 100]);
      const [fast, slow] = [misfitsOf(points)(of), slowMisfit(points, of)];
      assert.ok(Math.abs(fast - slow) <= 1e-3 * slow, `${fast} and ${slow}`);
    }
  });

  it("is named where the data can tell, and not where they cannot", (test) => {
    const random = new Random(2);
    const log = Math.log2;
    const cases: Readonly<Record<string, readonly Point[]>> = {
      constant: timed(() => 5, random),
      logarithmic: timed((n) => 3 * log(n), random),
      linear: timed((n) => 2 * n, random),
      "linear, beyond an overhead": timed((n) => 3000 + 2 * n, random),
      linearithmic: timed((n) => n * log(n), random),
      quadratic: timed((n) => 3 + n ** 2, random),
      cubic: timed((n) => n ** 3 / 10, random),
      "n^1.5": timed((n) => 7 * n ** 1.5, random),
      "linear, four points": timed((n) => 2 * n, random, [10, 100, 1000, 10_000]),
      "linear, over a factor of 8": timed((n) => 2 * n, random, [8, 16, 32, 48, 64]),
      "linear, and slower beyond a cache": timed((n) => (n > 2000 ? 4 : 2) * n, random),
      "linear, and noisy": timed((n) => 2 * n, random, EIGHT, { processes: 0.5, points: 0.2 }),
      "by no formula, four points": timed((n) => n ** (n > 500 ? 2.4 : 2), random, [16, 64, 256, 1024]),
      "three points": timed((n) => n, random, [1, 10, 100]),
      "a factor of 4": timed((n) => n, random, [1, 2, 3, 4]),
      "linear, beyond recognition": timed((n) => 2 * n, random, EIGHT, { processes: 1, points: 1 }),
    };
    const said = Object.entries(cases).map(([name, points]) => {
      const growth = growthOf(points);
      if (growth === undefined) return `${name}: not fitted\n`;
      const { exponent, low, high } = growth;
      return `${name}: ${exponent.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)}), ${growthText(growth)}\n`;
    });
    golden(test, "testdata/growth.txt", said.join(""));
  });

  it("names one quadratic among ten linear tasks, and no linear one", () => {
    const random = new Random(3);
    for (let planted = 0; planted < 10; planted++) {
      const grown = Array.from(
        { length: 11 },
        (_, task) => growthOf(timed((n) => 10 + (task + 1) * n ** (task === 10 ? 2 : 1), random))!,
      );
      const named = grown.map(({ classes }) => classes.includes("O(n^2)"));
      assert.deepEqual(named, [...Array<boolean>(10).fill(false), true]);
    }
  });

  it("excludes the truth in at most 1 of 100 tasks that keep to a formula within 2 %", () => {
    const random = new Random(4);
    let [excluded, missed] = [0, 0];
    for (let task = 0; task < 300; task++) {
      const { classes, low, high } = growthOf(timed((n) => 20 + n, random, EIGHT, { points: 0.02 }))!;
      if (!classes.includes("O(n)")) excluded++;
      if (low > 1 || high < 1) missed++;
    }
    assert.ok(excluded <= 3 && missed <= 3, `${excluded} excluded, ${missed} intervals miss`);
  });
});
