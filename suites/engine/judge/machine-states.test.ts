import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Random } from "../words/random.ts";
import { DENSE_DISTANCE, DENSE_SPEED, hillsOf, MachineStates, Readings } from "./machine-states.ts";

/** Readings about `ns`, each up to `spread` away. */
function about(ns: number, spread: number, count: number, random = new Random(1)): number[] {
  return Array.from({ length: count }, () => ns * (1 + spread * (random.fraction() + random.fraction() - 1)));
}

function statesOf(readings: readonly number[]): number[] {
  const seen = new Readings();
  for (const ns of readings) seen.add(ns);
  return seen.modes(DENSE_DISTANCE).map(({ ns }) => ns);
}

describe("the states of a machine", () => {
  const drifting = Array.from({ length: 4_000 }, (_, at) => 120 + 22 * Math.sin(at / 300));
  for (const [where, readings, states] of [
    ["one, where all readings are about one", about(55, 0.1, 1_000), [55]],
    ["two, near and far, with a gap between", [...about(55, 0.1, 700), ...about(190, 0.1, 300)], [55, 190]],
    ["two, though most are far", [...about(55, 0.05, 150), ...about(190, 0.1, 850)], [55, 190]],
    [
      "one, where a few readings in a hundred are lucky",
      [...about(50, 0.02, 20), ...about(130, 0.1, 980)],
      [130],
    ],
    ["none of the scattered rest", [...about(17.4, 0.02, 800), ...about(22, 0.3, 200)], [17.4]],
    ["all that there are, also the same reading again and again", [8, 8, 8, 8, 30, 30], [8, 30]],
    ["none without readings", [0, -1, Number.NaN], []],
  ] as const) {
    it(`are ${where}`, () => {
      const seen = statesOf(readings);
      assert.equal(seen.length, states.length, `${seen}`);
      for (const [place, ns] of states.entries())
        assert.ok(Math.abs(seen[place]! / ns - 1) < 0.03, `${seen}`);
    });
  }

  it("are one where a reading drifts by a third, and hold nearly all of it", () => {
    const seen = new Readings();
    for (const [at, ns] of drifting.entries()) seen.add(ns * about(1, 0.15, 1, new Random(at))[0]!);
    const [state, ...others] = seen.modes(DENSE_DISTANCE);
    assert.deepEqual(others, []);
    const within = drifting.filter((ns) => state!.fromNs <= ns && ns < state!.toNs).length;
    assert.equal(within, drifting.length);
  });

  it("are full speed by runtime and number of workers, by the slowest worker's tag", () => {
    const states = new MachineStates();
    const hear = (runtime: string, ...tags: number[]) =>
      states.hear({ workers: tags.map((ns) => worker(ns)) }, runtime);
    hear("node24", 12.6);
    hear("node24", 12.6, 17.4);
    hear("bun", 3);
    const speed = (runtime: string, workers: number) => states.fullSpeed(runtime, workers)?.ns.toFixed(1);
    assert.deepEqual(
      [speed("node24", 1), speed("node24", 2), speed("bun", 1), speed("bun", 2)],
      ["12.6", "17.4", "3.0", undefined],
    );
  });
});

function worker(ns: number) {
  return { operations: [], startNs: [], endNs: [], tagNs: Array<number>(50).fill(ns) };
}

describe("hills", () => {
  /** By the definition alone: every two places are asked for the lowest between them. */
  function slowPeaks(heights: readonly number[]): number[] {
    const highest = Math.max(...heights);
    const rivals = (one: number, other: number) => {
      const between = heights.slice(Math.min(one, other), Math.max(one, other) + 1);
      return Math.min(...between) >= heights[one]! / 2;
    };
    return [...heights.keys()].filter(
      (one) =>
        heights[one]! > 0 &&
        heights[one]! >= DENSE_SPEED * highest &&
        [...heights.keys()].every((other) => {
          const isHigher = heights[other]! > heights[one]!;
          const isEqualBefore = heights[other] === heights[one] && other < one;
          return !(isHigher || isEqualBefore) || !rivals(one, other);
        }),
    );
  }

  it("are those of the definition, in thousands of small distributions, and do not meet", () => {
    const random = new Random(7);
    for (let trial = 0; trial < 3_000; trial++) {
      const heights = Array.from({ length: 1 + random.below(9) }, () => random.below(9));
      const hills = hillsOf(heights, DENSE_SPEED);
      assert.deepEqual(
        hills.map(({ peak }) => peak),
        slowPeaks(heights),
        `${heights}`,
      );
      for (const [index, { peak, from, to }] of hills.entries()) {
        assert.ok(from <= peak && peak <= to && from > (hills[index - 1]?.to ?? -1), `${heights}`);
        for (let place = from; place <= to; place++) assert.ok(heights[place]! >= heights[peak]! / 20);
      }
    }
  });
});
