import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { LANGUAGE_FLAGS } from "../flags.ts";

/** Starts a fresh process that measures: a module that takes one message from its channel and answers on it. */
export function startProcess(module: URL, flags: readonly string[] = []): ChildProcess {
  return fork(fileURLToPath(module), {
    execArgv: [...LANGUAGE_FLAGS, ...flags],
    // Whatever a competitor prints goes to our stderr: stdout belongs to records and tables.
    stdio: ["ignore", 2, 2, "ipc"],
    env: {
      ...process.env,
      // Stripping types and compiling the same dozen modules in each of up to 60 workers costs more than measuring.
      NODE_COMPILE_CACHE: fileURLToPath(new URL("../../../node_modules/.cache/hotpath-lab", import.meta.url)),
    },
  });
}
