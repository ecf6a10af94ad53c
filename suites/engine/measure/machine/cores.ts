import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";

/**
 * Threads on cores of their own. Unpinned, two workers that wake together may share a core until the scheduler moves
 * one of them, milliseconds later, and such a slice is lost. Which core's neighbours are busy would also be drawn anew
 * for each slice. Linux has no call for it that Node offers, so util-linux' `taskset` is asked. Where it is absent
 * nothing is pinned, and the record says so.
 */
export interface Pinning {
  /** A kernel's thread number and the core that it is to run on. */
  readonly thread: number;
  readonly core: number;
}

/** Resolves with the threads that could not be pinned. */
export async function pinThreads(pinnings: readonly Pinning[]): Promise<ReadonlySet<number>> {
  const threads = new Set(pinnings.map(({ thread }) => thread));
  if (process.platform !== "linux") return threads;
  // One shell for all: starting a process for each from here would take ten times as long.
  const script = pinnings.map(
    ({ thread, core }) => `taskset -pc ${core} ${thread} >/dev/null 2>&1 || echo ${thread}`,
  );
  try {
    const { stdout } = await promisify(execFile)("/bin/sh", ["-c", script.join("\n")]);
    return new Set(numbersIn(stdout));
  } catch {
    return threads;
  }
}

/**
 * The cores that this process may use. Cores that share nothing with an earlier one come first: workers of a crew are
 * given cores in this order. Empty where the kernel does not report them.
 */
export function usableCoreNumbers(): readonly number[] {
  try {
    const status = readFileSync("/proc/self/status", "utf8");
    const allowed = numbersIn(/^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1] ?? "");
    const place = (core: number) => siblingsOf(core).indexOf(core);
    return allowed.toSorted((a, b) => place(a) - place(b) || a - b);
  } catch {
    return [];
  }
}

/** The hardware threads of a core's physical core, itself among them. */
function siblingsOf(core: number): number[] {
  const file = `/sys/devices/system/cpu/cpu${core}/topology/thread_siblings_list`;
  try {
    return numbersIn(readFileSync(file, "utf8").trim());
  } catch {
    return [core];
  }
}

/** The numbers in a kernel's list: `0-3,8`. */
export function numbersIn(list: string): number[] {
  return [...list.matchAll(/(\d+)(?:-(\d+))?/g)].flatMap(([, from, to = from]) => {
    const [first, last] = [Number(from), Number(to)];
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

/** Workers that can really run at once: the cores this process may use, less what a container's quota takes away. */
export function usableCores(): number {
  return Math.max(
    1,
    Math.min(availableParallelism(), Math.floor(cpuQuotaCores() ?? Number.POSITIVE_INFINITY)),
  );
}

/** cgroup v2's cpu.max, or v1's quota and period, in cores. */
export function cpuQuotaCores(): number | null {
  const [v2Quota, v2Period] = textOf("/sys/fs/cgroup/cpu.max")?.split(/\s+/).map(Number) ?? [];
  const quota = v2Quota ?? Number(textOf("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") ?? Number.NaN);
  const period = v2Period ?? Number(textOf("/sys/fs/cgroup/cpu/cpu.cfs_period_us") ?? Number.NaN);
  return quota > 0 && period > 0 ? quota / period : null;
}

/** What the kernel says there; undefined where there is no such file. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
