import { spawn } from "node:child_process";
import { once } from "node:events";

/** What a program printed is shown from here on, in characters, where it failed. */
const SHOWN = 4_000;

/**
 * Runs a command of the user's shell in a folder, silently. Throws an Error with one line where it fails, with the end of what it
 * printed as its `cause`. Ends it when `signal` aborts, and then rejects too.
 */
export async function runCommand(command: string, folder: string, signal?: AbortSignal): Promise<void> {
  const child = spawn(command, {
    cwd: folder,
    shell: true,
    stdio: ["ignore", "pipe", "pipe"],
    // Packages that set up a repository's hooks as they are installed would do so for the user's own.
    env: { ...process.env, HUSKY: "0", LEFTHOOK: "0" },
    ...(signal === undefined ? {} : { signal }),
  });
  let printed = "";
  const hear = (text: string) => {
    printed = (printed + text).slice(-SHOWN);
  };
  child.stdout.setEncoding("utf8").on("data", hear);
  child.stderr.setEncoding("utf8").on("data", hear);
  const end = () => child.kill();
  process.once("exit", end);
  try {
    const [code, killedBy] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
    if (code === 0) return;
    throw new Error(`${command} failed in ${folder} (${killedBy ?? `exit ${code}`})`, { cause: printed });
  } finally {
    process.off("exit", end);
  }
}
