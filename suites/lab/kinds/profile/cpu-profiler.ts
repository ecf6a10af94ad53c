import type { CPUProfileHandle } from "node:v8";
import type { Worker } from "node:worker_threads";

/** As runtimes have it: of Node 22 it takes a name, which later ones refuse; some have none. */
interface Profilable {
  startCpuProfile?(name?: string): Promise<CPUProfileHandle>;
}

/** Starts the profiler of a worker thread. Rejects where the runtime has none. */
export async function startCpuProfile(worker: Worker): Promise<CPUProfileHandle> {
  const profilable: Profilable = worker;
  if (profilable.startCpuProfile === undefined) {
    throw new Error("this runtime cannot profile a worker thread: use Node 24.8 or later");
  }
  try {
    return await profilable.startCpuProfile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_INVALID_ARG_TYPE") throw error;
    return await profilable.startCpuProfile("worker");
  }
}
