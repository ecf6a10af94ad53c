import { once } from "node:events";
import type { Worker } from "node:worker_threads";

/** What a thread says next; rejects where it ends without. */
export async function saidBy<Said>(thread: Worker): Promise<Said> {
  const ended = once(thread, "exit").then(() => {
    throw new Error("a thread ended before its messages did");
  });
  ended.catch(() => {});
  const [said] = (await Promise.race([once(thread, "message"), ended])) as [Said];
  return said;
}

/** Processor time of this thread, in us. */
export function threadCpuUs(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

/** Processor time of all threads of the process, in us. */
export function processCpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/**
 * Does what is due at a rate, `count` times in all: the event loop is woken each millisecond, and then does all that is due by
 * then, as a server does what has come meanwhile.
 */
export async function atRate(perSecond: number, count: number, act: (number: number) => void): Promise<void> {
  const begunMs = performance.now();
  for (let done = 0; done < count; ) {
    const due = Math.min(count, Math.floor(((performance.now() - begunMs) * perSecond) / 1000));
    for (; done < due; done++) act(done);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
