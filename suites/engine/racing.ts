import { type DigestedFork, groupRecord, rolesOf } from "./judge/assemble.ts";
import { digestFork } from "./judge/digest.ts";
import { undecided } from "./judge/undecided.ts";
import { isLook, LOOKS } from "./judge/verdict.ts";
import { distanceOf, nearestNs } from "./measure/fork/handover.ts";
import { fastestTagNs } from "./measure/fork/tag.ts";
import { type GroupPlan, LAB_RUNTIME, runtimeOf } from "./measure/plan/plan.ts";
import type { CrewResult } from "./measure/plan/protocol.ts";
import type { ForkResult, GroupResult } from "./measure/run/watched.ts";
import type { GroupRecord, RoleRecord } from "./schema/record.ts";
import { median } from "./statistics.ts";
import { present } from "./words/present.ts";

/**
 * A reference that has become faster by more than this was that of another state: digests by it are made anew. Full speed
 * itself moves by 1 or 2 % in a quarter of an hour; the busy state is at least 20 % away.
 */
const SAME_REFERENCE = 0.95;
/** A line takes 48 to 55 ns between near cores, from process to process, and four times as long between far ones. */
const SAME_HANDOVER = 0.7;

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
  readonly #groups: GroupRecord[];
  readonly #raw: SliceKeeper | undefined;
  readonly #isFixed: boolean;
  readonly #undecided: typeof undecided;
  /** Least tag of the run so far, by runtime, and least handover, in ns. */
  #references: References = new Map();
  /** Of the group that is being raced, by fork, and the references that each was made by. */
  #digests: { readonly fork: DigestedFork; readonly references: References }[] = [];

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
    this.#groups = groups;
    this.#raw = raw;
    this.#isFixed = isFixed;
    this.#undecided = undecidedIn;
    for (const group of groups) this.#references = leastOf(this.#references, referencesOf(group));
  }

  /** Hears of the newest of a group's forks; returns the names of the crews that need another. */
  needed(plan: GroupPlan, forks: readonly ForkResult[]): ReadonlySet<string> {
    this.#hear(plan, forks.at(-1)!);
    const whole = forks.filter(({ failure }) => failure === undefined).length;
    if (this.#isFixed || !isLook(whole) || whole < plan.fewestForks)
      return new Set(plan.crews.map(({ name }) => name));
    const group = this.#recordOf(plan, forks);
    const table = this.#groups.filter(
      ({ primitive, scenario, workers }) =>
        primitive === plan.primitive && scenario === plan.scenario && workers === plan.workers,
    );
    return this.#undecided([...table, group], plan.rows, plan.precision);
  }

  /** Adds a group that has been raced to its end. */
  finish({ plan, forks }: GroupResult): GroupRecord {
    const group = this.#recordOf(plan, forks);
    this.#digests = [];
    this.#groups.push(group);
    this.#sortStatesAnew();
    return group;
  }

  #hear(plan: GroupPlan, result: ForkResult): void {
    const { fork, failure, crews } = result;
    if (failure === undefined) {
      const { primitive, scenario, workers } = plan;
      this.#raw?.append({ primitive, scenario, workers, fork, crews });
    }
    this.#references = leastOf(this.#references, fastestTags(plan, crews));
    this.#digests.push(this.#digest(plan, result));
  }

  #digest(plan: GroupPlan, { fork, failure, crews, threads, maxRssBytes }: ForkResult) {
    const facts = {
      roles: rolesOf(plan),
      oversubscribed: plan.oversubscribed,
      columns: { ...plan.race.columns },
    };
    const references = this.#references;
    const planned = plan.crews.map((crew) => ({
      ...crew,
      referenceNs: references.get(runtimeOf(crew)),
      nearNs: references.get(HANDOVER),
    }));
    return {
      fork: {
        fork,
        ...present({ failure }),
        crews: digestFork(crews, planned, facts),
        threads,
        maxRssBytes,
      },
      references,
    };
  }

  #recordOf(plan: GroupPlan, forks: readonly ForkResult[]): GroupRecord {
    this.#digests = this.#digests.map((digest) =>
      isOfState(digest.references, this.#references)
        ? digest
        : this.#digest(plan, forks.find(({ fork }) => fork === digest.fork.fork)!),
    );
    return groupRecord(
      plan,
      this.#digests.map(({ fork }) => fork),
      {
        sliceUs: plan.sliceUs,
        rounds: plan.rounds,
        looks: this.#isFixed ? 1 : LOOKS.length,
        placement: plan.placement,
        pinned: forks.every(({ pinned, failure }) => pinned || failure !== undefined),
        references: this.#references,
        ...handoversIn(forks, this.#references.get(HANDOVER)),
      },
    );
  }

  /** Groups that have ended took the best state that they met for the machine's: by now a better one may be known. */
  #sortStatesAnew(): void {
    for (const [index, group] of this.#groups.entries()) {
      const then = referencesOf(group);
      if (isOfState(then, this.#references)) continue;
      const nearNs = this.#references.get(HANDOVER);
      const isOfDistanceAlone = [...then].every(
        ([of]) => of === HANDOVER || isSame(of, then, this.#references),
      );
      this.#groups[index] =
        isOfDistanceAlone && nearNs !== undefined ? asFar(group, nearNs) : withoutStates(group);
    }
  }
}

/** A group that only has what all slices say: it was raced while the machine was never at full speed. */
export function withoutStates(group: GroupRecord): GroupRecord {
  return withRoles(group, ({ quiet: _, far: __, ...rest }) => rest);
}

/** A group whose cores were never near one another: what passed for near was far. */
function asFar(group: GroupRecord, nearNs: number): GroupRecord {
  const farNs = group.handovers!.nearNs;
  if (distanceOf(farNs, nearNs) !== "far") return withoutStates(group);
  const sorted = withRoles(group, ({ quiet, far: _, ...rest }) =>
    quiet === undefined ? rest : { ...rest, far: quiet },
  );
  return { ...sorted, handovers: { nearNs: rounded(nearNs), farNs } };
}

function withRoles(group: GroupRecord, changed: (role: RoleRecord) => RoleRecord): GroupRecord {
  const cells = group.cells.map((cell) => ({
    ...cell,
    roles: Object.fromEntries(Object.entries(cell.roles).map(([role, own]) => [role, changed(own)])),
  }));
  return { ...group, cells };
}

function rounded(ns: number): number {
  return Number(ns.toPrecision(3));
}

/** How long a line took between near cores, and between far ones; nothing where it was not measured. */
function handoversIn(
  forks: readonly ForkResult[],
  nearNs: number | undefined,
): Pick<GroupRecord, "handovers"> {
  const measured = forks.flatMap(({ crews }) => crews.flatMap(({ handoverNs = [] }) => handoverNs));
  if (nearNs === undefined || measured.length === 0) return {};
  const far = measured.filter((ns) => distanceOf(ns, nearNs) === "far");
  return {
    handovers: { nearNs: rounded(nearNs), ...(far.length === 0 ? {} : { farNs: rounded(median(far)) }) },
  };
}

/**
 * What a tag is at full speed, by runtime, in ns, as each compiles it to code of its own. Under HANDOVER, which is no
 * runtime's name, what a handover is between near cores.
 */
type References = ReadonlyMap<string, number>;
const HANDOVER = "~handover";

function isOfState(then: References, least: References): boolean {
  return [...then.keys()].every((of) => isSame(of, then, least));
}

function isSame(of: string, then: References, least: References): boolean {
  return least.get(of)! >= (of === HANDOVER ? SAME_HANDOVER : SAME_REFERENCE) * then.get(of)!;
}

function leastOf(known: References, seen: References): References {
  const least = new Map(known);
  for (const [runtime, ns] of seen) least.set(runtime, Math.min(ns, least.get(runtime) ?? ns));
  return least;
}

/** The fastest tags of a fork, by runtime. */
function fastestTags(plan: GroupPlan, crews: readonly CrewResult[]): References {
  const runtimes = new Map(plan.crews.map((crew) => [crew.name, runtimeOf(crew)]));
  const byRuntime = Map.groupBy(crews, ({ name }) => runtimes.get(name)!);
  const tags = [...byRuntime].map(([runtime, own]) => [runtime, fastestTagNs(own)] as const);
  return definedOnly([...tags, [HANDOVER, nearestNs(crews)]]);
}

/** The fastest tags that a group was judged by. */
function referencesOf({ referenceNs, runtimes, handovers }: GroupRecord): References {
  const tags = runtimes?.map((own) => [own.name, own.referenceNs] as const) ?? [[LAB_RUNTIME, referenceNs]];
  return definedOnly([...tags, [HANDOVER, handovers?.nearNs]]);
}

function definedOnly(entries: readonly (readonly [string, number | undefined])[]): References {
  return new Map(entries.flatMap(([runtime, ns]) => (ns === undefined ? [] : [[runtime, ns] as const])));
}
