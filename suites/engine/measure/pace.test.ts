import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type GroupPace, groupKey, NO_PACES, Pace, type Paces, planEstimateMs, shareOf } from "./pace.ts";
import { FEWEST_FORKS, forkEstimateMs, makePlan, type Plan, PROFILES, type Request } from "./plan.ts";
import { syntheticRequest } from "./request.synthetic.ts";
import { NOTHING_DONE } from "./resume.ts";

const LANES = 2;
let request: Request;
before(async () => {
  request = await syntheticRequest({ filters: ["pick/uniform-8"], workers: [1, 2] });
});

/** A plan of groups at so many workers each, of scenarios `a`, `b` and so on. */
function planOf(workers: readonly number[], more: Partial<Plan> = {}): Plan {
  const plan = makePlan(request);
  const groups = workers.map((count, index) => ({
    ...plan.groups.find((group) => group.workers === count)!,
    scenario: String.fromCharCode("a".charCodeAt(0) + index),
  }));
  return { ...plan, groups, ...more };
}

/** A fork: the part of the group's planned time that it was planned with, and how many times that it took. */
type Fork = readonly [planned: number, times: number];

interface Eta {
  /** Part of the whole time that had passed. */
  readonly share: number;
  /** By which part the time that was left was given too long, or too short. */
  readonly error: number;
}

/** Has a run take as long as it is recorded to have taken; of a group only the forks that it has the time for. */
function replay(plan: Plan, recorded: readonly (readonly Fork[])[], paces: Paces) {
  const pace = new Pace(plan, NOTHING_DONE, paces, LANES);
  const told: { readonly nowMs: number; readonly leftMs: number }[] = [];
  let nowMs = 0;
  const tell = () => told.push({ nowMs, leftMs: pace.leftMs() });
  tell();
  let budgetMs = plan.budgetMs;
  for (const [index, group] of plan.groups.entries()) {
    const allowedMs = budgetMs * shareOf(plan.groups, index);
    const begunMs = nowMs;
    for (const [fork, [planned, times]] of recorded[index]!.entries()) {
      const estimateMs = planned * forkEstimateMs(group);
      if (fork >= FEWEST_FORKS && nowMs - begunMs + estimateMs > allowedMs) break;
      nowMs += times * estimateMs;
      pace.forked(group, estimateMs, times * estimateMs);
      tell();
    }
    pace.raced(group, allowedMs, false);
    budgetMs = Math.max(0, budgetMs - (nowMs - begunMs));
    tell();
  }
  const etas = told.map(
    (at): Eta => ({ share: at.nowMs / nowMs, error: at.leftMs / (nowMs - at.nowMs) - 1 }),
  );
  return { totalMs: nowMs, etas, firstMs: told[0]!.leftMs, paces: pace.learned(false) };
}

const times = (count: number, fork: Fork): Fork[] => new Array<Fork>(count).fill(fork);
const atTenth = (etas: readonly Eta[]) => etas.find(({ share }) => share >= 0.1)!;
const isWithin = (error: number, most: number) => assert.ok(Math.abs(error) <= most, `off by ${error}`);
const keyOf = (scenario: string, workers: number) => {
  const { groups, profile } = planOf([workers]);
  return groupKey({ ...groups[0]!, scenario }, profile);
};

describe("how long a plan takes", () => {
  it("is what its groups may take, no less than their fewest forks, and no more than all", () => {
    const plan = planOf([1, 1, 2, 2]);
    const [alone, contended] = [plan.groups[0]!, plan.groups[2]!].map((group) => forkEstimateMs(group));
    const close = (ms: number, expectedMs: number) => assert.ok(Math.abs(ms - expectedMs) < 1, `${ms}`);
    close(planEstimateMs({ ...plan, budgetMs: 200_000 }), 200_000);
    close(planEstimateMs({ ...plan, budgetMs: 1 }), 4 * 2 * (alone! + contended!));
    close(planEstimateMs({ ...plan, budgetMs: Number.POSITIVE_INFINITY }), 64 * 2 * (alone! + contended!));
    close(planEstimateMs({ ...plan, budgetMs: 1 }, { ...NOTHING_DONE, groups: 3 }), 4 * contended!);
  });

  it("is shorter where rows were decided before the time was up, which leaves the others more", () => {
    const plan = planOf([1, 1], { budgetMs: 100_000 });
    const forkMs = forkEstimateMs(plan.groups[0]!);
    const paces = { ...NO_PACES, groups: { [keyOf("a", 1)]: { factor: 2, forks: 5 } } };
    // The second was never raced, and its forks are taken for such as the first's.
    assert.equal(planEstimateMs(plan, NOTHING_DONE, paces), 100_000);
    const both = { ...paces.groups, [keyOf("b", 1)]: { factor: 2, forks: 6.5 } };
    isWithin(planEstimateMs(plan, NOTHING_DONE, { ...paces, groups: both }) / (2 * 11.5 * forkMs) - 1, 1e-6);
  });

  it("is longer for a tail by its schedules, and a rehearsal of a tenth, of the operation and of none", () => {
    const plan = makePlan({ ...request, filters: ["locks/tail-2/ticket"] });
    const { survey, forks, entries } = plan.surveys[0]!;
    assert.ok(survey.kind === "tail");
    const bytes = makePlan({ ...request, filters: ["heartbeats/bytes-100k"] });
    const surveys = bytes.surveys[0]!.forks * bytes.surveys[0]!.entries.length;
    const processMs = planEstimateMs(bytes) / surveys;
    const scheduleMs = (survey.count.full * survey.intervalUs) / 1000;
    isWithin(planEstimateMs(plan) / (forks * entries.length) - processMs - 2.2 * scheduleMs, 1e-6);
  });

  it("is longer by what a survey says that its processes take at full size", () => {
    const estimateOf = (size: "full" | "smoke") => {
      const plan = makePlan({ ...request, size, filters: ["timers/refreshed-1m"] });
      const [{ entries, forks, survey }] = plan.surveys as [Plan["surveys"][number]];
      assert.ok(survey.kind === "survey");
      return { ms: planEstimateMs(plan), saidMs: entries.length * forks * 1000 * survey.secondsPerFork! };
    };
    const full = estimateOf("full");
    assert.ok(full.saidMs > 0);
    assert.equal(full.ms - estimateOf("smoke").ms, full.saidMs);
  });

  it("is known of simulations and surveys, once they were carried out", () => {
    const plan = makePlan({ ...request, filters: ["pick/resonance", "heartbeats/bytes-100k"] });
    const [simulation, survey] = [plan.simulations[0]!, plan.surveys[0]!];
    const pace = new Pace(plan, NOTHING_DONE, NO_PACES, LANES);
    for (const { name } of simulation.entries) pace.simulated(simulation, name, 3_000);
    pace.simulatedAll();
    for (const { name } of survey.entries) pace.surveyed(survey, name, 700);
    pace.surveyedAll();
    assert.equal(pace.leftMs(), 0);
    const learned = new Pace(plan, NOTHING_DONE, pace.learned(false), LANES);
    const simulationMs = 3_000 * Math.ceil(simulation.entries.length / LANES);
    const surveyMs = 700 * survey.entries.length * survey.forks;
    assert.equal(learned.leftMs(), simulationMs + surveyMs);
    learned.simulated(simulation, simulation.entries[0]!.name, 6_000);
    assert.ok(learned.leftMs() > simulationMs + surveyMs, "it goes slower today");
  });
});

/**
 * `npm run bench -- pick --profile quick`, twice, by how many times their planned time its forks took: three groups of
 * one worker and three of two, each raced to its fewest forks. Others kept the virtual machine's two cores busy, the
 * second time nearly twice as busy as the first.
 */
const WORKERS = [1, 1, 1, 2, 2, 2];
const BUSY = [
  [1.27, 1.58, 1.3, 1.15],
  [1.54, 1.72, 1.98, 1.96],
  [2.26, 1.31, 1.35, 1.22],
  [2.75, 2.53, 6.92, 4.17],
  [4.41, 5.86, 3.56, 2.18],
  [2.65, 3.08, 2.08, 2.78],
];
const BUSIER = [
  [2.45, 2.33, 2.38, 1.79],
  [1.71, 2.39, 1.72, 2.66],
  [3.11, 4.12, 3.27, 2.67],
  [6.13, 16.24, 7, 5.84],
  [8.44, 8.62, 4.03, 3.64],
  [3.1, 2.99, 3.34, 3.09],
];
const wholeForks = (recorded: readonly (readonly number[])[]) =>
  recorded.map((forks) => forks.map((took): Fork => [1, took]));

describe("what is said after a tenth of a run", () => {
  it("is within a fifth of the truth on a machine that has raced the same before", () => {
    const plan = planOf(WORKERS, { budgetMs: 1 });
    const [busy, busier] = [wholeForks(BUSY), wholeForks(BUSIER)];
    const learnedOf = (recorded: readonly (readonly Fork[])[]) => replay(plan, recorded, NO_PACES).paces;
    const { etas, firstMs, totalMs } = replay(plan, busy, learnedOf(busier));
    isWithin(atTenth(etas).error, 0.2);
    // Before it began nobody knew how much less busy the machine was to be.
    assert.ok(firstMs / totalMs > 1.5);
    const again = replay(plan, busier, learnedOf(busier));
    isWithin(atTenth(again.etas).error, 0.2);
    isWithin(again.firstMs / again.totalMs - 1, 1e-6);
  });

  it("is on another machine as right as the plan is of how worker counts differ", () => {
    const plan = planOf(WORKERS, { budgetMs: 1 });
    // Of two workers others take more than of one, which no plan knows.
    isWithin(atTenth(replay(plan, wholeForks(BUSY), NO_PACES).etas).error, 0.6);
    // A machine that is slower, and no more than that, is known after two forks.
    const slow = WORKERS.map(() => times(4, [1, 1.8]));
    const { etas } = replay(plan, slow, NO_PACES);
    isWithin(atTenth(etas).error, 0.2);
    assert.ok(etas[0]!.error < -0.4);
  });

  it("is within a fifth where some groups are decided early and others race to the end of the time", () => {
    // The time is counted in forks, which are longer for every picker that there is.
    const budgetMs = 73 * forkEstimateMs(planOf([1]).groups[0]!);
    const plan = planOf([1, 1, 1, 2], { budgetMs });
    // Rows that are decided leave, so that later forks are shorter.
    const decided = (factor: number) => [...times(4, [1, factor]), ...times(2, [0.5, factor])];
    const recorded = (factor: number) => [
      decided(1.2 * factor),
      times(64, [1, 1.1 * factor]),
      decided(1.2 * factor),
      times(64, [1, 1.3 * factor]),
    ];
    const unlearned = replay(plan, recorded(1), NO_PACES);
    const learned = replay(plan, recorded(1.1), unlearned.paces);
    isWithin(atTenth(learned.etas).error, 0.2);
    isWithin(learned.firstMs / learned.totalMs - 1, 0.2);
    assert.ok(Math.abs(atTenth(unlearned.etas).error) >= Math.abs(atTenth(learned.etas).error));
  });
});

describe("what is learned", () => {
  const learn = (forks: readonly Fork[], before: Paces, budgetMs = 1e6) => {
    const plan = planOf([1], { budgetMs });
    return replay(plan, [forks], before).paces.groups[keyOf("a", 1)];
  };

  it("is how long forks took, and how many were wanted, the last run counting as much as all before it", () => {
    const first = { factor: 3, forks: 6 };
    assert.deepEqual(rounded(learn(times(6, [1, 3]), NO_PACES)), first);
    const before = { ...NO_PACES, groups: { [keyOf("a", 1)]: first } };
    assert.deepEqual(rounded(learn(times(4, [1, 1]), before)), { factor: 2, forks: 5 });
  });

  const rounded = ({ factor, forks }: GroupPace = { factor: 0 }) => ({
    factor: Number(factor.toFixed(6)),
    ...(forks === undefined ? {} : { forks: Number(forks.toFixed(6)) }),
  });

  it("is not how many were wanted where the time was up, unless more are known not to be", () => {
    const sixForksMs = 6.5 * forkEstimateMs(planOf([1]).groups[0]!);
    const endless = times(64, [1, 1]);
    assert.deepEqual(rounded(learn(endless, NO_PACES, sixForksMs)), { factor: 1 });
    const before = (forks: number) => ({ ...NO_PACES, groups: { [keyOf("a", 1)]: { factor: 1, forks } } });
    assert.deepEqual(rounded(learn(endless, before(8), sixForksMs)), { factor: 1, forks: 8 });
    assert.deepEqual(rounded(learn(endless, before(5), sixForksMs)), { factor: 1 });
  });

  it("is nothing of groups that lost forks, nor at a test's size", () => {
    const learnedOf = (plan: Plan, failed: boolean) => {
      const pace = new Pace(plan, NOTHING_DONE, NO_PACES, LANES);
      pace.forked(plan.groups[0]!, 1_000, 2_000);
      pace.raced(plan.groups[0]!, 1e6, failed);
      return Object.keys(pace.learned(false).groups).length;
    };
    const plan = planOf([1]);
    assert.equal(learnedOf(plan, false), 1);
    assert.equal(learnedOf(plan, true), 0);
    assert.equal(learnedOf({ ...plan, size: "smoke" }, false), 0);
    const exactly = { forks: 1, rounds: 2 };
    assert.equal(learnedOf({ ...plan, profile: { ...PROFILES.quick, exactly } }, false), 0);
  });

  it("is of a run that was disturbed only what was not known", () => {
    const plan = planOf([1, 1]);
    const before: Paces = { ...NO_PACES, groups: { [keyOf("a", 1)]: { factor: 1 } } };
    const pace = new Pace(plan, NOTHING_DONE, before, LANES);
    for (const group of plan.groups) {
      pace.forked(group, 1_000, 4_000);
      pace.raced(group, 1, false);
    }
    const factors = (isDisturbed: boolean) =>
      ["a", "b"].map((scenario) => pace.learned(isDisturbed).groups[keyOf(scenario, 1)]?.factor);
    assert.deepEqual(factors(true), [1, 4]);
    assert.deepEqual(factors(false), [2.5, 4]);
  });
});
