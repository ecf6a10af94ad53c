import { copyFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packageRootOf } from "../../capture/package-root.ts";
import { LIMIT_MS, type Probe } from "../../capture/probe.ts";
import { withScratch } from "../../measure/machine/scratch.ts";
import { askFork } from "../../measure/run/process.ts";
import type { Isolation } from "../list-files.ts";
import type { ProbedTask } from "../plan-races.ts";
import type { ReportedRace } from "../report.ts";
import type { TaskGroup } from "../task-groups.ts";
import { UsageError } from "../usage.ts";
import { type CpuProfile, deoptsIn, flameText, framesIn } from "./flame.ts";

/** `--why TASK`: what a task spends its time on, beside the one that it was compared with. Nothing of this is timed. */

const PROBE = new URL("../../capture/probe.ts", import.meta.url).href;
/** Where the loops are that call tasks, as frames have it: beside the probe, also in a package. */
const OURS = new URL(".", PROBE).href;

/** Throws a UsageError, before anything races, where no group has such a task. */
export function refuseUnknown(task: string, groups: readonly TaskGroup[]): void {
  if (groups.some(({ tasks }) => tasks.some(({ label }) => label === task))) return;
  throw new UsageError(`--why ${task}: no task has that name; --list shows all`);
}

/** The task and the one beside it in its race; of a baseline the first of its rivals. None where it did not race. */
export function besideIn({ rows, baseline }: ReportedRace, task: string): string[] {
  if (!rows.some((row) => row.task === task)) return [];
  const other = task === baseline ? rows.find((row) => row.task !== task)?.task : baseline;
  return other === undefined ? [task] : [task, other];
}

/** A task runs for that long, in ns. */
const LEAST_NS = 1e9;

interface Explaining extends Omit<Isolation, "confinedTo"> {
  readonly seed: number;
  /** Where profiles are written. */
  readonly folder: string;
}

/** Profiles these tasks of a group, each in a process of its own. Returns their flames. */
export async function explained(
  group: TaskGroup,
  labels: readonly string[],
  explaining: Explaining,
): Promise<string> {
  const flames: string[] = [];
  for (const label of labels) {
    const task = group.tasks.find((one) => one.label === label)!;
    flames.push(await withScratch("why", (folder) => flameOf(group, task, folder, explaining)));
  }
  return flames.join("");
}

async function flameOf(
  { file }: TaskGroup,
  { label, address }: ProbedTask,
  profileTo: string,
  { seed, signal, folder }: Explaining,
): Promise<string> {
  const cwd = packageRootOf(fileURLToPath(file));
  const argument = { tasks: [address], seed, leastNs: LEAST_NS };
  const job = { kind: "call", module: PROBE, cwd } as const;
  const waiting = { estimateMs: LIMIT_MS, signal };
  const answer = await askFork({ ...job, argument: { ...argument, profileTo } }, waiting);
  const failure = answer.kind === "called" ? (answer.value as Probe[])[0]!.failure : "its process was lost";
  const [profile] = readdirSync(profileTo);
  if (profile === undefined || failure !== undefined) return `${label} has no profile: ${failure}\n\n`;
  const name = `why-${label.replaceAll(/[^\w.-]+/g, "-")}.cpuprofile`;
  const path = join(folder, name);
  copyFileSync(join(profileTo, profile), path);
  const frames = framesIn(JSON.parse(readFileSync(path, "utf8")) as CpuProfile, OURS, folder);
  // In another process, which is confined: what V8 prints besides goes nowhere.
  const trace = join(profileTo, "deopts");
  const flags = ["--trace-deopt", "--redirect-code-traces", `--redirect-code-traces-to=${trace}`];
  await askFork({ ...job, argument, flags, confinedTo: profileTo }, waiting);
  const deopts = existsSync(trace) ? deoptsIn(readFileSync(trace, "utf8"), frames) : [];
  return flameText(`${label}: ${name}`, frames, deopts);
}
