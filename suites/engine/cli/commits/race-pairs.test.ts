import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { urlOf } from "../../capture/address.ts";
import type { Raced as RacedPair, ReportedRace, ReportedRow } from "../report.ts";
import { racePairs, type Turn } from "./race-pairs.ts";
import { type Seen, seenIn, seenOf } from "./verdicts.ts";

/** What a race shows, by verdict. */
function seen(verdict: string, ratio = 1, processes = 4): Seen {
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

const failed: Seen = { verdict: "failed", processes: 0, reason: "it threw" };
const verdictsOf = (concluded: Awaited<ReturnType<typeof raced>>["concluded"]) =>
  concluded.map((one) => one?.seen.verdict);

/** Races on a clock that only races move: each takes `tookMs`, and shows what is next for its task. */
async function raced(
  shows: Readonly<Record<string, readonly Seen[]>>,
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

describe("tasks of two commits", () => {
  it("race once where they are not slower", async () => {
    const shows = { a: [seen("faster", 0.5)], b: [seen("same")], c: [seen("cannot tell")] };
    const { concluded, races } = await raced(shows);
    assert.deepEqual(
      races.map(({ pair }) => pair),
      ["a", "b", "c"],
    );
    assert.deepEqual(
      concluded.map((one) => one!.seen.verdict),
      ["faster", "same", "cannot tell"],
    );
  });

  it("are slower where they are so twice, by the figures of the second race", async () => {
    const { concluded, races } = await raced({ a: [seen("slower", 1.2), seen("slower", 1.1)] });
    assert.equal(concluded[0]!.seen.verdict, "slower");
    assert.equal(concluded[0]!.seen.ratio!.value, 1.1);
    assert.notEqual(races[0]!.seed, races[1]!.seed);
  });

  for (const [second, verdict] of [
    ["same", "same"],
    ["cannot tell", "cannot tell"],
    ["faster", "cannot tell"],
    ["no power", "no power"],
  ] as const) {
    it(`are not slower where the second race says ${second}`, async () => {
      const { concluded } = await raced({ a: [seen("slower", 1.2), seen(second)] });
      const [{ seen: shown, remark }] = concluded as [NonNullable<(typeof concluded)[number]>];
      assert.equal(shown.verdict, verdict);
      assert.match(remark!, /^slower in a first race, and not in a second$/);
    });
  }

  it("race again in the order of how clearly they are slower", async () => {
    const twice = (ratio: number) => [seen("slower", ratio), seen("slower", ratio)];
    const { races } = await raced({ a: twice(1.1), b: [seen("same")], c: twice(1.5) });
    assert.deepEqual(
      races.map(({ pair }) => pair),
      ["a", "b", "c", "c", "a"],
    );
  });

  it("share the time that is left, and leave a part of it for suspects", async () => {
    const { races } = await raced({ a: [seen("same")], b: [seen("slower", 1.2), seen("slower", 1.2)] });
    assert.deepEqual(
      races.map(({ budgetMs }) => budgetMs),
      [160_000, 314_000, 468_000],
    );
  });

  it("that the time is not enough for are not raced, and none ends after its budget", async () => {
    const names = Array.from({ length: 100 }, (_, index) => `t${index}`);
    const shows = Object.fromEntries(names.map((name) => [name, [seen("slower", 1.2), seen("slower", 1.2)]]));
    const { concluded, races, tookMs } = await raced(shows);
    const first = concluded.filter((one) => one !== undefined);
    assert.equal(first.length, 53, "two thirds of 8 minutes, at 6 s each");
    const isSlower = ({ seen: { verdict } }: (typeof first)[number]) => verdict === "slower";
    assert.equal(first.filter(isSlower).length, 27);
    const unconfirmed = first.filter((one) => !isSlower(one));
    assert.ok(
      unconfirmed.every(
        ({ seen: { verdict }, remark }) => verdict === "cannot tell" && /budget/.test(remark!),
      ),
    );
    assert.equal(races.length, 80);
    assert.equal(tookMs, 480_000);
  });

  it("use what suspects leave of the time", async () => {
    const names = Array.from({ length: 100 }, (_, index) => `t${index}`);
    const shows = Object.fromEntries(names.map((name) => [name, [seen("same")]]));
    const late = { ...shows, t70: [seen("slower", 1.2), seen("slower", 1.2)] };
    const { concluded, tookMs } = await raced(late);
    assert.equal(concluded.filter((one) => one !== undefined).length, 79);
    assert.equal(concluded[70]!.seen.verdict, "slower");
    assert.equal(tookMs, 480_000);
  });

  it("share that with the ones still to come, in second races too", async () => {
    const names = Array.from({ length: 10 }, (_, index) => `t${index}`);
    const shows = Object.fromEntries(names.map((name) => [name, [seen("same")]]));
    const late = { ...shows, t7: [seen("slower", 1.2), seen("slower", 1.2)] };
    const { races } = await raced(late, { budgetMs: 60_000 });
    const again = races.find(({ turn }) => turn === "8 of 10 again")!;
    assert.equal(again.budgetMs, again.leftMs / 3);
  });

  it("have failed where they do so twice, and are looked at again even if no race would fit", async () => {
    const { concluded } = await raced({
      a: [failed, failed],
      b: [failed, seen("same")],
      c: [seen("slower", 1.2), failed],
    });
    assert.deepEqual(verdictsOf(concluded), ["failed", "same", "failed"]);
    assert.equal(concluded[1]!.remark, "failed (it threw) in a first race, and not in a second");
    const late = await raced({ a: [failed, failed], b: [seen("same")] }, { budgetMs: 13_000 });
    assert.deepEqual(verdictsOf(late.concluded), ["failed", "same"]);
  });

  it("say how much time is left, and for how many races", async () => {
    const { races } = await raced({ a: [seen("slower", 1.2), seen("slower", 1.2)], b: [seen("same")] });
    assert.deepEqual(
      races.map(({ pair, races: count, leftMs }) => [pair, count, leftMs]),
      [
        ["a", 2, 480_000],
        ["b", 2, 474_000],
        ["a", 1, 468_000],
      ],
    );
  });

  it("that have no time for a second race have no verdict", async () => {
    const { concluded } = await raced({
      a: [seen("slower", 1.2), { verdict: "not raced", processes: 0 }],
    });
    assert.deepEqual(verdictsOf(concluded), ["cannot tell"]);
    assert.match(concluded[0]!.remark!, /^slower in one race; the budget/);
  });

  it("that were lost say nothing of the pace", async () => {
    const lost: Seen = { verdict: "no number", processes: 0, reason: "its process was lost" };
    const shows = { a: [lost], b: [lost], c: [seen("same")], d: [seen("same")] };
    const { concluded } = await raced(shows, { budgetMs: 60_000, tookMs: 10_000 });
    assert.deepEqual(verdictsOf(concluded), ["no number", "no number", "same", "same"]);
  });

  it("race no more after an interruption", async () => {
    const stopping = new AbortController();
    stopping.abort();
    const { concluded, races } = await raced({ a: [seen("same")] }, { signal: stopping.signal });
    assert.deepEqual([concluded, races], [[undefined], []]);
  });
});

describe("what a race shows", () => {
  const ratio = { value: 1.2, low: 1.1, high: 1.3 };
  const at = (value: number) => ({ value, low: value, high: value });
  const base = { task: "base", ns: at(100), ratio: null, verdict: "baseline", processNs: [], remarks: [] };
  const head = { task: "head", ns: at(120), ratio, verdict: "slower", processNs: [], remarks: [] };
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
