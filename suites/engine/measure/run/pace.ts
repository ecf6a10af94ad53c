import { sum } from "../../statistics.ts";
import { type GroupTimes, type RunTimes, sharesOf } from "../plan/estimate.ts";
import type { GroupPlan, Plan } from "../plan/plan.ts";
import { forkEstimateMs, weightOf } from "../plan/timing.ts";

/** How long each group of a plan takes, in ms. */
export function groupSharesMs({ groups, budgetMs }: Pick<Plan, "groups" | "budgetMs">): number[] {
  return sharesOf(budgetMs, groups.map(groupTimes));
}

/** What is left of a plan's races once the first groups are `done`. */
export function raceTimes(plan: Plan, done: number): Pick<RunTimes, "budgetMs" | "groups"> {
  return {
    budgetMs: done === 0 ? plan.budgetMs : sum(groupSharesMs(plan).slice(done)),
    groups: plan.groups.slice(done).map(groupTimes),
  };
}

function groupTimes(group: GroupPlan): GroupTimes {
  const { forks } = group;
  const fewest = Math.min(group.fewestForks, forks);
  return { weight: weightOf(group), forkMs: forkEstimateMs(group), fewest, most: forks };
}
