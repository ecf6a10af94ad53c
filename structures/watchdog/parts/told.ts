import { writeSync } from "node:fs";
import type { Hang } from "../watchdog.instance.ts";

/** What is written of a hang where the program does not say what to do, in as many lines as the stack has and one. */
export function told({ loop, threadId, silentMs, since, stack, stackless }: Hang): string {
  const thread = threadId === 0 ? "the main thread" : `worker ${threadId}`;
  const head = `event loop ${loop}, of ${thread}, has hung since ${since.toISOString()}, for ${Math.round(silentMs)} ms`;
  return `${head}\n${stack ?? `    no stack: ${stackless}`}\n`;
}

/** To standard error, past the main thread: `console` of a worker would wait for it, and it may be what hangs. */
export function tell(hang: Hang): void {
  writeSync(2, told(hang));
}
