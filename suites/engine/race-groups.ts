import { judgeScenario } from "./judge/judge.ts";
import type { undecided } from "./judge/undecided.ts";
import type { GroupPlan, Plan } from "./measure/plan/plan.ts";
import { run } from "./measure/run/run.ts";
import type { GroupResult, Replan } from "./measure/run/watched.ts";
import { Racing } from "./racing.ts";
import type { GroupRecord } from "./schema/record.ts";
import type { JudgedScenario } from "./schema/verdict.ts";
import { present } from "./words/present.ts";

/** What is heard of groups as they race. */
export interface GroupObserver {
  /** A share of the whole, and what is raced now. */
  progress(share: number, leftMs: number | undefined, what: string): void;
  /** All groups of a table, one scenario at one worker count, have been raced. */
  judged(judged: JudgedScenario, results: readonly GroupResult[], groups: readonly GroupRecord[]): void;
  /** See `Racing`. */
  undecidedIn?: typeof undecided;
  /** See `Running`. */
  replan?: Replan;
  /** A process of this group has ended, and these crews need another. */
  stillOpen?(group: GroupPlan, crews: ReadonlySet<string>): void;
}

/**
 * Races the groups of a plan until each row is decided or time is up. Returns what was measured. Ends at once when `signal` aborts,
 * and when it is `overdue`, where what has been raced is judged.
 */
export async function raceGroups(
  plan: Plan,
  { progress, judged, undecidedIn, replan, stillOpen }: GroupObserver,
  signal: AbortSignal = new AbortController().signal,
  overdue?: AbortSignal,
): Promise<readonly GroupRecord[]> {
  const groups: GroupRecord[] = [];
  const results: GroupResult[] = [];
  const racing = new Racing(groups, undefined, plan.profile.exactly !== undefined, undecidedIn);
  await run(
    plan,
    {
      progress,
      raced(result) {
        const { scenario, workers } = racing.finish(result);
        results.push(result);
        const isOfTable = (part: Pick<GroupPlan, "scenario" | "workers">) =>
          part.scenario === scenario && part.workers === workers;
        const own = groups.filter(isOfTable);
        if (own.length < plan.groups.filter(isOfTable).length) return;
        judged(
          judgeScenario(own),
          results.filter((one) => isOfTable(one.plan)),
          own,
        );
      },
    },
    signal,
    {
      overdue,
      ...present({ replan }),
      needed(group, forks) {
        const crews = racing.needed(group, forks);
        stillOpen?.(group, crews);
        return crews;
      },
    },
  );
  return groups;
}
