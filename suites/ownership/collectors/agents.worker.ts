import { setTimeout as wait } from "node:timers/promises";
import { openReporting } from "./nats.ts";
import type { AgentsFailure, AgentsSetup } from "./orders.ts";
import { messagesOf } from "./reports.ts";
import type { Reporting } from "./transport.ts";
import { readWords } from "./workload.ts";

/** All agents, in one process: to each collector they report step after step, and again until it has taken that. */

/** Messages that a collector has not yet taken, at most. */
const MOST_IN_FLIGHT = 4;
const AGAIN_AFTER_MS = 50;

async function reportTo(node: number, file: string, steps: number, reporting: Reporting): Promise<void> {
  const inFlight = new Set<Promise<void>>();
  for (const message of messagesOf(readWords(file), steps)) {
    if (inFlight.size === MOST_IN_FLIGHT) await Promise.race(inFlight);
    const taken = untilTaken(node, message, reporting).then(() => void inFlight.delete(taken));
    inFlight.add(taken);
  }
  await Promise.all(inFlight);
}

async function untilTaken(node: number, message: Uint8Array, reporting: Reporting): Promise<void> {
  for (;;) {
    try {
      return await reporting.report(node, message);
    } catch {
      // The broker or the collector is away, or the message came before another.
      await wait(AGAIN_AFTER_MS);
    }
  }
}

async function begin({ way, files, steps }: AgentsSetup): Promise<void> {
  const reporting = await openReporting(way);
  await Promise.all(files.map((file, node) => reportTo(node, file, steps, reporting)));
  await reporting.close();
}

process.on("message", (setup: AgentsSetup) => {
  begin(setup).catch(({ message }: Error) =>
    process.send!({ reason: message } satisfies AgentsFailure, () => {}),
  );
});
// Ctrl-C reaches the whole process group; the run decides what happens to them.
process.on("SIGINT", () => {});
// Without their run they have no one to report to.
process.once("disconnect", () => process.exit(1));
