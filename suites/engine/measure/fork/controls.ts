import type { Runner, WorkDone, WorkerIdentity } from "../../race.ts";
import { allocateRegion, type Region, STRIDE_WORDS } from "../../words/layout.ts";

/**
 * The engine's own bodies, raced in every group beside the competitors.
 *
 * The control is an Atomics.add on a line of the worker's own, so it cannot contend. If it costs more with company than
 * alone while there are cores enough, the machine was disturbed. The empty body is the loop and nothing else: what the
 * instrument itself adds to every operation.
 */
export function controlMemory(workers: number): Region {
  return allocateRegion(workers * STRIDE_WORDS);
}

export function controlRunner(memory: Region, worker: WorkerIdentity): Runner {
  const counter = worker.index * STRIDE_WORDS;
  return {
    run(operations) {
      let sum = 0;
      for (let done = 0; done < operations; done++) sum = (sum + Atomics.add(memory, counter, 1)) | 0;
      return sum;
    },
  };
}

export function controlLaw(memory: Region, work: readonly WorkDone[]): string | undefined {
  const wrong = work.findIndex(
    ({ operations }, worker) => memory[worker * STRIDE_WORDS] !== (operations | 0),
  );
  return wrong === -1
    ? undefined
    : `the control's counter of worker ${wrong} is not its number of operations`;
}

export function emptyRunner(): Runner {
  return {
    run(operations) {
      let sum = 0;
      for (let done = 0; done < operations; done++) sum = (sum + done) | 0;
      return sum;
    },
  };
}
