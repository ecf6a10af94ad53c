import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { allocatesText } from "../cli/times.ts";
import { Random } from "../words/random.ts";
import { type Allocates, allocatesIn } from "./allocates.ts";

/** Processes with the bytes that a baseline and another task allocated; undefined where collections left nothing. */
function judged(base: readonly (number | undefined)[], other: readonly (number | undefined)[]): Allocates {
  const crew = (name: string, bytes: number | undefined) => ({
    name,
    allocation: {
      ...(bytes === undefined ? {} : { bytes }),
      ...{ operations: 1000, collections: 1, tookNs: 400, collectingNs: 100 },
    },
  });
  const processes = base.map((bytes, fork) => ({ crews: [crew("t0", bytes), crew("t1", other[fork])] }));
  return allocatesIn(processes as never, "t0").get("t1")!;
}

const of = (...bytes: number[]) => bytes;
const four = (bytes: number | undefined) => new Array<number | undefined>(4).fill(bytes);

describe("which task allocates more", () => {
  for (const [text, base, other] of [
    ["96 B, same", four(96), four(96)],
    ["0 B, same", four(0), four(0.02)],
    ["144 B, 48 B more", four(96), four(144)],
    ["96.4 kB, 48 B more", four(96_352), four(96_400)],
    ["32 B, 64 B less", four(96), four(32)],
    ["1.5 B, 1.5 B more", four(0), four(1.5)],
    ["0.9 B, same", four(0), four(0.9)],
    ["8 MB, 8 MB more", four(0), four(8_000_066)],
    ["112 B, 16 B (15 B to 17 B) more", four(96), of(112, 112, 112.05, 112)],
    ["80 B, 16 B (15 B to 17 B) less", four(96), of(80, 80, 80.05, 80)],
    ["100 kB, same", of(100_000, 100_000, 100_001, 100_000), of(100_020, 100_019, 100_021, 100_020)],
    // What the same processes share is no difference.
    ["432 B, 32 B more", of(100, 300, 500, 700), of(132, 332, 532, 732)],
    ["96 B, cannot tell", of(48, 48, 144, 144), of(144, 48, 48, 144)],
    ["96 B, cannot tell", of(96, 96, 96), of(96, 96, 96)],
    ["96 B, cannot tell", four(undefined), four(96)],
    ["", four(96), four(undefined)],
  ] as const)
    it(`"${text}" of ${other} beside ${base}`, () => assert.equal(allocatesText(judged(base, other)), text));

  it("is not said of 2,000 pairs of equals, some of which V8 compiles in two ways, and of all with an object more", () => {
    const random = new Random(69);
    const draw = () => 96 + 0.2 * (random.fraction() - 0.5);
    const verdicts = { equal: new Map<string, number>(), more: new Map<string, number>() };
    const count = (counts: Map<string, number>, { verdict }: Allocates) =>
      counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
    for (let pair = 0; pair < 2_000; pair++) {
      const forks = [...new Array(4 + (pair % 9)).keys()];
      const inTwoWays = () => (pair % 2 === 0 && random.fraction() < 0.1 ? draw() + 48 : draw());
      count(verdicts.equal, judged(forks.map(inTwoWays), forks.map(inTwoWays)));
      const base = forks.map(draw);
      const larger = forks.map(() => draw() + 16);
      count(verdicts.more, judged(base, larger));
    }
    assert.equal((verdicts.equal.get("more") ?? 0) + (verdicts.equal.get("less") ?? 0), 0);
    assert.deepEqual([...verdicts.more], [["more", 2_000]]);
  });

  it("comes with collections, and the share of time that they take", () => {
    const { collectionsPerOperation, collectingShare } = judged(four(96), four(96));
    assert.deepEqual([collectionsPerOperation, collectingShare], [0.001, 0.25]);
  });
});
