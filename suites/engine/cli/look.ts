import { fileURLToPath } from "node:url";
import { packageRootOf } from "../capture/package-root.ts";
import type { Probe } from "../capture/probe.ts";
import { askFork } from "../measure/run/process.ts";
import type { Isolation } from "./list-files.ts";
import type { TaskGroup } from "./task-groups.ts";

const PROBE = new URL("../capture/probe.ts", import.meta.url).href;
/** More than a look at one task is planned to take, in ms. */
const LOOK_MS = 10_000;

/** The group with a look at each task that nothing speaks against, taken in a process of its own. */
export async function lookedAt(
  group: TaskGroup,
  { seed, confinedTo, signal }: Isolation & { readonly seed: number },
): Promise<TaskGroup> {
  const open = group.tasks.filter(({ refused }) => refused === undefined);
  if (open.length === 0) return group;
  const argument = { tasks: open.map(({ address }) => address), seed };
  const cwd = packageRootOf(fileURLToPath(group.file));
  const waiting = { estimateMs: LOOK_MS * open.length, signal };
  const answer = await askFork({ kind: "call", module: PROBE, argument, cwd, confinedTo }, waiting);
  const probes = answer.kind === "called" ? (answer.value as Probe[]) : [];
  const failure = answer.kind === "lost" ? answer.failure.reason : "its process ended without a word";
  const probeOf = new Map(open.map((task, place) => [task, probes[place] ?? { failure }]));
  return {
    ...group,
    tasks: group.tasks.map((task) => ({
      ...task,
      ...(probeOf.has(task) ? { probe: probeOf.get(task)! } : {}),
    })),
  };
}
