import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Random } from "../../../structures/shared/sfc32.ts";
import { judgeHistory, judgeSeries, type TrackedNight } from "./alerts.ts";
import { type SyntheticHistory, syntheticHistory } from "./history.synthetic.ts";
import { gaussian } from "./judge.synthetic.ts";

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

  it("are not raised for what is within the floor, however certain", () => {
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

  it("are not raised for two outlying nights in a row, nor for the return from them", () => {
    const outlying = quietNights(4, [[0, 120]]).map((point, night) =>
      [30, 80, 81].includes(night) ? { ...point, value: point.value + 0.05 } : point,
    );
    assert.deepEqual(judgeSeries(outlying).alerts, []);
  });

  it("take longer where the series is one of many, all of which may be wrong", () => {
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

  it("refuse values and floors that are no numbers", () => {
    const broken = (part: Partial<TrackedNight>) => up.with(5, { ...up[5]!, ...part });
    assert.throws(() => judgeSeries(broken({ value: Number.NaN })), /^RangeError: value 5 is NaN/);
    assert.throws(() => judgeSeries(broken({ floor: Number.NaN })), /^RangeError: floor 5 is NaN/);
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

/** Nights with a scatter of 0.5 % about levels (log ratios) that each last so many nights. */
function quietNights(
  seed: number,
  levels: readonly (readonly [level: number, nights: number])[],
): TrackedNight[] {
  const random = new Random(seed);
  return levels
    .flatMap(([level, nights]) => Array.from({ length: nights }, () => level + 0.005 * gaussian(random)))
    .map((value, night) => ({
      at: new Date(Date.UTC(2026, 0, 1 + night, 2)).toISOString(),
      commit: night.toString(16).padStart(40, "0"),
      value,
      floor: 0.01,
    }));
}
