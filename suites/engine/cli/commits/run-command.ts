import { spawn } from "node:child_process";
import { once } from "node:events";
import { UsageError } from "../usage.ts";

/** What a program printed is shown from here on, in characters, where it failed. */
const SHOWN = 4_000;

/** A group of processes can be ended together where the system has such. */
const HAS_GROUPS = process.platform !== "win32";

/**
 * Runs a command of the user's shell in a folder, silently. Throws a UsageError where it fails, with the end of what it
 * printed as its `cause`. When `signal` aborts, or this process ends, it and all that it has started are ended, and it has
 * failed.
 */
export async function runCommand(command: string, folder: string, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const child = spawn(command, {
    cwd: folder,
    shell: true,
    detached: HAS_GROUPS,
    stdio: ["ignore", "pipe", "pipe"],
    // Packages that set up a repository's hooks as they are installed would do so for the user's own.
    env: { ...process.env, HUSKY: "0", LEFTHOOK: "0" },
  });
  let printed = "";
  const hear = (text: string) => {
    printed = (printed + text).slice(-SHOWN);
  };
  child.stdout.setEncoding("utf8").on("data", hear);
  child.stderr.setEncoding("utf8").on("data", hear);
  const end = () => {
    try {
      if (HAS_GROUPS) process.kill(-child.pid!);
      else child.kill();
    } catch (error) {
      // It has ended already, and this process has not heard of it yet.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  };
  // Before the folder goes that it writes into.
  process.prependOnceListener("exit", end);
  signal?.addEventListener("abort", end);
  try {
    const [code, killedBy] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
    if (code === 0) return;
    throw new UsageError(`${command} failed in ${folder} (${killedBy ?? `exit ${code}`})`, {
      cause: printed,
    });
  } finally {
    process.off("exit", end);
    signal?.removeEventListener("abort", end);
  }
}
