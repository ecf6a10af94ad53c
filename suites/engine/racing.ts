import { groupRecord, rolesOf } from "./judge/assemble.ts";
import { digestFork } from "./judge/digest.ts";
import { MachineStates, type Mode } from "./judge/machine-states.ts";
import { undecided } from "./judge/undecided.ts";
import { isLook, LOOKS } from "./judge/verdict.ts";
import { type GroupPlan, runtimeOf } from "./measure/plan/plan.ts";
import type { ForkResult, GroupResult } from "./measure/run/watched.ts";
import type { GroupRecord } from "./schema/record.ts";

/** Keeps the slices of each fork. */
export interface SliceKeeper {
  append(
    slices: Pick<GroupPlan, "primitive" | "scenario" | "workers"> & Pick<ForkResult, "fork" | "crews">,
  ): void;
}

/**
 * What happens to the forks of a run as they end. Their slices go to a file, their digests into the record, and the
 * digests decide which rows need more forks.
 */
export class Racing {
  protected readonly groups: GroupRecord[];
  protected readonly states = new MachineStates();
  readonly #raw: SliceKeeper | undefined;
  readonly #isFixed: boolean;
  readonly #undecided: typeof undecided;

  /**
   * Adds to `groups`, raced before. `isFixed`: the number of forks does not depend on verdicts. `undecidedIn` says whether it
   * does, if the verdicts of these groups are not the engine's own.
   */
  constructor(
    groups: GroupRecord[],
    raw: SliceKeeper | undefined,
    isFixed: boolean,
    undecidedIn = undecided,
  ) {
    this.groups = groups;
    this.#raw = raw;
    this.#isFixed = isFixed;
    this.#undecided = undecidedIn;
  }

  /** Hears of the newest of a group's forks; returns the names of the crews that need another. */
  needed(plan: GroupPlan, forks: readonly ForkResult[]): ReadonlySet<string> {
    this.#hear(plan, forks.at(-1)!);
    const whole = forks.filter(({ failure }) => failure === undefined).length;
    if (this.#isFixed || !isLook(whole) || whole < plan.fewestForks)
      return new Set(plan.crews.map(({ name }) => name));
    const group = this.#recordOf(plan, forks);
    const table = this.groups.filter(
      ({ primitive, scenario, workers }) =>
        primitive === plan.primitive && scenario === plan.scenario && workers === plan.workers,
    );
    return this.#undecided([...table, group], plan.rows, plan.precision);
  }

  /** Adds a group that has been raced to its end. */
  finish({ plan, forks }: GroupResult): GroupRecord {
    const group = this.#recordOf(plan, forks);
    this.groups.push(group);
    return group;
  }

  #hear(plan: GroupPlan, result: ForkResult): void {
    const { fork, failure, crews } = result;
    if (failure === undefined) {
      const { primitive, scenario, workers } = plan;
      this.#raw?.append({ primitive, scenario, workers, fork, crews });
    }
    const runtimes = new Map(plan.crews.map((crew) => [crew.name, runtimeOf(crew)]));
    for (const crew of crews)
      if (crew.failure === undefined) this.states.hear(crew, runtimes.get(crew.name)!);
  }

  #recordOf(plan: GroupPlan, forks: readonly ForkResult[]): GroupRecord {
    const distances = this.states.distances();
    const planned = plan.crews.map((crew) => ({
      ...crew,
      fullSpeedNs: this.states.fullSpeed(runtimeOf(crew), crew.workers)?.toNs,
      distances: distances.length === 0 ? undefined : distances,
    }));
    const facts = {
      roles: rolesOf(plan),
      oversubscribed: plan.oversubscribed,
      columns: { ...plan.race.columns },
    };
    const references = plan.crews.flatMap((crew) => {
      const mode = this.states.fullSpeed(runtimeOf(crew), plan.workers);
      return mode === undefined ? [] : [[runtimeOf(crew), mode.ns] as const];
    });
    return groupRecord(
      plan,
      forks.map(({ crews, ...fork }) => ({ ...fork, crews: digestFork(crews, planned, facts) })),
      {
        sliceUs: plan.sliceUs,
        rounds: plan.rounds,
        looks: this.#isFixed ? 1 : LOOKS.length,
        placement: plan.placement,
        pinned: forks.every(({ pinned, failure }) => pinned || failure !== undefined),
        references: new Map(references),
        ...handoversIn(forks, distances),
      },
    );
  }
}

/** As records have it. */
export function roundedHandover(ns: number): number {
  return Number(ns.toPrecision(3));
}

/** How long a line took between near cores, and between far ones where it met them; nothing where it was not measured. */
function handoversIn(
  forks: readonly ForkResult[],
  [near, far]: readonly Mode[],
): Pick<GroupRecord, "handovers"> {
  const measured = forks.flatMap(({ crews }) => crews.flatMap(({ handoverNs = [] }) => handoverNs));
  if (near === undefined || measured.length === 0) return {};
  const isFar = far !== undefined && measured.some((ns) => far.fromNs <= ns && ns < far.toNs);
  return {
    handovers: { nearNs: roundedHandover(near.ns), ...(isFar ? { farNs: roundedHandover(far.ns) } : {}) },
  };
}
