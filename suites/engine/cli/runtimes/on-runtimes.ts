import { confinedTo } from "../../measure/machine/confinement.ts";
import { LANGUAGE_FLAGS } from "../../measure/machine/flags.ts";
import { REMOTE_CREWS } from "../../measure/remote/orders.ts";
import { MAY_USE_PIPES } from "../../measure/remote/pipe.ts";
import { compileCache } from "../../measure/run/process.ts";
import type { ProbedTask } from "../plan-races.ts";
import type { TaskGroup } from "../task-groups.ts";
import type { AskedRuntime } from "./asked-runtimes.ts";

/** Each task of a group as a group of its own, of the task on each runtime; the group itself for none. */
export function onRuntimes(
  group: TaskGroup,
  runtimes: readonly AskedRuntime[],
  confined: string | undefined,
): TaskGroup[] {
  if (runtimes.length === 0) return [group];
  const cache = compileCache();
  const folders = [confined, cache].filter((folder) => folder !== undefined);
  return group.tasks.map((task) => ({
    ...group,
    title: [group.title, task.label].filter(Boolean).join(" / "),
    tasks: runtimes.map(({ label, file, flags, known }): ProbedTask => {
      const args = [
        ...LANGUAGE_FLAGS,
        ...flags,
        ...(confined === undefined ? [] : [...confinedTo(folders, known), ...MAY_USE_PIPES]),
      ];
      const remote = { name: label, runtime: label, start: { file, args }, module: REMOTE_CREWS };
      return { ...task, label, isBaseline: false, remote };
    }),
  }));
}
