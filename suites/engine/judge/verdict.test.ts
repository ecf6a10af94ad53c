import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Comparison, floorOf, judge, verdictOn } from "./verdict.ts";

describe("a verdict on an interval", () => {
  const on = (low: number, high: number, floor: number) =>
    verdictOn({ value: (low + high) / 2, low, high }, floor);

  it("is faster or slower only wholly beyond the floor", () => {
    assert.equal(on(0.9, 0.98, 0.01), "faster");
    assert.equal(on(0.9, 0.995, 0.01), "cannot tell");
    assert.equal(on(1.02, 1.1, 0.01), "slower");
    assert.equal(on(1.02, 1.1, 0.03), "cannot tell");
  });

  it("is same wholly within 3 %, or within the floor where that is wider", () => {
    assert.equal(on(0.98, 1.02, 0.01), "same");
    assert.equal(on(0.98, 1.04, 0.01), "cannot tell");
    assert.equal(on(0.96, 1.04, 0.05), "same");
  });

  it("calls a difference beyond the floor by its name, however small", () => {
    assert.equal(on(1.012, 1.02, 0.01), "slower");
  });

  it("turns round when the two sides change places", () => {
    for (const [low, high] of [
      [0.5, 0.6],
      [0.97, 0.985],
      [0.99, 1.01],
      [0.9, 1.2],
    ] as const) {
      const mirrored = {
        faster: "slower",
        slower: "faster",
        same: "same",
        "cannot tell": "cannot tell",
      } as const;
      assert.equal(on(1 / high, 1 / low, 0.01), mirrored[on(low, high, 0.01)]);
    }
  });
});

describe("the floor", () => {
  it("is at least 1 %", () => {
    assert.equal(
      floorOf(
        [
          [0, 0.001, -0.001],
          [0, 0, 0],
        ],
        1,
      ),
      0.01,
    );
  });

  it("grows with what the twin shows, in whichever direction", () => {
    const up = floorOf(
      [
        [0.05, 0.05],
        [0.05, 0.05],
      ],
      1,
    );
    const down = floorOf(
      [
        [-0.05, -0.05],
        [-0.05, -0.05],
      ],
      1,
    );
    assert.ok(Math.abs(up - Math.expm1(0.05)) < 1e-12);
    assert.equal(up, down);
  });
});

/** A comparison with enough forks to speak for itself. */
function alone(logRatios: number[][]): Comparison {
  return { logRatios, floor: 0.01, peers: [] };
}

describe("judging a table", () => {
  const steady = (log: number) => alone(new Array<number[]>(5).fill([log, log, log]));

  it("gives each comparison its own verdict, in order", () => {
    const judgements = judge([steady(Math.log(0.5)), steady(Math.log(2)), steady(0.001)], 1);
    assert.deepEqual(
      judgements.map(({ verdict }) => verdict),
      ["faster", "slower", "same"],
    );
  });

  it("reports ratios, not logarithms", () => {
    const { ratio } = judge([steady(Math.log(0.5))], 1)[0]!;
    assert.ok(Math.abs(ratio.value - 0.5) < 1e-12 && Math.abs(ratio.low - 0.5) < 1e-12);
  });

  it("widens intervals for the company a comparison has", () => {
    const noisy = alone([
      [0.01, 0.05, 0.09, 0.02],
      [0.03, 0.08, 0.01, 0.05],
      [0, 0.1, 0.04, 0.06],
      [0.02, 0.07, 0.03, 0.05],
      [0.01, 0.04, 0.08, 0.06],
    ]);
    const width = (count: number) => {
      const { ratio } = judge(new Array(count).fill(noisy), 1)[0]!;
      return ratio.high - ratio.low;
    };
    assert.ok(width(20) > width(1));
  });

  it("does not trust two forks that happen to agree where those of its peers do not", () => {
    const agreeing = [
      [0.1, 0.1, 0.1],
      [0.1, 0.1, 0.1],
    ];
    const scattered = [
      [0.2, 0.2, 0.2],
      [-0.2, -0.2, -0.2],
    ];
    assert.equal(judge([{ logRatios: agreeing, floor: 0.01, peers: [] }], 1)[0]!.verdict, "slower");
    const judged = judge([{ logRatios: agreeing, floor: 0.01, peers: [scattered] }], 1)[0]!;
    assert.equal(judged.verdict, "cannot tell");
  });

  it("cannot tell anything from one fork", () => {
    assert.equal(judge([alone([[1, 1, 1]])], 1)[0]!.verdict, "cannot tell");
  });
});
