import { fileURLToPath } from "node:url";
import { packageRootOf } from "../capture/package-root.ts";
import { isTooLong, LIMIT_MS, type Probe } from "../capture/probe.ts";
import { askFork } from "../measure/run/process.ts";
import type { Isolation } from "./list-files.ts";
import type { ProbedTask } from "./plan-races.ts";
import type { TaskGroup } from "./task-groups.ts";

const PROBE = new URL("../capture/probe.ts", import.meta.url).href;

interface Probing extends Isolation {
  readonly seed: number;
  /** See `ProbeRequest`. */
  readonly longestNs?: number | undefined;
}

/**
 * The group with a look at each task that nothing speaks against, taken in a process of its own. Where that is lost, each
 * task gets one of its own: only the task that ends its process has failed. After a task that there is no time to race, the others
 * are taken to be like it.
 */
export async function probed(group: TaskGroup, probing: Probing): Promise<TaskGroup> {
  const open = group.tasks.filter(({ refused }) => refused === undefined);
  if (open.length === 0) return group;
  const together = await probesOf(group, open, probing);
  const probes: Probe[] = "failure" in together ? [] : [...together];
  if ("failure" in together)
    for (const task of open) {
      const alone =
        open.length === 1 || probing.signal.aborted ? together : await probesOf(group, [task], probing);
      const probe = "failure" in alone ? alone : alone[0]!;
      probes.push(probe);
      if (isTooLong(probe, probing.longestNs)) break;
    }
  const last = probes.at(-1)!;
  const probeOf = new Map(open.map((task, place) => [task, probes[place] ?? last]));
  return {
    ...group,
    tasks: group.tasks.map((task) => ({
      ...task,
      ...(probeOf.has(task) ? { probe: probeOf.get(task)! } : {}),
    })),
  };
}

/** What a process found that looked at these tasks, one after the other; why it found nothing. */
async function probesOf(
  group: TaskGroup,
  tasks: readonly ProbedTask[],
  { seed, longestNs, confinedTo, signal }: Probing,
): Promise<readonly Probe[] | { readonly failure: string }> {
  const argument = { tasks: tasks.map(({ address }) => address), seed, longestNs };
  const cwd = packageRootOf(fileURLToPath(group.file));
  const waiting = { estimateMs: LIMIT_MS * tasks.length, signal };
  const answer = await askFork({ kind: "call", module: PROBE, argument, cwd, confinedTo }, waiting);
  if (answer.kind === "called") return answer.value as Probe[];
  return { failure: answer.kind === "lost" ? answer.failure.reason : "its process ended without a word" };
}
