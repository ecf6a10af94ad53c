import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

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
