import { scenarioOf } from "../../../suites/engine/measure/plan/plan.ts";
import type { CurvePoint } from "../../../suites/engine/race.ts";
import type { GroupRecord } from "../../../suites/engine/schema/record.ts";
import type { JudgedScenario } from "../../../suites/engine/schema/verdict.ts";
import { rebased } from "../../../suites/lab/verdicts/rebase.ts";
import { type Contest, judgedAt } from "./contest.ts";

/** How costs grow: with the size that a curve of scenarios goes along, or else with the workers. */
export interface Growth {
  readonly along: string;
  /** By `at`; two at least. */
  readonly steps: readonly Step[];
}

export interface Step {
  readonly at: number;
  readonly scenario: string;
  readonly workers: number;
  readonly isOversubscribed: boolean;
  /** With the view's baseline, and those alone that compete in the view. */
  readonly judged: JudgedScenario & { readonly point: CurvePoint };
}

/** Undefined where there is but one step: a scenario that is no point of a curve, raced at one worker count. */
export function growthOf(contest: Contest): Growth | undefined {
  const { source, judged, conditions, rivals } = contest;
  const { groups } = source.record;
  const own = groups.find(({ scenario }) => scenario === judged.scenario)!;
  const { point } = own;
  const among =
    point === undefined
      ? groups.filter(({ scenario }) => scenario === judged.scenario)
      : groups.filter(
          (group) =>
            group.point?.curve === point.curve &&
            group.workers === conditions.workers &&
            isOfOneRace(group, own),
        );
  const byStep = Map.groupBy(among, ({ scenario, workers }) => `${scenario} ${workers}`);
  const competitors = new Set(rivals.map(({ competitor }) => competitor));
  const steps = [...byStep.values()]
    .map((same): Step => stepOf(contest, same, competitors))
    .toSorted((a, b) => a.at - b.at);
  return steps.length < 2 ? undefined : { along: steps[0]!.judged.point.along, steps };
}

/** Whether two scenarios were raced on the same runtimes: what stands behind their names says that. */
function isOfOneRace(one: GroupRecord, other: GroupRecord): boolean {
  const [a, b] = [one, other].map(({ scenario }) => scenario.slice(scenarioOf(scenario).length));
  return a === b;
}

function stepOf(
  { source: { record }, baseline, betweenRuns }: Contest,
  groups: readonly GroupRecord[],
  competitors: ReadonlySet<string>,
): Step {
  const [{ workers, scenario, oversubscribed, point }] = groups as [GroupRecord];
  const all = record.groups.filter((group) => group.scenario === scenario);
  const raced = judgedAt(record, all, workers, betweenRuns);
  const judged = baseline === undefined ? raced : rebased(raced, baseline);
  const along = point ?? { curve: scenarioOf(scenario), along: "workers", at: workers };
  return {
    at: along.at,
    scenario,
    workers,
    isOversubscribed: oversubscribed,
    judged: {
      ...judged,
      point: along,
      rows: judged.rows.filter(({ competitor }) => competitors.has(competitor)),
    },
  };
}
