import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { goldenCases } from "../../suites/engine/golden.trials.ts";
import { gaussian } from "../../suites/engine/judge/judge.synthetic.ts";
import { METHOD_VERSION } from "../../suites/engine/schema/envelope.ts";
import { Random } from "../../suites/engine/words/random.ts";
import { syntheticLine } from "../../suites/lab/series/history.synthetic.ts";
import type { HistoryLine } from "../../suites/lab/series/history.ts";
import { exitCodeOf, type Finding, judgeNight, type Night } from "./night.ts";

const STEP = 60;
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

const { at: STEP_AT } = syntheticLine(STEP);
const stepTo = (ratio: number, count = STEP + 12) => nights(count, (night) => (night < STEP ? 0.5 : ratio));
const lineAt = (night: number) => syntheticLine(night).at;
const ownOf = (lines: readonly HistoryLine[], night: number) =>
  lines.filter(({ at }) => at === lineAt(night));
/** The lines from the step on with something of their own. */
const sinceStep = (lines: readonly HistoryLine[], other: Partial<HistoryLine>) =>
  lines.map((line) => (line.at < STEP_AT ? line : { ...line, ...other }));

/** Each night judged as it is the newest. */
function judged(lines: readonly HistoryLine[], night: number): Night {
  const end = lines.findLastIndex((line) => line.at === lineAt(night)) + 1;
  return judgeNight(lines.slice(0, end), ownOf(lines, night));
}

/** What a night says, on a line. */
function said(night: Night): string {
  const found = (name: string, findings: readonly Finding[]) =>
    findings.map(({ series, change: { index, before, after } }) => {
      const since = `${series.lines[index]!.at.slice(0, 10)} ${series.lines[index]!.commit.slice(0, 7)}`;
      return `${name} of ${series.cell} from ${before.toFixed(2)} to ${after.toFixed(2)} since ${since}`;
    });
  const known = night.tonight.flatMap(({ changes }) =>
    changes.flatMap(({ certainty, isNews }) =>
      certainty === "confirmed" && !isNews ? ["a known change"] : [],
    ),
  );
  return [
    `exit ${exitCodeOf(night, false)}`,
    ...found("REGRESSION", night.regressions),
    ...found("IMPROVEMENT", night.improvements),
    ...found("suspected change", night.suspected),
    ...known,
    ...night.numberless.map(({ reason }) => `no number: ${reason}`),
    ...(night.clockBackMs === 0 ? [] : [`the clock went back by ${night.clockBackMs / 86_400_000} days`]),
    `series of ${night.tonight.map(({ lines }) => lines.length).join(" and ") || "no"} nights`,
  ].join("; ");
}

/** Of consecutive nights that say the same but for the length of their series only the first, and the last of all. */
function transcript(lines: readonly HistoryLine[], first: number, last: number): string {
  const texts = Array.from({ length: last - first + 1 }, (_, place) => {
    const night = first + place;
    return { night, text: said(judged(lines, night)) };
  });
  const isSame = (one: string, other: string) =>
    one.replace(/; series.*/, "") === other.replace(/; series.*/, "");
  return texts
    .filter(({ text }, place) => {
      const isEnd = place === 0 || place === texts.length - 1;
      return isEnd || !isSame(text, texts[place - 1]!.text);
    })
    .map(({ night, text }) => `${night}: ${text}\n`)
    .join("");
}

const STATES = nights(STEP + 4, (night) => (night < STEP ? 0.5 : 0.9));
const LUCKY = (after: number) => nights(60, (night) => (night < 40 ? 0.5 : night < 42 ? 0.25 : after));
const GAPS = nights(5).map((line, index) => {
  if (index === 3 + 2)
    return { ...line, medianNs: null, ratio: null, verdict: "no number", reason: "why not" };
  return index === 6 + 2 ? { ...line, floor: null } : line;
});
const LATE = (lines: readonly HistoryLine[]) => [
  ...lines.filter(({ at }) => at !== lineAt(1)),
  ...ownOf(lines, 1),
];

const CASES: Readonly<Record<string, readonly [HistoryLine[], first: number, last: number]>> = {
  "a step": [stepTo(0.6), STEP - 8, STEP + 11],
  "a step down": [stepTo(0.4, STEP + 2), STEP, STEP + 1],
  "one outlying night": [nights(STEP + 6, (night) => (night === STEP ? 0.6 : 0.5)), STEP, STEP + 5],
  "a regression right behind two lucky nights": [LUCKY(1), 39, 59],
  "the end of two lucky nights": [LUCKY(0.5), 39, 59],
  "four nights, which are too few to compare with": [nights(20, (night) => (night < 4 ? 0.5 : 0.6)), 0, 19],
  "a step that is smaller than the noise floor": [
    stepTo(0.6, STEP + 1).map((line) => ({ ...line, floor: 0.25 })),
    STEP,
    STEP,
  ],
  "another state of the machine": [
    STATES.map((line) => ({ ...line, state: line.at < STEP_AT ? "quiet" : "any" })),
    STEP - 1,
    STEP + 3,
  ],
  "the same in one state": [STATES.map((line) => ({ ...line, state: "quiet" })), STEP - 1, STEP + 3],
  "another machine": [sinceStep(stepTo(0.6), { machine: "other-4c-8g" }), STEP - 1, STEP + 4],
  "another method": [sinceStep(stepTo(0.6), { method: METHOD_VERSION + 1 }), STEP - 1, STEP + 4],
  "another profile": [sinceStep(stepTo(0.6), { profile: "quick" }), STEP - 1, STEP + 4],
  "another baseline": [sinceStep(stepTo(0.6), { baseline: "another" }), STEP - 1, STEP + 4],
  "another runtime, which may be what made it slower": [
    sinceStep(stepTo(0.6), { runtime: "Node.js 25.0.0" }),
    STEP - 1,
    STEP + 4,
  ],
  "a cell that once had no number, and once no floor": [GAPS, 0, 4],
  "a night that is appended late": [LATE(nights(4)), 1, 1],
  "a clock that was years ahead for a night": [
    nights(4).map((line) => (line.at === lineAt(1) ? { ...line, at: "2099-01-01T02:00:00.000Z" } : line)),
    2,
    3,
  ],
};

describe("a night", () => {
  it("says what it finds beside the nights before it, once", (test) => {
    const texts = Object.entries(CASES).map(([name, given]) => [name, transcript(...given)]);
    goldenCases(test, "testdata/nights.md", Object.fromEntries(texts));
  });

  it("has nothing to say without lines", () =>
    assert.equal(said(judgeNight([], [])), "exit 0; series of no nights"));

  it("gives the same result when it is judged again, whatever came after it", () => {
    const lines = stepTo(0.6);
    assert.deepEqual(judgeNight(lines, ownOf(lines, STEP + 1)), judged(lines, STEP + 1));
  });

  it("reports what it confirms although its rest was appended after another night", () => {
    const lines = stepTo(0.6, STEP + 3);
    const own = ownOf(lines, STEP + 1);
    const night = judgeNight([...lines.filter((line) => line !== own[0]), own[0]!], own);
    assert.deepEqual([night.regressions.length, night.tonight.length], [1, 2]);
  });

  it("reports an alert once, however many series begin after it", () => {
    const random = new Random(5);
    const quiet = Array.from({ length: STEP + 40 }, (_, night) =>
      syntheticLine(night, { ratio: 0.5 * (night < STEP ? 1 : 1.0125) * (1 + 0.005 * gaussian(random)) }),
    );
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
    const { at, commit } = syntheticLine(0);
    assert.ok(raisedBy([...newcomers.map((line) => ({ ...line, at, commit })), ...quiet])[0]! > raised);
    assert.deepEqual(raisedBy([...quiet.slice(0, raised + 2), ...newcomers, ...quiet.slice(raised + 2)]), [
      raised,
    ]);
  });

  it("has the figures of the baseline beside each series, and no series of the baseline", () => {
    for (const { cell, baseline } of judged(nights(3), 2).tonight) {
      assert.notEqual(cell, BASELINE);
      assert.deepEqual(
        baseline.map((line) => [line.cell, line.medianNs]),
        [0, 1, 2].map(() => [BASELINE, 20]),
      );
    }
  });

  it("exits for a regression before a cell without a number, which will be there tomorrow", () => {
    const night = judged(nights(2), 1);
    const numberless = [syntheticLine(1, { medianNs: null, ratio: null })];
    const { regressions } = judged(stepTo(0.6), STEP + 1);
    for (const [other, failed, code] of [
      [{}, false, 0],
      [{}, true, 1],
      [{ numberless }, false, 1],
      [{ numberless, regressions }, true, 5],
      [{ improvements: regressions }, false, 0],
    ] as const)
      assert.equal(exitCodeOf({ ...night, ...other }, failed), code);
  });
});
