import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { judgeHistory, judgeSeries, type TrackedNight } from "./alerts.ts";
import {
  type Level,
  type NightNoise,
  nightsOf,
  type SyntheticHistory,
  syntheticHistory,
} from "./history.synthetic.ts";

describe("alerts on a series", () => {
  const up = quietNights(1, [
    [0, 60],
    [0.1, 20],
  ]);

  it("are raised on the second night of a step that is beyond all noise, with its night and ratio", () => {
    assert.equal(judgeSeries(up.slice(0, 61)).alert, undefined);
    const { alert, changes } = judgeSeries(up.slice(0, 62));
    assert.ok(alert !== undefined);
    assert.equal(alert.kind, "regression");
    assert.deepEqual([alert.night, alert.raised, alert.commit], [60, 61, up[60]!.commit]);
    assert.ok(Math.abs(alert.ratio - Math.exp(0.1)) < 0.01, `${alert.ratio}`);
    assert.deepEqual(
      changes.map(({ night, confirmed }) => [night, confirmed]),
      [[60, true]],
    );
  });

  it("are not raised by one night, whose change is suspected", () => {
    const { alert, changes } = judgeSeries(up.slice(0, 61));
    assert.equal(alert, undefined);
    assert.deepEqual(
      changes.map(({ night, confirmed }) => [night, confirmed]),
      [[60, false]],
    );
  });

  it("are raised once: the nights that follow have none, and remember it", () => {
    for (let nights = 63; nights <= up.length; nights++) {
      const { alert, alerts } = judgeSeries(up.slice(0, nights));
      assert.equal(alert, undefined, `after ${nights} nights`);
      assert.deepEqual(alerts, judgeSeries(up.slice(0, 62)).alerts);
    }
  });

  it("call a step down an improvement, and one back up a regression of its own", () => {
    const { alerts } = judgeSeries(
      quietNights(2, [
        [0, 40],
        [-0.05, 40],
        [0, 40],
      ]),
    );
    assert.deepEqual(
      alerts.map(({ kind, night }) => [kind, night]),
      [
        ["improvement", 40],
        ["regression", 80],
      ],
    );
  });

  it("are not raised for changes within the floor, however certain", () => {
    const small = quietNights(3, [
      [0, 60],
      [0.03, 60],
    ]);
    const noisyControl = small.map((point) => ({ ...point, floor: 0.04 }));
    assert.equal(judgeSeries(small).alerts.length, 1);
    assert.deepEqual(judgeSeries(noisyControl).alerts, []);
    assert.equal(judgeSeries(noisyControl).changes.length, 1, "but it is shown");
  });

  it("wait for a level where a few nights are no further out than nights before", () => {
    const outlying = up.map((point, night) => (night === 30 ? { ...point, value: 0.2 } : point));
    const { alerts } = judgeSeries(outlying);
    assert.deepEqual(
      alerts.map(({ night, raised }) => [night, raised]),
      [[60, 66]],
    );
  });

  for (const nights of [5, 14, 29]) {
    const stepped = (size: number) =>
      nightsOf(
        7,
        [
          [0, nights],
          [Math.log(size), 20],
        ] as const,
        { scatter: 0.01 },
      );
    const raisedFor = (size: number) =>
      judgeSeries(stepped(size), () => 200).alerts.map(({ night, raised }) => [night, raised]);

    it(`are raised on the second night of a step of 2.5 times behind ${nights}, and later for one of a fifth`, () => {
      assert.deepEqual(
        [raisedFor(2.5), raisedFor(1 / 2.5)],
        [[[nights, nights + 1]], [[nights, nights + 1]]],
      );
      assert.ok(raisedFor(1.2).every(([, raised]) => raised! >= nights + 6));
    });

    it(`are not raised behind ${nights} for one night at 2.5 times, nor where half as much was seen before`, () => {
      const once = stepped(1).map((point, night) => (night === nights ? { ...point, value: 0.9 } : point));
      assert.deepEqual(judgeSeries(once, () => 200).alerts, []);
      const seen = stepped(2.5).slice(0, nights + 3);
      seen[2] = { ...seen[2]!, value: Math.log(2) };
      assert.deepEqual(judgeSeries(seen, () => 200).alerts, []);
    });
  }

  it("are not raised for two outlying nights in a row, nor for the return from them", () => {
    const outlying = quietNights(4, [[0, 120]]).map((point, night) =>
      [30, 80, 81].includes(night) ? { ...point, value: point.value + 0.05 } : point,
    );
    assert.deepEqual(judgeSeries(outlying).alerts, []);
  });

  it("take longer where the series is one of many that may all be wrong", () => {
    const series = quietNights(5, [
      [0, 60],
      [0.0125, 40],
    ]);
    const raised = [1, 1000].map((count) =>
      judgeSeries(series, () => count).alerts.map((alert) => alert.raised),
    );
    assert.equal(raised.flat().length, 2);
    assert.ok(raised[0]![0]! < raised[1]![0]!, `${raised}`);
    const history = new Map([["a", series]]);
    assert.deepEqual(judgeHistory(history).get("a"), judgeSeries(series));
  });

  it("have nothing to say of a few nights, or of none", () => {
    assert.deepEqual(judgeSeries([]), { changes: [], alerts: [] });
    assert.deepEqual(judgeSeries(up.slice(0, 3)), { changes: [], alerts: [] });
  });

  it("refuse values and floors that are not numbers", () => {
    const broken = (part: Partial<TrackedNight>) => up.with(5, { ...up[5]!, ...part });
    assert.throws(() => judgeSeries(broken({ value: Number.NaN })), /^RangeError: value 5 is NaN/);
    assert.throws(() => judgeSeries(broken({ floor: Number.NaN })), /^RangeError: floor 5 is NaN/);
  });
});

/** A last step of ten times the scatter, at least, behind what came `nights` before it. */
const SIZE = 0.1;
const QUICK_SUCCESSIONS: Record<string, (nights: number) => readonly Level[]> = {
  "a regression behind a regression": (nights) => [
    [0, 60],
    [SIZE, nights],
    [2 * SIZE, 60],
  ],
  "a regression behind one of twice its size": (nights) => [
    [0, 60],
    [2 * SIZE, nights],
    [3 * SIZE, 60],
  ],
  "the repair of a regression": (nights) => [
    [0, 60],
    [SIZE, nights],
    [0, 60],
  ],
  "a regression behind lucky nights": (nights) => [
    [0, 60],
    [-1.5 * SIZE, nights],
    [SIZE, 60],
  ],
  "a third regression behind two": (nights) => [
    [0, 60],
    [SIZE, nights],
    [2 * SIZE, nights],
    [3 * SIZE, 60],
  ],
  "an improvement behind a step too small to be seen": (nights) => [
    [0, 60],
    [0.02, 6 * nights],
    [-SIZE, 60],
  ],
};

/**
 * Nights from the last step until the last reported level is right for good, to half a step. A step that was not
 * reported and was taken back needs no word.
 */
function delayOf(levels: readonly Level[], seed: number, noise: NightNoise): number {
  const { alerts } = judgeSeries(nightsOf(seed, levels, noise), () => 200);
  const truth = levels.flatMap(([level, nights]) => new Array<number>(nights).fill(level));
  const lastStep = truth.length - levels.at(-1)![1];
  const isRight = truth.map((level, night) => {
    const last = alerts.findLast(({ raised }) => raised <= night);
    const known = last === undefined ? 0 : last.before + Math.log(last.ratio);
    return Math.abs(known - level) <= SIZE / 2;
  });
  const lastWrong = isRight.lastIndexOf(false);
  if (lastWrong === truth.length - 1) return Number.POSITIVE_INFINITY;
  return Math.max(0, lastWrong + 1 - lastStep) + 1;
}

describe("alerts on a step of ten times the scatter, 2 to 6 nights behind others", () => {
  for (const [noise, kind, most] of [
    ["independent nights", {}, 10],
    ["nights with 1.5 % outliers", { outlierShare: 0.015 }, 20],
    ["nights that resemble the one before", { outlierShare: 0.015, memory: 0.35 }, 30],
  ] as const) {
    for (const [what, levels] of Object.entries(QUICK_SUCCESSIONS)) {
      it(`report ${what} within ${most} nights, on ${noise}`, () => {
        const delays = Array.from({ length: 20 }, (_, seed) =>
          delayOf(levels(2 + (seed % 5)), seed, { scatter: 0.01, ...kind }),
        );
        assert.ok(Math.max(...delays) <= most, `${delays.toSorted((a, b) => a - b)}`);
      });
    }
  }

  it("report a step made of small ones that are not reported by themselves", () => {
    const small = Array.from({ length: 8 }, (_, step): Level => [0.006 * (step + 1), 20]);
    const slow = [[0, 40] as const, ...small, [0.06, 40] as const];
    const { alerts } = judgeSeries(nightsOf(1, slow, { scatter: 0.01 }), () => 200);
    const known = alerts.reduce((sum, { ratio }) => sum + Math.log(ratio), 0);
    assert.ok(known > 0.03, `${alerts.map(({ raised, ratio }) => [raised, ratio])}`);
  });

  it("report what is worse behind two lucky nights, and the luck's end if nothing is", () => {
    const half = Math.log(0.5);
    const lucky = [
      [half, 40],
      [2 * half, 2],
    ] as const;
    for (const [after, ratio] of [
      [0, 4],
      [half, 2],
    ] as const) {
      for (const scatter of [0, 0.005, 0.02]) {
        const { alerts } = judgeSeries(nightsOf(6, [...lucky, [after, 60]], { scatter }));
        assert.deepEqual(
          alerts.map(({ kind, night, raised }) => [kind, night, raised]),
          [
            ["improvement", 40, 41],
            ["regression", 42, 43],
          ],
        );
        assert.ok(Math.abs(alerts[1]!.ratio / ratio - 1) < 0.1, `${alerts[1]!.ratio}`);
      }
    }
  });
});

describe("alerts on 400 nights of 200 cells with ten steps of 3 % to 20 %, night by night", () => {
  const history = syntheticHistory(200, 400, 1);
  const judged = judgeHistory(history.series);
  const { found, wrong } = score(history, judged);

  it("find at least nine, within five nights of the right place", () => {
    assert.equal(history.steps.length, 10);
    assert.ok(found >= 9, `${found} found`);
  });

  it("are not raised in the first 40 nights where nothing changed", () => {
    for (const seed of [2, 3, 4]) {
      const young = syntheticHistory(200, 40, seed, false);
      const alerted = [...judgeHistory(young.series)].filter(([, { alerts }]) => alerts.length > 0);
      assert.deepEqual(alerted, []);
    }
  });

  it("are false at most twice", () => {
    assert.ok(wrong.length <= 2, wrong.join());
  });

  it("were the same on the night they were raised", () => {
    // What the nightly run saw: the series up to that night, judged among as many.
    for (const [name, { alerts }] of judged) {
      for (const alert of alerts) {
        const seen = history.series.get(name)!.slice(0, alert.raised + 1);
        assert.deepEqual(judgeSeries(seen, () => history.series.size).alert, alert);
        assert.equal(judgeSeries(seen.slice(0, -1), () => history.series.size).alert, undefined);
      }
    }
  });

  it("are counted by a test that can fail: steps in other cells are not found, and alerts there are false", () => {
    const names = [...history.series.keys()];
    const moved = history.steps.map((step) => ({
      ...step,
      cell: names[(names.indexOf(step.cell) + 1) % names.length]!,
    }));
    const other = score({ ...history, steps: moved }, judged);
    assert.ok(other.found <= 1 && other.wrong.length >= 8, `${other.found} ${other.wrong.length}`);
  });
});

function score(
  { steps }: SyntheticHistory,
  judged: ReturnType<typeof judgeHistory>,
): { found: number; wrong: string[] } {
  const open = new Set(steps);
  const wrong: string[] = [];
  for (const [name, { alerts }] of judged) {
    for (const { kind, night, raised } of alerts) {
      const step = [...open].find(
        ({ cell, night: planted, share }) =>
          cell === name &&
          Math.abs(planted - night) <= 5 &&
          (share > 0 ? "regression" : "improvement") === kind,
      );
      if (step === undefined) wrong.push(`${name} on night ${raised}`);
      else open.delete(step);
    }
  }
  return { found: steps.length - open.size, wrong };
}

/** Nights with a scatter of 0.5 % about these levels. */
function quietNights(seed: number, levels: readonly Level[]): TrackedNight[] {
  return nightsOf(seed, levels, { scatter: 0.005 });
}
