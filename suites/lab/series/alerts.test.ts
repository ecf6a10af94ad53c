import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { goldenCases } from "../../engine/golden.trials.ts";
import { judgeSeries, type SeriesJudgement, type TrackedNight } from "./alerts.ts";
import {
  type Level,
  type NightNoise,
  nightsOf,
  type SyntheticHistory,
  syntheticHistory,
} from "./planted-nights.synthetic.ts";

/** Each series judged as one of that many. */
function judgeHistory(series: ReadonlyMap<string, readonly TrackedNight[]>): Map<string, SeriesJudgement> {
  return new Map([...series].map(([name, points]) => [name, judgeSeries(points, () => series.size)]));
}

/** Nights with a scatter of 0.5 % about these levels. */
function quietNights(seed: number, levels: readonly Level[]): TrackedNight[] {
  return nightsOf(seed, levels, { scatter: 0.005 });
}

const UP = quietNights(1, [
  [0, 60],
  [0.1, 20],
]);
/** 5 nights, or more, behind which comes a step to this many times as much. */
const stepped = (nights: number, size: number) =>
  nightsOf(
    7,
    [
      [0, nights],
      [Math.log(size), 20],
    ],
    { scatter: 0.01 },
  );
const SMALL = quietNights(3, [
  [0, 60],
  [0.03, 60],
]);
const SLIGHT = quietNights(5, [
  [0, 60],
  [0.0125, 40],
]);
const HALF = Math.log(0.5);
/** Two lucky nights, and what comes behind them. */
const lucky = (after: number, scatter: number) =>
  nightsOf(
    6,
    [
      [HALF, 40],
      [2 * HALF, 2],
      [after, 60],
    ],
    { scatter },
  );
const off = (nights: readonly TrackedNight[], places: readonly number[], value: number) =>
  nights.map((night, place) => (places.includes(place) ? { ...night, value } : night));

/** Each series, and among how many it is judged. */
const CASES: Readonly<Record<string, readonly [readonly TrackedNight[], among?: number]>> = {
  "a step": [UP],
  "a step, on the night of it": [UP.slice(0, 61)],
  "a step, on the night behind it": [UP.slice(0, 62)],
  "a step, on the third night": [UP.slice(0, 63)],
  "a step down and back": [
    quietNights(2, [
      [0, 40],
      [-0.05, 40],
      [0, 40],
    ]),
  ],
  "a step of 3 %": [SMALL],
  "a step of 3 % within the floor": [SMALL.map((night) => ({ ...night, floor: 0.04 }))],
  "a step no further out than a night before": [off(UP, [30], 0.2)],
  "two outlying nights in a row": [off(quietNights(4, [[0, 120]]), [30, 80, 81], 0.05)],
  "a step of 1.25 %": [SLIGHT],
  "a step of 1.25 % in one of 1,000 series": [SLIGHT, 1000],
  "no night": [[]],
  "three nights": [UP.slice(0, 3)],
  ...Object.fromEntries(
    [5, 14, 29].flatMap((nights) => [
      [`2.5 times as much behind ${nights} nights`, [stepped(nights, 2.5), 200]],
      [`2.5 times less behind ${nights} nights`, [stepped(nights, 1 / 2.5), 200]],
      [`a fifth more behind ${nights} nights`, [stepped(nights, 1.2), 200]],
      [`one night at 2.5 times behind ${nights} nights`, [off(stepped(nights, 1), [nights], 0.9), 200]],
      [
        `2.5 times as much behind ${nights} nights, where half as much was seen before`,
        [off(stepped(nights, 2.5).slice(0, nights + 3), [2], Math.log(2)), 200],
      ],
    ]),
  ),
  ...Object.fromEntries(
    [0, 0.005, 0.02].flatMap((scatter) => [
      [`worse behind two lucky nights, with a scatter of ${scatter}`, [lucky(0, scatter)]],
      [`the end of two lucky nights, with a scatter of ${scatter}`, [lucky(HALF, scatter)]],
    ]),
  ),
};

describe("alerts on a series", () => {
  it("are raised when a step is beyond all noise, once, and other changes are suspected", (test) => {
    const texts = Object.entries(CASES).map(([name, [nights, among = 1]]) => {
      const { alerts, alert, changes } = judgeSeries(nights, () => among);
      const lines = [
        ...alerts.map(
          (one) =>
            `${one.kind} on night ${one.night} (${one.commit.slice(-2)}), raised on ${one.raised}: ${one.ratio.toFixed(3)}${one === alert ? ", news" : ""}`,
        ),
        ...changes.map(({ night, confirmed }) => `change on night ${night}${confirmed ? ", confirmed" : ""}`),
      ];
      return [name, `${lines.join("\n") || "nothing"}\n`];
    });
    goldenCases(test, "testdata/alerts.md", Object.fromEntries(texts));
  });

  it("refuse values and floors that are not numbers", () => {
    const broken = (part: Partial<TrackedNight>) => UP.with(5, { ...UP[5]!, ...part });
    assert.throws(() => judgeSeries(broken({ value: Number.NaN })), /^RangeError: value 5 is NaN/);
    assert.throws(() => judgeSeries(broken({ floor: Number.NaN })), /^RangeError: floor 5 is NaN/);
  });
});

/** A last step of ten times the scatter, at least, behind what came `nights` before it. */
const SIZE = 0.1;
/** Levels in sizes of the step; as many nights as there are of `n`. */
const QUICK_SUCCESSIONS: Readonly<Record<string, (n: number) => readonly Level[]>> = {
  "a regression behind a regression": (n) => levels([0, 60], [1, n], [2, 60]),
  "a regression behind one of twice its size": (n) => levels([0, 60], [2, n], [3, 60]),
  "the repair of a regression": (n) => levels([0, 60], [1, n], [0, 60]),
  "a regression behind lucky nights": (n) => levels([0, 60], [-1.5, n], [1, 60]),
  "a third regression behind two": (n) => levels([0, 60], [1, n], [2, n], [3, 60]),
  "an improvement behind a step too small to be seen": (n) => levels([0, 60], [0.2, 6 * n], [-1, 60]),
};

function levels(...inSizes: readonly Level[]): Level[] {
  return inSizes.map(([level, nights]) => [SIZE * level, nights]);
}

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
    for (const [what, levelsOf] of Object.entries(QUICK_SUCCESSIONS)) {
      it(`report ${what} within ${most} nights, on ${noise}`, () => {
        const delays = Array.from({ length: 20 }, (_, seed) =>
          delayOf(levelsOf(2 + (seed % 5)), seed, { scatter: 0.01, ...kind }),
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
  judged: ReadonlyMap<string, SeriesJudgement>,
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
