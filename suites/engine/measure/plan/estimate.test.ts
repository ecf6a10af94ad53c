import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import fc from "fast-check";
import { type GroupTimes, PlannedTime, sharesOf, TimeEstimate } from "./estimate.ts";

const FOUR: GroupTimes = { weight: 1, forkMs: 100, fewest: 4, most: 64 };
const isNear = (ms: number, expectedMs: number) =>
  assert.ok(Math.abs(ms - expectedMs) < 1e-6 * Math.max(1, expectedMs), `${ms} and not ${expectedMs}`);
const total = (shares: readonly number[]) => shares.reduce((sum, share) => sum + share, 0);

describe("the shares of groups in a budget", () => {
  it("are their fewest processes, and parts of the rest by weight", () => {
    assert.deepEqual(sharesOf(1_800, [FOUR, { ...FOUR, weight: 3, forkMs: 50 }]), [400 + 300, 200 + 900]);
    assert.deepEqual(sharesOf(0, [FOUR, FOUR]), [400, 400]);
    assert.deepEqual(sharesOf(1_000, []), []);
  });

  it("leave to later groups what one cannot use, and are all that there may be where there is no budget", () => {
    const few = { ...FOUR, most: 5 };
    assert.deepEqual(sharesOf(2_000, [few, FOUR]), [500, 1_500]);
    assert.deepEqual(sharesOf(Number.POSITIVE_INFINITY, [few, FOUR]), [500, 6_400]);
  });

  it("are the budget together, but for groups that need more or can use less", () => {
    const group = fc.record({
      weight: fc.integer({ min: 1, max: 50 }),
      forkMs: fc.integer({ min: 1, max: 9_000 }),
      fewest: fc.constant(4),
      most: fc.integer({ min: 4, max: 64 }),
    });
    fc.assert(
      fc.property(fc.array(group, { minLength: 1 }), fc.integer({ min: 0, max: 1e7 }), (groups, budgetMs) => {
        const shares = sharesOf(budgetMs, groups);
        const leastMs = total(groups.map(({ fewest, forkMs }) => fewest * forkMs));
        for (const [place, { fewest, most, forkMs }] of groups.entries()) {
          assert.ok(shares[place]! >= fewest * forkMs - 1e-6 && shares[place]! <= most * forkMs + 1e-6);
        }
        assert.ok(total(shares) <= Math.max(budgetMs, leastMs) + 1e-3);
        if (groups.at(-1)!.most * groups.at(-1)!.forkMs > budgetMs) {
          isNear(total(shares), Math.max(budgetMs, leastMs));
        }
      }),
    );
  });
});

describe("the estimate of a run", () => {
  const times = { budgetMs: 4_000, groups: [FOUR, FOUR], unracedMs: { simulations: 300, surveys: 700 } };

  it("is the budget with simulations and surveys, and less what has passed", () => {
    const estimate = new TimeEstimate(times);
    isNear(estimate.leftMs(), 5_000);
    estimate.forked(100, 100, false);
    isNear(estimate.leftMs(), 4_900);
    estimate.raced();
    isNear(estimate.leftMs(), 4_900);
    estimate.ended("simulations", 200, 100, 2);
    isNear(estimate.leftMs(), 3_900 + 200 / 2 + 700);
    estimate.ended("surveys", 350, 0);
    isNear(estimate.leftMs(), 3_900 + 200 / 2 + 350);
  });

  it("lets a group begin a process even if half or less of it would be beyond its share", () => {
    const estimate = new TimeEstimate({ ...times, groups: [FOUR], budgetMs: 1_000 });
    estimate.forked(100, 940, true);
    assert.ok(estimate.hasTimeFor(100));
    estimate.forked(100, 20, true);
    assert.ok(!estimate.hasTimeFor(100));
    assert.ok(estimate.hasTimeFor(60));
  });

  it("expects of a process what those of its group took, and before them what those of the run did but the slowest", () => {
    const estimate = new TimeEstimate(times);
    assert.equal(estimate.forkMs(100), 100);
    for (const tookMs of [500, 200, 100]) estimate.forked(100, tookMs, false);
    isNear(estimate.forkMs(100), 800 / 3);
    estimate.raced();
    isNear(estimate.forkMs(100), 150);
  });

  it("is announced after the first piece, and again where it is over a tenth longer", () => {
    const estimate = new TimeEstimate(times);
    const [firstMs, sameMs, longerMs] = [5_000, 500, 501].map((ms) => estimate.announcement(ms));
    isNear(firstMs!, 10_000);
    assert.equal(sameMs, undefined);
    assert.equal(longerMs, undefined);
    assert.equal(estimate.announcement(6_000), undefined);
    isNear(estimate.announcement(6_001)!, 11_001);
  });
});

describe("planned time", () => {
  let nowMs = 0;
  let leftMs: number | undefined;
  const lines: [share: number, leftMs: number | undefined, what: string][] = [];
  const observer = {
    progress: (share: number, left: number | undefined, what: string) => lines.push([share, left, what]),
  };
  beforeEach(() => {
    nowMs = 1_000;
    lines.length = 0;
    mock.method(performance, "now", () => nowMs);
  });
  afterEach(() => mock.restoreAll());

  it("says nothing of time while it knows none", () => {
    leftMs = undefined;
    const clock = new PlannedTime(observer, () => leftMs);
    clock.begin(4_000, "a").within(0.5);
    assert.deepEqual(lines, [
      [0, undefined, "a"],
      [0, undefined, "a"],
    ]);
  });

  it("shows what is left, less what is done of all that is in progress, as a part of what that and the past come to", () => {
    leftMs = 10_000;
    const clock = new PlannedTime(observer, () => leftMs);
    const [one, other] = [clock.begin(4_000, "a"), clock.begin(2_000, "b")];
    nowMs += 7_000;
    one.within(0.5);
    other.within(0.5, "b, later");
    one.end();
    leftMs = 6_000;
    clock.begin(2_000, "c");
    assert.deepEqual(lines, [
      [0, 10_000, "a"],
      [0, 10_000, "b"],
      [7 / 15, 8_000, "a"],
      [0.5, 7_000, "b, later"],
      [7 / 12, 5_000, "c"],
    ]);
    assert.equal(clock.elapsedMs, 7_000);
  });
});
