import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ReportedRace, ReportedRow } from "../report.ts";
import { racePairs } from "./race-pairs.ts";
import { type Seen, seenIn } from "./verdicts.ts";

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

interface Raced {
  readonly pair: string;
  readonly budgetMs: number;
  readonly seed: number;
  readonly turn: string;
}

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
      return left.get(pair)!.shift()!;
    },
  });
  return { concluded, races, tookMs: nowMs - 1_000 };
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
    assert.ok(concluded.every((one) => !one!.isSlower));
  });

  it("are slower where they are so twice, by the figures of the second race", async () => {
    const { concluded, races } = await raced({ a: [seen("slower", 1.2), seen("slower", 1.1)] });
    assert.equal(concluded[0]!.isSlower, true);
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
      const [{ seen: shown, isSlower, remark }] = concluded as [NonNullable<(typeof concluded)[number]>];
      assert.deepEqual([shown.verdict, isSlower], [verdict, false]);
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
    assert.equal(first.filter(({ isSlower }) => isSlower).length, 27);
    const unconfirmed = first.filter(({ isSlower }) => !isSlower);
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
    assert.equal(concluded[70]!.isSlower, true);
    assert.equal(tookMs, 480_000);
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

  it("is no number where either has none, and says which", () => {
    const failing = { ns: null, ratio: null, verdict: "no number", remarks: ["not today"] };
    assert.deepEqual(shown(base, { ...head, ...failing }), {
      verdict: "no number",
      processes: 5,
      reason: "not today",
    });
    assert.equal(shown({ ...base, ...failing }, head).reason, "in the base: not today");
  });

  it("is no verdict where either says so", () => {
    const unjudged = { ...head, ratio: null, verdict: "not judged" };
    const { verdict, reason } = shown({ ...base, remarks: ["its work changes"] }, unjudged);
    assert.deepEqual([verdict, reason], ["not judged", "in the base: its work changes"]);
  });
});
