import { type TaskAddress, urlOf } from "../capture/address.ts";
import { labelOf } from "../capture/task.ts";
import { groupOf, isNamed, type ListedFile } from "./list-files.ts";
import type { TaskRace } from "./race-tasks.ts";

/** Tasks of one file that are alternatives, at one number of workers. */
export interface TaskGroup {
  readonly title: string;
  readonly workers: number;
  readonly tasks: readonly GroupedTask[];
  /** Label of the task to compare with, where it was asked for and is here. */
  readonly baseline?: string;
}

export interface GroupedTask {
  /** Its name; with a number where the group has it twice. */
  readonly label: string;
  readonly address: TaskAddress;
  /** Whether its file names it as the one to compare with. */
  readonly isBaseline: boolean;
  /** Why it cannot be raced, as its list says it. */
  readonly refused?: string;
}

export interface Grouping {
  readonly baseline: string | undefined;
  /** Undefined for what the file says. */
  readonly workers: readonly number[] | undefined;
  readonly isTogether: boolean;
}

/** The groups of a file, in its order. */
export function taskGroups({ listed }: ListedFile, { baseline, workers, isTogether }: Grouping): TaskGroup[] {
  const { file, ending, tasks, workerCounts } = listed;
  const isShared = workerCounts !== undefined;
  const counts = isShared ? (workers ?? workerCounts) : [1];
  return [...Map.groupBy(tasks, groupOf)].flatMap(([title, own]) => {
    const named = baseline === undefined ? undefined : own.find((task) => isNamed(task, baseline));
    const grouped = own.map(({ groups, name, ordinal, isBaseline, refused }): GroupedTask => {
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
        ...(refused === undefined ? {} : { refused }),
      };
    });
    return counts.map((count) => ({
      title,
      workers: count,
      tasks: grouped,
      ...(named === undefined ? {} : { baseline: labelOf({ ...named, groups: [] }) }),
    }));
  });
}

/** The race of a group; undefined where no task is left to race. */
export function raceOf({ title, workers, tasks, baseline }: TaskGroup): TaskRace | undefined {
  const racing = tasks.filter(({ refused }) => refused === undefined);
  if (racing.length === 0) return undefined;
  const asked = racing.findIndex(({ label }) => label === baseline);
  const own = racing.findIndex(({ isBaseline }) => isBaseline);
  return {
    title,
    contestants: racing.map(({ label, address }) => ({ label, url: urlOf(address) })),
    baseline: Math.max(0, asked === -1 ? own : asked),
    workers,
  };
}
