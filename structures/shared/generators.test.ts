import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { chiSquareLimit, chiSquareOf } from "./chi-square.ts";
import { drawsOfSfc32, nextSfc32, Random, SFC32_FIRST_COUNT, SFC32_WORDS, seedSfc32 } from "./sfc32.ts";

/** `count` words, as uint32. */
const take = (next: () => number, count: number) => Array.from({ length: count }, () => next() >>> 0);

describe("sfc32: known answers", () => {
  /** The first outputs from a state of three words and a counter of 1, after as many as PractRand throws away. */
  const afterSeeding = (words: readonly number[], thrownAway: number, count: number) => {
    const state = Int32Array.of(...words, 1);
    take(() => nextSfc32(state, 0), thrownAway);
    return take(() => nextSfc32(state, 0), count);
  };

  it("PractRand 0.94, as Apache Commons RNG's DotyHumphreySmallFastCounting32Test has it", () =>
    assert.deepEqual(
      afterSeeding([0xbb3c4104, 0x02294965, 0xda1ce2a9], 15, 12),
      [
        0x89b5c414, 0x7ee57639, 0xdbe18f7b, 0x94aa0162, 0xa22bff0a, 0x21c91fb8, 0x2c6fd6fe, 0xcda90d13,
        0x019684ca, 0xe5b400c0, 0x459d8590, 0x3aec0a1e,
      ],
    ));

  it("PractRand pre0.95, `RNG_output sfc32 64 0x123456789ABCDEF`, as the crate sfc-prng has it", () =>
    assert.deepEqual(
      afterSeeding([0, 0x89abcdef, 0x01234567], 12, 12),
      [
        0x84712d97, 0xf5a3d9c8, 0x5cd0a295, 0x35e05b54, 0x4c627ca1, 0x33a043e2, 0xb6113c67, 0x7cab9699,
        0x4a52efeb, 0x5936797f, 0x139e2b9f, 0xc7df3db1,
      ],
    ));

  it("seeding mixes like PractRand and then counts from the start", () => {
    const state = new Int32Array(SFC32_WORDS);
    seedSfc32(state, 0, 0);
    // The state of the crate sfc-prng after its 15 rounds from zero, but for the counter.
    assert.deepEqual(
      [...new Uint32Array(state.buffer)],
      [3033783054, 1182722562, 4269119441, SFC32_FIRST_COUNT],
    );
    assert.equal(drawsOfSfc32(state, 0), 0);
    for (let drawn = 0; drawn < 1000; drawn++) nextSfc32(state, 0);
    assert.equal(drawsOfSfc32(state, 0), 1000);
  });
});

type Make = (seed: number, stream: number) => () => number;

const makeSfc32: Make = (seed, stream) => {
  const state = new Int32Array(SFC32_WORDS);
  seedSfc32(state, 0, seed, stream);
  return () => nextSfc32(state, 0);
};

/** What each test of evenness must catch, or it tests nothing. */
const bad: Record<string, { readonly make: Make; readonly fails: keyof typeof tests }> = {
  "a bit that is set too often": {
    make: (seed) => {
      const next = makeSfc32(seed, 0);
      return () => next() | (next() << 31);
    },
    fails: "counts",
  },
  "every number is drawn twice": {
    make: (seed) => {
      const next = makeSfc32(seed, 0);
      let kept: number | undefined;
      return () => {
        const number = kept ?? next();
        kept = kept === undefined ? number : undefined;
        return number;
      };
    },
    fails: "pairs",
  },
  // Its high bits are even, alone and in pairs; its lowest bit alternates.
  "a linear congruential generator": {
    make: (seed) => {
      let state = seed;
      return () => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
        return state;
      };
    },
    fails: "low bits",
  },
};

const NUMBERS = 40_000;
const CELLS = 256;

/** Chi-square of how often each of CELLS cells comes up. No number counts twice, so the counts are independent. */
const tests = {
  /** The highest eight bits. */
  counts: (next: () => number) => chiSquareOfCells(() => next() >>> 24),
  /** The highest four bits of two numbers, one after the other. */
  pairs: (next: () => number) => chiSquareOfCells(() => ((next() >>> 28) << 4) | (next() >>> 28)),
  /** The lowest bits of eight numbers, one after the other. */
  "low bits": (next: () => number) =>
    chiSquareOfCells(() => {
      let cell = 0;
      for (let bit = 0; bit < 8; bit++) cell = (cell << 1) | (next() & 1);
      return cell;
    }),
};

function chiSquareOfCells(nextCell: () => number): number {
  const counts = new Array<number>(CELLS).fill(0);
  for (let drawn = 0; drawn < NUMBERS; drawn++) counts[nextCell()]!++;
  return chiSquareOf(counts);
}

const SEEDS = [0, 1, 2, 0x7fffffff, 0xffffffff];
const STREAMS = [0, 1, 2, 0xffffffff];

describe("sfc32", () => {
  for (const [test, chiSquare] of Object.entries(tests))
    it(`${test} are even`, () => {
      for (const seed of SEEDS)
        for (const stream of STREAMS) {
          const found = chiSquare(makeSfc32(seed, stream));
          assert.ok(found <= chiSquareLimit(CELLS), `seed ${seed}, stream ${stream}: chi-square ${found}`);
        }
    });

  it("each seed and stream gives numbers of its own", () => {
    const first = new Set<number>();
    const sequences = new Set<string>();
    for (let seed = 0; seed < 64; seed++)
      for (let stream = 0; stream < 64; stream++) {
        const numbers = take(makeSfc32(seed, stream), 4);
        for (const number of numbers) first.add(number);
        sequences.add(numbers.join());
      }
    assert.equal(sequences.size, 64 * 64);
    // 16,384 random words are expected to have 0.03 repeats among them.
    assert.ok(first.size >= 4 * 64 * 64 - 2, `${first.size} different words`);
  });

  it("seed and stream do not stand in for each other", () =>
    assert.notDeepEqual(take(makeSfc32(1, 2), 4), take(makeSfc32(2, 1), 4)));

  it("streams of one seed are unrelated", () => {
    for (const seed of SEEDS) {
      const one = makeSfc32(seed, 1);
      const other = makeSfc32(seed, 2);
      const pairs = chiSquareOfCells(() => ((one() >>> 28) << 4) | (other() >>> 28));
      assert.ok(pairs <= chiSquareLimit(CELLS), `seed ${seed}: chi-square ${pairs}`);
    }
  });

  it("yields int32 numbers and touches nothing beside its state", () => {
    const state = new Int32Array(SFC32_WORDS + 2).fill(7);
    seedSfc32(state, 1, 1, 1);
    const numbers = Array.from({ length: 100 }, () => nextSfc32(state, 1));
    assert.ok(numbers.every((number) => number === (number | 0)));
    assert.deepEqual([state[0], state.at(-1)], [7, 7]);
    assert.deepEqual(
      numbers.map((number) => number >>> 0),
      take(makeSfc32(1, 1), 100),
    );
  });
});

describe("the tests of evenness", () => {
  for (const [name, { make, fails }] of Object.entries(bad))
    it(`${fails} catch a bad generator: ${name}`, () =>
      assert.ok(tests[fails](make(1, 0)) > chiSquareLimit(CELLS)));

  it("chi-square is the sum of squared deviations over the expectation", () => {
    assert.equal(chiSquareOf([8, 12]), 4 / 10 + 4 / 10);
    assert.equal(chiSquareOf([5, 5, 5]), 0);
    // 8 degrees of freedom: mean 8, standard deviation 4.
    assert.equal(chiSquareLimit(9), 8 + 2 * 12 + 36);
  });
});

describe("Random", () => {
  it("draws below the bound, each number about as often", () => {
    const random = new Random(1);
    const counts = new Array<number>(7).fill(0);
    for (let drawn = 0; drawn < NUMBERS; drawn++) counts[random.below(7)]!++;
    assert.ok(chiSquareOf(counts) <= chiSquareLimit(7), counts.join());
  });

  it("shuffles into every order about as often", () => {
    const random = new Random(1);
    const counts = new Map<string, number>();
    for (let shuffled = 0; shuffled < NUMBERS; shuffled++) {
      const order = random.shuffle([0, 1, 2, 3]).join();
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    assert.equal(counts.size, 24);
    assert.ok(chiSquareOf([...counts.values()]) <= chiSquareLimit(24), [...counts.values()].join());
  });
});
