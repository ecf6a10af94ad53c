import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gaussian } from "../../suites/engine/judge/judge.synthetic.ts";
import { METHOD_VERSION } from "../../suites/engine/schema/envelope.ts";
import type { HistoryLine } from "../../suites/engine/schema/history.ts";
import { Random } from "../../suites/engine/words/random.ts";
import { EXIT } from "../../suites/lab/command/usage.ts";
import { syntheticLine } from "./history.synthetic.ts";
import { exitCodeOf, judgeNight, type Night } from "./night.ts";

const BASELINE = "synthetic/test/baseline/1w";

/** Nights of a quiet cell and a noisier one with a scatter of 0.4 % and 0.8 %, and of their baseline. */
function nights(count: number, ratioOf: (night: number) => number = () => 0.5): HistoryLine[] {
  const random = new Random(11);
  return Array.from({ length: count }, (_, night) => [
    syntheticLine(night, { cell: BASELINE, ratio: null }),
    syntheticLine(night, { cell: "synthetic/test/quiet/1w", ratio: 1.5 * (1 + 0.004 * gaussian(random)) }),
    syntheticLine(night, { ratio: ratioOf(night) * (1 + 0.008 * gaussian(random)) }),
  ]).flat();
}

/** Each night judged as it is the newest. */
function judged(lines: readonly HistoryLine[], night: number): Night {
  const { at } = syntheticLine(night);
  const end = lines.findLastIndex((line) => line.at === at) + 1;
  return judgeNight(
    lines.slice(0, end),
    lines.filter((line) => line.at === at),
  );
}

const codeOf = (night: Night) => exitCodeOf(night, false);
const findingsOf = (night: Night) => [
  night.regressions.length,
  night.suspected.length,
  night.improvements.length,
];

describe("a night", () => {
  const STEP = 60;

  it("in another state of the machine is one of another series, however far its ratio is from the others", () => {
    const busyFrom = 60;
    const lines = nights(busyFrom + 4, (night) => (night < busyFrom ? 0.5 : 0.9)).map((line, place) => ({
      ...line,
      state: place < 3 * busyFrom ? ("quiet" as const) : ("any" as const),
    }));
    for (let night = busyFrom; night < busyFrom + 4; night++) {
      assert.deepEqual(findingsOf(judged(lines, night)), [0, 0, 0], `${night}`);
      assert.equal(judged(lines, night).tonight.length, 2);
    }
    const alike = lines.map((line) => ({ ...line, state: "quiet" as const }));
    assert.deepEqual(findingsOf(judged(alike, busyFrom + 1)), [1, 0, 0]);
  });

  it("reports a regression that comes right behind two lucky nights, and the end of these", () => {
    for (const after of [1, 0.5]) {
      const lines = nights(60, (night) => (night < 40 ? 0.5 : night < 42 ? 0.25 : after));
      const judgedNights = Array.from({ length: 20 }, (_, night) => judged(lines, 40 + night));
      assert.deepEqual(
        judgedNights.flatMap(({ improvements }, night) => improvements.map(() => 40 + night)),
        [41],
      );
      assert.deepEqual(
        judgedNights.flatMap((night, place) => (codeOf(night) === EXIT.regression ? [40 + place] : [])),
        [43],
      );
      const { change } = judgedNights[3]!.regressions[0]!;
      assert.ok(Math.abs(change.before / 0.25 - 1) < 0.03 && Math.abs(change.after / after - 1) < 0.03);
    }
  });

  it("suspects a step in its first night, confirms it in the second, and reports it no more", () => {
    const lines = nights(STEP + 12, (night) => (night < STEP ? 0.5 : 0.6));
    for (let night = STEP - 8; night < STEP; night++) {
      assert.deepEqual(
        [codeOf(judged(lines, night)), ...findingsOf(judged(lines, night))],
        [0, 0, 0, 0],
        `${night}`,
      );
    }
    assert.deepEqual([codeOf(judged(lines, STEP)), ...findingsOf(judged(lines, STEP))], [EXIT.ok, 0, 1, 0]);
    const confirming = judged(lines, STEP + 1);
    assert.deepEqual([codeOf(confirming), ...findingsOf(confirming)], [EXIT.regression, 1, 0, 0]);
    const [{ series, change }] = confirming.regressions as [Night["regressions"][number]];
    assert.equal(series.cell, "synthetic/test/rival/1w");
    assert.equal(series.lines[change.index]!.commit, syntheticLine(STEP).commit);
    assert.ok(Math.abs(change.before / 0.5 - 1) < 0.02 && Math.abs(change.after / 0.6 - 1) < 0.02);
    for (let night = STEP + 2; night < STEP + 12; night++) {
      assert.deepEqual(
        [codeOf(judged(lines, night)), ...findingsOf(judged(lines, night))],
        [0, 0, 0, 0],
        `${night}`,
      );
      const known = judged(lines, night).tonight.find(({ cell }) => cell.includes("rival"))!.changes;
      assert.deepEqual(
        known.map(({ standing, isNews }) => [standing, isNews]),
        [["confirmed", false]],
      );
    }
  });

  it("also reports what got faster, and exits as if nothing were", () => {
    const lines = nights(STEP + 2, (night) => (night < STEP ? 0.5 : 0.4));
    const night = judged(lines, STEP + 1);
    assert.deepEqual([codeOf(night), ...findingsOf(night)], [EXIT.ok, 0, 0, 1]);
  });

  it("does not take one outlying night for a step", () => {
    const lines = nights(STEP + 6, (night) => (night === STEP ? 0.6 : 0.5));
    for (let night = STEP + 1; night < STEP + 6; night++) {
      assert.deepEqual(
        [codeOf(judged(lines, night)), ...findingsOf(judged(lines, night))],
        [0, 0, 0, 0],
        `${night}`,
      );
    }
  });

  it("suspects nothing for long that no night confirms: four nights are too few to compare with", () => {
    const lines = nights(20, (night) => (night < 4 ? 0.5 : 0.6));
    const suspectedAt = (night: number) => judged(lines, night).suspected.length;
    assert.deepEqual([6, 8, 10].map(suspectedAt), [1, 1, 1]);
    assert.deepEqual([11, 14, 19].map(suspectedAt), [0, 0, 0]);
  });

  it("suspects no step that the noise floor is larger than", () => {
    const lines = nights(STEP + 1, (night) => (night < STEP ? 0.5 : 0.6));
    const noisy = lines.map((line) => ({ ...line, floor: 0.25 }));
    assert.equal(judged(lines, STEP).suspected.length, 1);
    assert.equal(judged(noisy, STEP).suspected.length, 0);
  });

  it("has nothing to say of a history that begins with it", () => {
    const lines = nights(1);
    const night = judged(lines, 0);
    assert.deepEqual([codeOf(night), ...findingsOf(night)], [0, 0, 0, 0]);
    assert.equal(night.tonight.length, 2);
    assert.deepEqual(findingsOf(judgeNight([], [])), [0, 0, 0]);
  });

  it("gives the same result when it is judged again, whatever came after it", () => {
    const lines = nights(STEP + 12, (night) => (night < STEP ? 0.5 : 0.6));
    const { at } = syntheticLine(STEP + 1);
    const own = lines.filter((line) => line.at === at);
    const again = judgeNight(lines, own);
    assert.deepEqual({ ...again, isPast: false }, judged(lines, STEP + 1));
    assert.ok(again.isPast);
  });
});

describe("an alert", () => {
  it("is reported once, however many series begin after it", () => {
    const STEP = 60;
    const random = new Random(5);
    const cell = "synthetic/test/rival/1w";
    const quiet = Array.from({ length: STEP + 40 }, (_, night) => {
      const ratio = 0.5 * (night < STEP ? 1 : 1.0125) * (1 + 0.005 * gaussian(random));
      return syntheticLine(night, { cell, ratio });
    });
    const raisedBy = (lines: readonly HistoryLine[]) =>
      Array.from({ length: 40 }, (_, later) => STEP + later).filter(
        (night) => judged(lines, night).regressions.length > 0,
      );
    const [raised, ...others] = raisedBy(quiet);
    assert.ok(raised !== undefined);
    assert.deepEqual(others, []);
    const newcomers = Array.from({ length: 1000 }, (_, index) =>
      syntheticLine(raised + 1, { cell: `synthetic/new-${index}/rival/1w` }),
    );
    // Had they been there from the first night on, it would have been raised later: it does depend on how many there are.
    const early = newcomers.map((line) => ({ ...line, ...pickNight(syntheticLine(0)) }));
    assert.ok(raisedBy([...early, ...quiet])[0]! > raised);
    const end = raised + 2;
    assert.deepEqual(raisedBy([...quiet.slice(0, end), ...newcomers, ...quiet.slice(end)]), [raised]);
  });

  it("is reported by a night whose rest was appended after another night", () => {
    const STEP = 60;
    const lines = nights(STEP + 3, (night) => (night < STEP ? 0.5 : 0.6));
    const own = lines.filter(({ at }) => at === syntheticLine(STEP + 1).at);
    const [baseline] = own;
    const night = judgeNight([...lines.filter((line) => line !== baseline), baseline!], own);
    assert.deepEqual([codeOf(night), ...findingsOf(night)], [EXIT.regression, 1, 0, 0]);
    assert.equal(night.tonight.length, 2);
    assert.ok(night.isPast);
  });
});

function pickNight({ at, commit }: HistoryLine): Pick<HistoryLine, "at" | "commit"> {
  return { at, commit };
}

describe("a series", () => {
  const STEP = 60;
  const shifted = (what: Partial<HistoryLine>) =>
    nights(STEP + 5, (night) => (night < STEP ? 0.5 : 0.6)).map((line) =>
      line.at < syntheticLine(STEP).at ? line : { ...line, ...what },
    );

  for (const [what, other] of [
    ["machine", { machine: "other-4c-8g" }],
    ["method", { method: METHOD_VERSION + 1 }],
    ["profile", { profile: "quick" }],
    ["baseline", { baseline: "another" }],
  ] as const) {
    it(`is not gone on with by another ${what}, whose level is its own`, () => {
      const lines = shifted(other);
      for (let night = STEP; night < STEP + 5; night++) assert.equal(codeOf(judged(lines, night)), EXIT.ok);
      const lengths = judged(lines, STEP + 4).tonight.map((series) => series.lines.length);
      assert.deepEqual(lengths, [5, 5]);
    });
  }

  it("is gone on with by another runtime, which may be what made it slower", () => {
    const lines = shifted({ runtime: "Node.js 25.0.0" });
    assert.equal(codeOf(judged(lines, STEP + 1)), EXIT.regression);
  });

  it("has its baseline beside it, and no baseline is a series", () => {
    const { series } = judged(nights(3), 2);
    assert.deepEqual(series.map(({ cell }) => cell).sort(), [
      "synthetic/test/quiet/1w",
      "synthetic/test/rival/1w",
    ]);
    for (const { baseline } of series) {
      assert.deepEqual(
        baseline.map(({ cell, medianNs }) => [cell, medianNs]),
        [0, 1, 2].map(() => [BASELINE, 20]),
      );
    }
  });

  it("leaves out nights in which its cell had no number, or its group no floor", () => {
    const gaps = nights(5).map((line, index) => {
      if (index === 3 + 2)
        return { ...line, medianNs: null, ratio: null, verdict: "no number", reason: "why not" };
      return index === 6 + 2 ? { ...line, floor: null } : line;
    });
    const rival = (night: Night) => night.tonight.find(({ cell }) => cell.includes("rival"));
    assert.equal(rival(judged(gaps, 4))!.lines.length, 3);
    const broken = judged(gaps, 1);
    assert.equal(rival(broken), undefined);
    assert.deepEqual(
      broken.numberless.map(({ reason }) => reason),
      ["why not"],
    );
    assert.equal(codeOf(broken), EXIT.failed);
  });
});

describe("the exit code", () => {
  const night = judged(nights(2), 1);
  const regressions = night.tonight.map((series) => ({
    series,
    change: { index: 1, before: 1, after: 2, standing: "confirmed" as const, isNews: true },
  }));

  it("is that of a regression before that of a cell without a number, which will be there tomorrow", () => {
    const numberless = [syntheticLine(1, { medianNs: null, ratio: null })];
    assert.equal(exitCodeOf(night, false), EXIT.ok);
    assert.equal(exitCodeOf(night, true), EXIT.failed);
    assert.equal(exitCodeOf({ ...night, numberless }, false), EXIT.failed);
    assert.equal(exitCodeOf({ ...night, numberless, regressions }, true), EXIT.regression);
    assert.equal(exitCodeOf({ ...night, improvements: regressions }, false), EXIT.ok);
  });
});

describe("a clock", () => {
  it("that goes back is reported, and nights count in the order in which they were appended", () => {
    const lines = nights(4);
    assert.equal(judged(lines, 3).clockBackMs, 0);
    const [late, rest] = [
      lines.filter(({ at }) => at === syntheticLine(1).at),
      lines.filter(({ at }) => at !== syntheticLine(1).at),
    ];
    const night = judgeNight([...rest, ...late], late);
    assert.equal(night.clockBackMs, 2 * 24 * 3_600_000);
    for (const series of night.tonight) assert.equal(series.lines.at(-1)!.at, syntheticLine(1).at);
    assert.ok(!night.isPast);
  });

  it("that was years ahead for a night is reported in the next one, and not ever after", () => {
    const ahead = nights(4).map((line) =>
      line.at === syntheticLine(1).at ? { ...line, at: "2099-01-01T02:00:00.000Z" } : line,
    );
    assert.ok(judged(ahead, 2).clockBackMs > 70 * 365 * 24 * 3_600_000);
    assert.equal(judged(ahead, 3).clockBackMs, 0);
  });
});
