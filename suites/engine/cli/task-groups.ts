import { labelOf } from "../capture/task.ts";
import { present } from "../words/present.ts";
import { groupOf, isNamed, type ListedFile } from "./list-files.ts";
import type { ProbedTask, RacesAsked } from "./plan-races.ts";

/** Tasks of one file that are alternatives, at one number of workers. */
export interface TaskGroup extends RacesAsked {
  /** URL of the bench file. */
  readonly file: string;
  /** Whether the file has a law that each of its tasks has to keep. */
  readonly hasLaw: boolean;
  /** How long an import of it takes, in ms. */
  readonly importMs: number;
  /** As their list has them: they have not been looked at. */
  readonly tasks: readonly ProbedTask[];
}

export interface Grouping {
  readonly baseline: string | undefined;
  /** Undefined for what the file says. */
  readonly workers: readonly number[] | undefined;
  readonly isTogether: boolean;
  readonly isCompiledAlike: boolean;
}

/** The groups of a file, in its order. */
export function taskGroups({ listed }: ListedFile, grouping: Grouping): TaskGroup[] {
  const { baseline, workers, isTogether, isCompiledAlike } = grouping;
  const { file, ending, tasks, workerCounts, importMs, hasLaw = false } = listed;
  const isShared = workerCounts !== undefined;
  const counts = isShared ? (workers ?? workerCounts) : [1];
  return [...Map.groupBy(tasks, groupOf)].flatMap(([title, own]) => {
    const named = baseline === undefined ? undefined : own.find((task) => isNamed(task, baseline));
    const grouped = own.map(({ groups, name, ordinal, isBaseline, refused, perOperation }): ProbedTask => {
      const key = { groups, name, ordinal };
      return {
        label: labelOf({ ...key, groups: [] }),
        address: {
          file,
          ending,
          key,
          ...(isShared ? { isShared } : {}),
          ...(isTogether ? { isTogether } : {}),
        },
        isBaseline,
        ...present({ refused, perOperation }),
      };
    });
    return counts.map((count) => ({
      file,
      importMs,
      hasLaw,
      title,
      workers: count,
      tasks: grouped,
      ...(named === undefined ? {} : { baseline: labelOf({ ...named, groups: [] }) }),
      ...(isCompiledAlike ? { isCompiledAlike } : {}),
    }));
  });
}
