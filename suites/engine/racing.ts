import { type DigestedFork, groupRecord, rolesOf } from "./judge/assemble.ts";
import { digestFork } from "./judge/digest.ts";
import { undecided } from "./judge/undecided.ts";
import { isLook, LOOKS } from "./judge/verdict.ts";
import type { GroupPlan } from "./measure/plan.ts";
import type { ForkResult, GroupResult } from "./measure/run.ts";
import { fastestTagNs } from "./measure/tag.ts";
import type { GroupRecord } from "./schema/record.ts";
import type { RawSlices } from "./store/raw.ts";

/**
 * A reference that has become faster by more than this was that of another state: digests by it are made anew. Full speed
 * itself moves by 1 or 2 % in a quarter of an hour; the busy state is at least 20 % away.
 */
const SAME_REFERENCE = 0.95;

/**
 * What becomes of the forks of a run as they end: their slices go to a file, their digests into the record, and from
 * those follows which rows need more forks.
 */
export class Racing {
  readonly #groups: GroupRecord[];
  readonly #raw: RawSlices | undefined;
  readonly #isFixed: boolean;
  /** Least tag of the run so far, in ns; undefined before the first fork with tags. */
  #referenceNs: number | undefined;
  /** Of the group that is being raced, by fork, and the reference that each was made by. */
  #digests: { readonly fork: DigestedFork; readonly referenceNs: number | undefined }[] = [];

  /** `groups` are those raced before, which it adds to. `isFixed`: how many forks there are does not depend on verdicts. */
  constructor(groups: GroupRecord[], raw: RawSlices | undefined, isFixed: boolean) {
    this.#groups = groups;
    this.#raw = raw;
    this.#isFixed = isFixed;
    this.#referenceNs = leastOf(groups.map(({ referenceNs }) => referenceNs));
  }

  /** Hears of the newest of a group's forks; returns the names of the crews that need another. */
  needed(plan: GroupPlan, forks: readonly ForkResult[]): ReadonlySet<string> {
    this.#hear(plan, forks.at(-1)!);
    const whole = forks.filter(({ failure }) => failure === undefined).length;
    if (this.#isFixed || !isLook(whole)) return new Set(plan.crews.map(({ name }) => name));
    const group = this.#recordOf(plan, forks);
    const table = this.#groups.filter(
      ({ primitive, scenario, workers }) =>
        primitive === plan.primitive && scenario === plan.scenario && workers === plan.workers,
    );
    return undecided([...table, group], plan.rows, plan.precision);
  }

  /** Adds a group that has been raced to its end. */
  finish({ plan, forks }: GroupResult): GroupRecord {
    const group = this.#recordOf(plan, forks);
    this.#digests = [];
    this.#groups.push(group);
    this.#dropFalseQuiet();
    return group;
  }

  #hear(plan: GroupPlan, result: ForkResult): void {
    const { fork, failure, crews } = result;
    if (failure === undefined) {
      const { primitive, scenario, workers } = plan;
      this.#raw?.append({ primitive, scenario, workers, fork, crews });
    }
    this.#referenceNs = leastOf([this.#referenceNs, fastestTagNs(crews)]);
    this.#digests.push(this.#digest(plan, result));
  }

  #digest(plan: GroupPlan, { fork, failure, crews, threads, maxRssBytes }: ForkResult) {
    const facts = {
      roles: rolesOf(plan),
      oversubscribed: plan.oversubscribed,
      columns: { ...plan.race.columns },
    };
    return {
      fork: {
        fork,
        ...(failure === undefined ? {} : { failure }),
        crews: digestFork(crews, plan.crews, facts, this.#referenceNs),
        threads,
        maxRssBytes,
      },
      referenceNs: this.#referenceNs,
    };
  }

  #recordOf(plan: GroupPlan, forks: readonly ForkResult[]): GroupRecord {
    this.#digests = this.#digests.map((digest) =>
      isOfState(digest.referenceNs, this.#referenceNs)
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
        referenceNs: this.#referenceNs,
      },
    );
  }

  /** A group that was raced while the machine was never at full speed took the busy state for the quiet one. */
  #dropFalseQuiet(): void {
    for (const [index, group] of this.#groups.entries()) {
      if (isOfState(group.referenceNs, this.#referenceNs)) continue;
      const cells = group.cells.map((cell) => ({
        ...cell,
        roles: Object.fromEntries(
          Object.entries(cell.roles).map(([role, { quiet: _, ...rest }]) => [role, rest]),
        ),
      }));
      this.#groups[index] = { ...group, cells };
    }
  }
}

function isOfState(referenceNs: number | undefined, leastNs: number | undefined): boolean {
  return referenceNs === undefined || leastNs === undefined || leastNs >= SAME_REFERENCE * referenceNs;
}

function leastOf(tags: readonly (number | undefined)[]): number | undefined {
  const known = tags.filter((tag) => tag !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
