import { readFileSync } from "node:fs";

/** Threads that a process has now, and the most memory that it had; 0 for what the kernel does not tell. */
export function statusOf(pid: number | "self"): { readonly threads: number; readonly maxRssBytes: number } {
  let status = "";
  try {
    status = readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    // Not Linux, or the process is gone.
  }
  return {
    threads: Number(/^Threads:\s+(\d+)/m.exec(status)?.[1] ?? 0),
    maxRssBytes: 1024 * Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0),
  };
}
