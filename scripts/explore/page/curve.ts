import { rebased } from "../../../suites/engine/judge/rebase.ts";
import { scenarioOf } from "../../../suites/engine/measure/plan/plan.ts";
import type { GroupRecord } from "../../../suites/engine/schema/record.ts";
import type { JudgedMeasured, JudgedScenario } from "../../../suites/engine/schema/verdict.ts";
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
  /** With the view's baseline. */
  readonly judged: JudgedScenario;
}

/** Undefined where there is but one step: a scenario that is no point of a curve, raced at one worker count. */
export function growthOf({ source, judged, conditions, baseline }: Contest): Growth | undefined {
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
  const steps = [...byStep.values()]
    .map((same): Step => stepOf(source.record, same, baseline))
    .toSorted((a, b) => a.at - b.at);
  return steps.length < 2 ? undefined : { along: point?.along ?? "workers", steps };
}

/** Whether two scenarios were raced on the same runtimes: what stands behind their names says that. */
function isOfOneRace(one: GroupRecord, other: GroupRecord): boolean {
  const [a, b] = [one, other].map(({ scenario }) => scenario.slice(scenarioOf(scenario).length));
  return a === b;
}

function stepOf(
  record: Contest["source"]["record"],
  groups: readonly GroupRecord[],
  baseline: string | undefined,
): Step {
  const [{ point, workers, scenario, oversubscribed }] = groups as [GroupRecord];
  const all = record.groups.filter((group) => group.scenario === scenario);
  const raced = judgedAt(record, all, workers);
  return {
    at: point?.at ?? workers,
    scenario,
    workers,
    isOversubscribed: oversubscribed,
    judged: baseline === undefined ? raced : rebased(raced, baseline),
  };
}

/** The rows of those, of each competitor the first of a step. */
export function rowsAt({ judged }: Step, competitors: ReadonlySet<string>): JudgedMeasured[] {
  const own = judged.rows.flatMap((row) => (row.noNumber === undefined ? [row] : []));
  return own.filter(
    ({ competitor, role }, place) =>
      competitors.has(competitor) &&
      own.findIndex((other) => other.competitor === competitor && other.role === role) === place,
  );
}

export function nameOf({ competitor, role }: Pick<JudgedMeasured, "competitor" | "role">): string {
  return role === undefined ? competitor : `${competitor} (${role})`;
}
