import { pathToFileURL } from "node:url";
import type { CallMessage, Ended } from "./command.trials.ts";

/** Calls scripts for command.trials.ts, one after the other: each is run anew, and what it imports is there already. */
process.on("message", async ({ script, args, count }: CallMessage) => {
  process.argv = [process.execPath, script, ...args];
  process.exitCode = undefined;
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    process[name].write = (text: string | Uint8Array) => {
      said[name] += text;
      return true;
    };
  }
  try {
    await import(`${pathToFileURL(script)}?${count}`);
  } catch (error) {
    process.exitCode = 1;
    said.stderr += (error as Error).stack;
  }
  process.send!({ status: Number(process.exitCode ?? 0), ...said } satisfies Ended);
});

// Each call listens for their errors.
for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0);
