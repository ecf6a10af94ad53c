import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { COLD_BYTES, sweptOver, workedOn } from "./local-work.ts";

/** One round of xorshift, from Marsaglia (2003): 13, 17, 5. */
function round(word: number): number {
  let next = word;
  next ^= next << 13;
  next ^= next >>> 17;
  return next ^ (next << 5);
}

describe("local work", () => {
  it("is the given number of rounds, 8 more or fewer by the low bits of the word", () => {
    for (const [word, rounds] of [
      [0x10, 60 - 8],
      [0x18, 60],
      [0x1f, 60 + 7],
    ] as const) {
      let expected: number = word;
      for (let done = 0; done < rounds; done++) expected = round(expected);
      assert.equal(workedOn(word, 60), expected, `from ${word}`);
    }
  });

  it("takes as many rounds as it says on average, whatever comes out of it", () => {
    let word = 1;
    let sum = 0;
    const works = 10_000;
    for (let work = 0; work < works; work++) {
      sum += (word & 15) - 8;
      word = workedOn(word, 60);
    }
    // A uniform 0 .. 15 has a standard deviation of 4.6, so the mean of 10,000 one of 0.046.
    assert.ok(Math.abs(sum / works + 0.5) < 0.25, `${sum / works} rounds more than it says`);
  });
});

describe("memory that is read between two operations", () => {
  it("is a word of each of its lines of 64 bytes, and no more", () => {
    const lines = new Int32Array(COLD_BYTES / Int32Array.BYTES_PER_ELEMENT);
    assert.equal(sweptOver(lines.fill(-1), 5), 5);
    for (let line = 0; line < COLD_BYTES; line += 64) {
      const word = line / Int32Array.BYTES_PER_ELEMENT;
      assert.equal(sweptOver(lines.fill(0).fill(8, word, word + 1), 5), 13);
      assert.equal(sweptOver(lines.fill(0).fill(8, word + 1, word + 16), 5), 5);
    }
  });
});
