import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Probe, ProbedWork } from "../../capture/probe.ts";
import type { ProbedTask } from "../plan-races.ts";
import { refusalOf, whyTooLong, withoutRace } from "./without-race.ts";

const ASKED = { title: "parse", workers: 1, baseline: "base" };

function look(label: string, seen: Partial<ProbedWork> | string): ProbedTask {
  const address = {
    file: "file:///b.js",
    ending: "pause",
    key: { groups: [], name: "a", ordinal: 0 },
  } as const;
  const usual = { nsPerOperation: 1000, isAsync: false, hooks: [], timesItself: false };
  const probe: Probe =
    typeof seen === "string" ? { failure: seen } : { importMs: 1, work: { ...usual, ...seen } };
  return { label, address, isBaseline: label === "base", probe };
}

type Look = Partial<ProbedWork> | string;
const seen = (base: Look, head: Look) => withoutRace(look("base", base), look("head", head), ASKED);
const brief = (base: Look, head: Look) => {
  const { verdict, reason } = seen(base, head)!;
  return [verdict, reason];
};

const waiting = (share: number) => ({ isAsync: true, waitingShare: share });
const seconds = (s: number) => ({ nsPerOperation: s * 1e9 });
const hooked = (us: number): Partial<ProbedWork> => ({ nsPerOperation: us * 1000, hooks: ["beforeEach"] });

describe("a task that cannot race", () => {
  it("races where a race can say something", () => {
    assert.equal(seen({}, { nsPerOperation: 50_000 }), undefined);
    assert.equal(seen(seconds(1), seconds(1.9)), undefined);
    assert.equal(seen(waiting(0.2), waiting(0.3)), undefined);
  });

  const WAITS = "waits 97 % of its time; a race says nothing about waiting";
  it("has failed where the head alone is refused", () => {
    assert.deepEqual(brief({}, "it threw: base: no"), ["failed", "it threw: base: no"]);
    assert.deepEqual(brief({}, waiting(0.97)), ["failed", WAITS]);
    assert.deepEqual(brief(waiting(0.1), waiting(0.97)), ["failed", WAITS]);
    assert.deepEqual(brief({}, { isAsync: true }), [
      "failed",
      "it returns promises, and in the base it does not",
    ]);
  });

  it("has no base where the base alone is refused", () => {
    assert.deepEqual(brief("it threw: no", {}), ["no base", "in the base: it threw: no"]);
    assert.deepEqual(brief(waiting(0.97), waiting(0.1)), ["no base", `in the base: ${WAITS}`]);
    assert.equal(brief({ isAsync: true }, {})[0], "no base");
  });

  it("is refused where both are, or where the base nearly is", () => {
    assert.deepEqual(brief("it threw: a", "it threw: b"), ["refused", "it threw: b"]);
    assert.equal(brief(seconds(3), seconds(4))[0], "refused");
    assert.equal(brief(waiting(0.49), waiting(0.51))[0], "refused");
  });

  it("is slower or faster by a look where its time alone is the reason", () => {
    const { reason, ...slower } = seen(seconds(0.01), seconds(2.5))!;
    assert.deepEqual(slower, { verdict: "slower", baseNs: 1e7, headNs: 2.5e9, processes: 0 });
    assert.equal(reason, "an operation takes 2.5 s; 2 s is the most: these are the times of one look");
    assert.equal(brief(seconds(2.5), seconds(0.01))[0], "faster");
    assert.equal(brief(hooked(30), hooked(1.5))[0], "faster");
    assert.equal(brief({ nsPerOperation: 100 }, { nsPerOperation: 10_001 })[0], "slower");
  });

  it("and not where the times of two looks are near each other", () => {
    assert.equal(brief(seconds(1.95), seconds(2.05))[0], "cannot tell");
    assert.equal(brief(hooked(2.1), hooked(1.9))[0], "cannot tell");
  });
});

describe("what a list refuses", () => {
  it("has failed in the head alone, has no base, or is refused", () => {
    assert.equal(refusalOf(undefined, undefined), undefined);
    assert.deepEqual(refusalOf("no", undefined), { verdict: "failed", reason: "no" });
    assert.deepEqual(refusalOf("no", "nor there"), { verdict: "refused", reason: "no" });
    assert.deepEqual(refusalOf(undefined, "no"), { verdict: "no base", reason: "in the base: no" });
  });
});

describe("a race that does not fit", () => {
  const why = (leastS: number, leftS: number, races: 1 | 2 = 2, raceS = leastS) =>
    whyTooLong(
      { leastMs: 1000 * leastS, raceMs: 1000 * raceS, lookMs: 0 },
      { leftMs: 1000 * leftS, races },
      { importsMs: 0, racingMs: 480_000 },
    );

  it("needs time for two, and says how much", () => {
    assert.equal(why(240, 480), undefined);
    assert.equal(why(241, 480), "two races take at least 8 min 2 s: give --budget 9m");
    assert.equal(why(240, 240), "two races take at least 8 min 0 s: give --budget 16m");
  });

  it("needs time for a whole race beside the operations of two", () => {
    assert.equal(why(1, 5, 2, 5), undefined);
    assert.equal(why(1, 4, 2, 5), "two races take at least 10 s: give --budget 10m");
  });

  it("needs time for imports and a look besides, however little was left", () => {
    const [needs, turn] = [
      { leastMs: 600_000, raceMs: 600_000, lookMs: 3_000 },
      { races: 2, leftMs: 3_500 },
    ] as const;
    const split = { importsMs: 1_500, racingMs: 3_500 };
    assert.equal(whyTooLong(needs, turn, split), "two races take at least 20 min 0 s: give --budget 21m");
  });

  it("needs time for one where the other is done", () => {
    assert.equal(why(240, 240, 1), undefined);
    assert.match(why(240, 239, 1)!, /^two races take at least/);
  });
});
