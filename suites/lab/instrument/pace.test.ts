import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { FEWEST_FORKS, forkEstimateMs, groupSharesMs, MOST_FORKS } from "../../engine/measure/plan/timing.ts";
import { LANES, NOTHING_DONE, planEstimateMs } from "../kinds/pace.ts";
import type { LabPlan } from "../kinds/plan.ts";
import type { Request } from "../plan/asked.ts";
import { makePlan } from "../plan/make-plan.ts";
import { syntheticRequest } from "../request.synthetic.ts";

let request: Request;
before(async () => {
  request = await syntheticRequest({ filters: ["pick/uniform-8"], workers: [1, 2] });
});

const isNear = (ms: number, expectedMs: number) => assert.ok(Math.abs(ms - expectedMs) < 1, `${ms}`);

describe("how long a plan takes", () => {
  it("is its budget, no less than the fewest forks of its groups, and no more than all", () => {
    const plan = makePlan(request);
    const forksMs = plan.groups.map((group) => forkEstimateMs(group)).reduce((sum, ms) => sum + ms, 0);
    isNear(planEstimateMs({ ...plan, budgetMs: 200_000 }), 200_000);
    isNear(planEstimateMs({ ...plan, budgetMs: 1 }), FEWEST_FORKS * forksMs);
    isNear(planEstimateMs({ ...plan, budgetMs: Number.POSITIVE_INFINITY }), MOST_FORKS * forksMs);
  });

  it("is of what is left of it, which has its part of the budget", () => {
    const plan = makePlan(request);
    const done = { ...NOTHING_DONE, groups: 1 };
    const [, group] = plan.groups;
    assert.equal(plan.groups.length, 2);
    const whole = { ...plan, budgetMs: 200_000 };
    isNear(planEstimateMs(whole, done), groupSharesMs(whole)[1]!);
    isNear(planEstimateMs({ ...plan, budgetMs: 1 }, done), FEWEST_FORKS * forkEstimateMs(group!));
    assert.equal(planEstimateMs(plan, { ...done, groups: 2 }), 0);
  });

  it("is shared out among its groups", () => {
    const plan = { ...makePlan(request), budgetMs: 200_000 };
    isNear(
      groupSharesMs(plan).reduce((sum, ms) => sum + ms, 0),
      200_000,
    );
  });

  it("is longer by what simulations say that a seed takes, as many at once as there are cores", () => {
    const plan = makePlan({ ...request, filters: ["pick/uneven-backends"] });
    const [{ entries, seeds, simulation }] = plan.simulations as [LabPlan["simulations"][number]];
    const seedMs = 1000 * simulation.secondsPerSeed!;
    isNear(planEstimateMs(plan), (entries.length * seeds.length * seedMs) / LANES);
    const one = makePlan({ ...request, filters: ["pick/uneven-backends/cas-ring"] });
    isNear(planEstimateMs(one), one.simulations[0]!.entries.length * seeds.length * seedMs);
  });

  it("is longer for a tail by its schedules, and a rehearsal of a tenth, of the operation and of none", () => {
    const plan = makePlan({ ...request, filters: ["locks/tail-2/ticket"] });
    const { survey, forks, entries } = plan.surveys[0]!;
    assert.ok(survey.kind === "tail");
    const bytes = makePlan({ ...request, filters: ["heartbeats/bytes-100k"] });
    const surveys = bytes.surveys[0]!.forks * bytes.surveys[0]!.entries.length;
    const processMs = planEstimateMs(bytes) / surveys;
    const scheduleMs = (survey.count.full * survey.intervalUs) / 1000;
    isNear(planEstimateMs(plan) / (forks * entries.length), processMs + 2.2 * scheduleMs);
  });

  it("is longer by what a survey says that its processes take at full size", () => {
    const estimateOf = (size: "full" | "smoke") => {
      const plan = makePlan({ ...request, size, filters: ["timers/polling-100k"] });
      const [{ entries, forks, survey }] = plan.surveys as [LabPlan["surveys"][number]];
      assert.ok(survey.kind === "survey");
      return { ms: planEstimateMs(plan), saidMs: entries.length * forks * 1000 * survey.secondsPerFork! };
    };
    const full = estimateOf("full");
    assert.ok(full.saidMs > 0);
    isNear(full.ms - estimateOf("smoke").ms, full.saidMs);
  });
});
