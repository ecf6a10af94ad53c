import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { urlOf } from "../../capture/address.ts";
import { goldenCases } from "../../golden.trials.ts";
import type { Raced as RacedPair, ReportedRace, ReportedRow } from "../report.ts";
import { racePairs, type Turn } from "./race-pairs.ts";
import { type SeenRace, seenIn, seenOf } from "./verdicts.ts";

/** What a race shows, by verdict. */
function seen(verdict: string, ratio = 1, processes = 4): SeenRace {
  return {
    verdict,
    ratio: { value: ratio, low: ratio - 0.01, high: ratio + 0.01 },
    baseNs: 100,
    headNs: 100 * ratio,
    floor: 0.004,
    processes,
  };
}

interface Raced extends Turn {
  readonly pair: string;
}

const failed: SeenRace = { verdict: "failed", processes: 0, reason: "it threw" };

/** Races on a clock that only races move: each takes `tookMs`, and shows what is next for its task. */
async function raced(
  shows: Readonly<Record<string, readonly SeenRace[]>>,
  { budgetMs = 480_000, tookMs = 6_000, signal = new AbortController().signal } = {},
) {
  let nowMs = 1_000;
  const races: Raced[] = [];
  const left = new Map(Object.entries(shows).map(([pair, own]) => [pair, [...own]]));
  const concluded = await racePairs(Object.keys(shows), {
    budgetMs,
    seed: 1,
    signal,
    now: () => nowMs,
    async race(pair, how) {
      races.push({ pair, ...how });
      nowMs += tookMs;
      return [left.get(pair)!.shift()!];
    },
  });
  return { concluded: concluded.map((all) => all?.[0]), races, tookMs: nowMs - 1_000 };
}

const slower = (ratio = 1.2) => seen("slower", ratio);
const lost: SeenRace = { verdict: "no number", processes: 0, reason: "its process was lost" };
const many = (count: number, shown: () => SeenRace[]) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`t${index}`, shown()]));
const unclear = () => seen("cannot tell");
const same = () => [seen("same")];
const twice = (ratio?: number) => [slower(ratio), slower(ratio)];
const stopped = AbortSignal.abort();

/** What each task shows in its races, and how these are raced. */
const CASES: Readonly<Record<string, readonly [Parameters<typeof raced>[0], Parameters<typeof raced>[1]?]>> =
  {
    "once where they are not slower": [{ a: [seen("faster", 0.5)], b: same() }],
    "unclear, and compiled alike slower, twice": [
      { a: [unclear(), slower(1.015), unclear(), slower(1.014)], b: same() },
    ],
    "unclear, and compiled alike the same": [{ a: [seen("no power"), ...same()] }],
    "unclear both times": [{ a: [unclear(), seen("no power")] }],
    "unclear, and compiled alike quite another": [{ a: [unclear(), slower(1.1)] }],
    "it depends, and compiled alike not": [{ a: [seen("depends"), ...same()] }],
    "unclear, and compiled alike without a number": [{ a: [unclear(), failed], b: [lost] }],
    "unclear, and no time to compile alike": [{ a: [unclear()] }, { budgetMs: 13_000 }],
    "slower twice, by the figures of the second": [{ a: [slower(1.2), slower(1.1)] }],
    "slower and then the same": [{ a: [slower(), seen("same")] }],
    "slower and then unclear": [{ a: [slower(), unclear(), unclear()] }],
    "slower and then faster": [{ a: [slower(), seen("faster")] }],
    "slower and then too noisy": [{ a: [slower(), seen("no power"), unclear()] }],
    "the clearest first": [{ a: twice(1.1), b: same(), c: twice(1.5) }],
    "time is shared, and a part left for suspects": [{ a: same(), b: twice() }],
    "too many suspects for the time": [many(100, twice)],
    "what suspects leave is for the others": [{ ...many(100, same), t70: twice() }],
    "late suspects share with what is still to come": [
      { ...many(10, same), t7: twice() },
      { budgetMs: 60_000 },
    ],
    "failed twice, or once": [{ a: [failed, failed], b: [failed, ...same()], c: [slower(), failed] }],
    "failed, looked at again though no race fits": [{ a: [failed, failed], b: same() }, { budgetMs: 13_000 }],
    "no time for a second race": [{ a: [slower(), { verdict: "not raced", processes: 0 }] }],
    "lost ones say nothing of the pace": [
      { a: [lost], b: [lost], c: same(), d: same() },
      { budgetMs: 60_000, tookMs: 10_000 },
    ],
    interrupted: [{ a: same() }, { signal: stopped }],
  };

describe("tasks of two commits", () => {
  it("race as testdata/turns.md has it", async (test) => {
    const texts: Record<string, string> = {};
    for (const [name, [shows, how]] of Object.entries(CASES)) {
      const { concluded, races, tookMs } = await raced(shows, how);
      const turns = races.map(
        ({ pair, turn, races: count, budgetMs, leftMs }) =>
          `${pair} ${turn}: ${Math.round(budgetMs)} of ${leftMs} ms, for ${count}`,
      );
      const ends = concluded.map((one, place) => {
        const { seen: shown, remark } = one ?? {};
        const figure = shown === undefined ? "" : `, ${shown.ratio?.value ?? "no ratio"}`;
        const why = [shown?.reason, remark].flatMap((text) => (text === undefined ? [] : [`; ${text}`]));
        return `${Object.keys(shows)[place]}: ${shown?.verdict ?? "not raced"}${figure}${why.join("")}`;
      });
      texts[name] = [...turns, `${tookMs} ms`, ...ends, ""].join("\n");
      assert.equal(new Set(races.map(({ seed }) => seed)).size, races.length, "each race has its own seed");
    }
    goldenCases(test, "testdata/turns.md", texts);
  });
});

describe("what a race shows", () => {
  const ratio = { value: 1.2, low: 1.1, high: 1.3 };
  const at = (value: number) => ({ value, low: value, high: value });
  const base = {
    task: "base",
    ns: at(100),
    ratio: null,
    verdict: "baseline",
    allocates: null,
    processNs: [],
    remarks: [],
  };
  const head = {
    task: "head",
    ns: at(120),
    ratio,
    verdict: "slower",
    allocates: null,
    processNs: [],
    remarks: [],
  };
  const shown = (...rows: ReportedRow[]) =>
    seenIn({ rows, floor: 0.004, processes: 5 } as never as ReportedRace);

  it("is the head over the base", () => {
    assert.deepEqual(shown(head, base), {
      verdict: "slower",
      ratio,
      baseNs: 100,
      headNs: 120,
      floor: 0.004,
      processes: 5,
    });
  });

  it("is a failure where the head alone has no number, and says whose it is elsewhere", () => {
    const failing = { ns: null, ratio: null, verdict: "no number", remarks: ["not today"] };
    const verdicts = [
      shown(base, { ...head, ...failing }),
      shown({ ...base, ...failing }, head),
      shown({ ...base, ...failing }, { ...head, ...failing }),
    ];
    assert.deepEqual(verdicts, [
      { verdict: "failed", processes: 5, reason: "not today" },
      { verdict: "no base", processes: 5, reason: "in the base: not today" },
      { verdict: "no number", processes: 5, reason: "not today" },
    ]);
  });

  it("is no verdict where either says so", () => {
    const unjudged = { ...head, ratio: null, verdict: "not judged" };
    const { verdict, reason } = shown({ ...base, remarks: ["its work changes"] }, unjudged);
    assert.deepEqual([verdict, reason], ["not judged", "in the base: its work changes"]);
  });
});

describe("a race with the floor of the loop", () => {
  const ratio = { value: 4, low: 3.9, high: 4.1 };
  const measured = (competitor: string, kind: string, median: number) => ({
    competitor,
    kind,
    median,
    interval: { low: 0.99 * median, high: 1.01 * median },
    verdict: kind,
    processes: [],
    flags: [],
  });
  const shown = (baseNs: number, headNs: number, verdict: string) =>
    seenOf(
      {
        race: {
          title: "a",
          workers: 1,
          baseline: 0,
          contestants: ["base", "head"].map((label) => ({
            label,
            url: urlOf({
              file: "file:///b.js",
              ending: "pause",
              key: { groups: [], name: label, ordinal: 0 },
            }),
          })),
        },
        judged: {
          conditions: [{ floors: [0.004], forks: 5, lostForks: [] }],
          rows: [
            measured("t0", "baseline", baseNs),
            { ...measured("t1", "competitor", headNs), verdict, ratio },
          ],
        },
        results: [],
        emptyNs: 1,
        near: new Set([...(baseNs < 3 ? ["t0"] : []), ...(headNs < 3 ? ["t1"] : [])]),
      } as never as RacedPair,
      false,
    );

  it("keeps what is slower than a base at the floor, if it is itself beyond it", () => {
    assert.deepEqual(shown(2, 8, "slower"), {
      verdict: "slower",
      ratio,
      baseNs: 2,
      headNs: 8,
      floor: 0.004,
      processes: 5,
      reason: "the base is at the floor of the loop: the ratio is a lower bound",
    });
  });

  it("judges nothing else there", () => {
    assert.equal(shown(1, 2, "slower").verdict, "not judged");
    assert.equal(shown(2, 8, "cannot tell").verdict, "not judged");
    assert.equal(shown(8, 2, "faster").verdict, "not judged");
  });

  it("is as any other where both are beyond it", () => {
    assert.deepEqual(
      [shown(20, 80, "slower").verdict, shown(20, 80, "slower").reason],
      ["slower", undefined],
    );
  });
});
