import assert from "node:assert/strict";
import { afterEach, before, beforeEach, describe, it, mock } from "node:test";
import type { GroupPlan } from "../../engine/measure/plan/plan.ts";
import { FEWEST_FORKS, forkEstimateMs } from "../../engine/measure/plan/timing.ts";
import type { askFork } from "../../engine/measure/run/process.ts";
import type { Needed } from "../../engine/measure/run/watched.ts";
import { carryOut } from "../carried-out.synthetic.ts";
import { NOTHING_DONE, planEstimateMs } from "../kinds/pace.ts";
import type { LabPlan } from "../kinds/plan.ts";
import type { LabObserver, LabRunning } from "../kinds/run.ts";
import type { Request } from "../plan/asked.ts";
import { makePlan } from "../plan/make-plan.ts";
import { syntheticRequest } from "../request.synthetic.ts";

let request: Request;
before(async () => {
  const filters = ["draws/bound-7", "pick/uniform-8", "locks/short-section"];
  request = await syntheticRequest({ filters, workers: [1, 2] });
});

/** The clock of a run whose forks take no time but what they say. */
let nowMs = 0;
beforeEach(() => {
  nowMs = 1_000;
  mock.method(performance, "now", () => nowMs);
});
afterEach(() => mock.restoreAll());

const fewestMs = ({ groups }: Pick<LabPlan, "groups">) =>
  groups.reduce((sum, group) => sum + FEWEST_FORKS * forkEstimateMs(group), 0);

/** A plan whose budget is a multiple of what its fewest forks are planned to take. */
function planFor(times: number, more: Partial<LabPlan> = {}): LabPlan {
  const plan = { ...makePlan(request), ...more };
  return { ...plan, budgetMs: times * fewestMs(plan) };
}

/** Carries out a plan whose forks take a multiple of their planned time, which may depend on how many ran before. */
async function timed(
  plan: LabPlan,
  times: (fork: number) => number,
  more: LabRunning = {},
  isLost = (_fork: number) => false,
) {
  const begunMs = nowMs;
  const announcedAtMs: number[] = [];
  const left: { readonly forks: number; readonly leftMs: number | undefined }[] = [];
  let forks = 0;
  const ask: typeof askFork = async (_job, { estimateMs, progress }) => {
    nowMs += (times(forks) * estimateMs) / 2;
    progress?.(0.5);
    nowMs += (times(forks) * estimateMs) / 2;
    return isLost(forks++) ? LOST : { kind: "raced", crews: [], threads: 0, maxRssBytes: 0, pinned: false };
  };
  const told: Partial<LabObserver> = {
    progress: (_share, leftMs) => left.push({ forks, leftMs }),
    announced: () => announcedAtMs.push(nowMs - begunMs),
  };
  const { groups, announced } = await carryOut(plan, { ask, told, ...more });
  const raced = groups.map((result) => ({ group: result.plan, forks: result.forks.length }));
  return { tookMs: nowMs - begunMs, announced, announcedAtMs, left, raced };
}

const LOST = { kind: "lost", failure: { kind: "fault", reason: "killed" } } as const;

const isWithinAFifth = (ms: number, ofMs: number) =>
  assert.ok(Math.abs(ms / ofMs - 1) <= 0.2, `${ms} of ${ofMs}`);

describe("the time of a run", () => {
  it("is its budget, whether forks take as long as planned or twice as long", async () => {
    const plan = planFor(3);
    for (const times of [0.7, 1, 2]) {
      const { tookMs, announced, raced } = await timed(plan, () => times);
      assert.equal(announced.length, 1, `announced ${announced.length} times`);
      assert.equal(announced[0]!.isLonger, false);
      isWithinAFifth(tookMs, announced[0]!.wholeMs);
      isWithinAFifth(tookMs, plan.budgetMs);
      assert.ok(raced.every(({ forks }) => forks >= FEWEST_FORKS));
    }
  });

  it("is within a fifth of what was announced where forks take twice as long after a while, or only at first", async () => {
    for (const times of [(fork: number) => (fork < 9 ? 1 : 2), (fork: number) => (fork < 9 ? 3 : 1)]) {
      const { tookMs, announced } = await timed(planFor(3), times);
      isWithinAFifth(tookMs, announced.at(-1)!.wholeMs);
      assert.equal(announced.length, 1);
    }
  });

  it("is not longer for one slow fork, be it the first", async () => {
    for (const slow of [0, 1, 5]) {
      const { tookMs, announced } = await timed(planFor(1.5), (fork) => (fork === slow ? 6 : 1));
      assert.equal(announced.length, 1);
      isWithinAFifth(tookMs, announced[0]!.wholeMs);
    }
  });

  it("is announced anew as soon as it is known that the fewest forks take longer", async () => {
    const plan = planFor(1.5);
    const { tookMs, announced, announcedAtMs, raced } = await timed(plan, () => 3);
    assert.deepEqual(
      announced.map(({ isLonger }) => isLonger),
      [false, true],
    );
    assert.ok(announcedAtMs[1]! <= 2 * 3 * forkEstimateMs(plan.groups[0]!), "after the second fork");
    isWithinAFifth(tookMs, announced[1]!.wholeMs);
    assert.ok(raced.every(({ forks }) => forks === FEWEST_FORKS));
  });

  it("may be used up by more forks, where a profile asks for them and each worker has a core", async () => {
    const fewest = 2 * FEWEST_FORKS;
    const { groups } = makePlan({
      ...request,
      workers: [1, 2, 4],
      profile: { ...request.profile, fewestForks: fewest },
    });
    const { raced } = await timed({ ...makePlan(request), groups, budgetMs: 0 }, () => 1);
    assert.ok(raced.some(({ group }) => group.oversubscribed));
    for (const { group, forks } of raced) assert.equal(forks, group.oversubscribed ? FEWEST_FORKS : fewest);
  });

  it("ends for one group within half a fork of the budget", async () => {
    const [group] = makePlan(request).groups as [GroupPlan];
    const forkMs = forkEstimateMs(group);
    for (let budgetMs = 5 * forkMs; budgetMs < 7 * forkMs; budgetMs += 0.23 * forkMs) {
      const { tookMs } = await timed({ ...makePlan(request), groups: [group], budgetMs }, () => 1);
      assert.ok(Math.abs(tookMs - budgetMs) <= forkMs / 2, `${tookMs} of ${budgetMs}`);
    }
  });

  it("may be used up by forks that are lost, and each group still has its fewest", async () => {
    const plan = planFor(1.5);
    const { raced } = await timed(
      plan,
      (fork) => (fork === 0 ? 100 : 1),
      {},
      (fork) => fork === 0,
    );
    assert.deepEqual(
      raced.map(({ forks }) => forks),
      plan.groups.map(() => FEWEST_FORKS),
    );
  });

  it("is there for later groups where one needs no more of it", async () => {
    const plan = planFor(3);
    const [first] = plan.groups as [GroupPlan];
    const needed: Needed = ({ scenario, crews }, forks) =>
      new Set(
        scenario === first.scenario && forks.length >= FEWEST_FORKS ? [] : crews.map(({ name }) => name),
      );
    const [usual, left] = [await timed(plan, () => 1), await timed(plan, () => 1, { needed })];
    assert.equal(left.raced[0]!.forks, FEWEST_FORKS);
    for (const [place, { forks }] of left.raced.entries()) {
      if (place > 0) assert.ok(forks > usual.raced[place]!.forks, `${forks} in group ${place}`);
    }
    isWithinAFifth(left.tookMs, plan.budgetMs);
  });

  it("is what is left of it where a run is gone on with", async () => {
    const plan = planFor(3);
    const done = { ...NOTHING_DONE, groups: 2 };
    const { tookMs, announced, raced } = await timed(plan, () => 1.5, { done });
    assert.equal(raced.length, plan.groups.length - 2);
    assert.equal(announced.length, 1);
    isWithinAFifth(announced[0]!.wholeMs, planEstimateMs(plan, done));
    isWithinAFifth(tookMs, announced[0]!.wholeMs);
  });
});

describe("what is left of a run", () => {
  it("is not shown before its first fork is done, and from then on is about right", async () => {
    const plan = planFor(3);
    const { left, tookMs } = await timed(plan, () => 1.5);
    const [before, after] = [left.filter(({ forks }) => forks === 0), left.filter(({ forks }) => forks > 0)];
    assert.ok(before.length > 0 && before.every(({ leftMs }) => leftMs === undefined));
    isWithinAFifth(after[0]!.leftMs!, tookMs);
    assert.ok(after.every(({ leftMs }) => leftMs !== undefined));
  });

  it("is not shown at all for a run that is interrupted in its first fork", async () => {
    const stop = new AbortController();
    const ask: typeof askFork = async () => {
      stop.abort();
      return LOST;
    };
    const told: Partial<LabObserver> = { progress: (_share, leftMs) => assert.equal(leftMs, undefined) };
    const { announced } = await carryOut(planFor(3), { ask, told, signal: stop.signal });
    assert.deepEqual(announced, []);
  });

  it("is longer, and announced so, where surveys take longer than planned", async () => {
    const plan = makePlan({ ...request, filters: ["heartbeats/bytes-100k"] });
    let isAnnounced = false;
    const ask: typeof askFork = async (_job, { estimateMs }) => {
      nowMs += (isAnnounced ? 2 : 1) * estimateMs;
      return { kind: "called", value: { metrics: {} } };
    };
    const told = {
      announced() {
        isAnnounced = true;
      },
    };
    const { announced } = await carryOut(plan, { ask, told });
    assert.deepEqual(
      announced.slice(0, 2).map(({ isLonger }) => isLonger),
      [false, true],
    );
  });
});
