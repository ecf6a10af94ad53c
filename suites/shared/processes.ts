import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The first program on a PATH that has one of these names; of one folder, the first name. */
export function findProgram(
  names: readonly string[],
  path: string | undefined = process.env.PATH,
): string | undefined {
  const folders = (path ?? "").split(delimiter);
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Kills a process, whatever it is doing; resolves when it has ended and all that it had sent is heard. */
export async function killProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "close");
  child.kill("SIGKILL");
  await ended;
}
