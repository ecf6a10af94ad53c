import { setImmediate } from "node:timers/promises";
import { Crew } from "../fork/crew.ts";
import { contextOf } from "../fork/crew-context.ts";
import { EVENT_LOOP_EVERY_MS, endWithParent } from "../machine/patience.ts";
import { InstrumentBroken, ProcessSpoilt, thrown } from "../plan/failures.ts";
import type { RaceJob } from "../plan/protocol.ts";
import type { RemoteAnswer, RemoteFault, RemoteOrder } from "./orders.ts";
import { inheritedEnd, readFrame, writeFrame } from "./pipe.ts";

/**
 * A remote process: a process of some runtime that has the crews of a fork which are to run there. remote-crew.ts starts it
 * with a pipe in either direction. It takes the part of a job that concerns its crews, and then carries out order after
 * order.
 *
 * Between two slices its main thread sleeps in a read, as the fork's sleeps at the gate of a crew of its own. No turn
 * of an event loop lies between an order and its slice.
 */
// While a competitor's code does not return, the main thread does not see that orders have ended.
endWithParent();
const orders = inheritedEnd(3, "r");
const answers = inheritedEnd(4, "w");

// Ctrl-C reaches the whole process group; the fork decides what happens to it.
process.on("SIGINT", () => {});
for (const event of ["uncaughtException", "unhandledRejection"]) process.on(event, reportFault);
// What a competitor prints without a reader is no reason to lose a process.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

const job = readFrame(orders) as RaceJob | undefined;
if (job !== undefined) await serve(job).catch(reportFault);
end();

/** Until no more orders can come. */
async function serve(job: RaceJob): Promise<void> {
  const context = await contextOf(job);
  const crews = job.group.crews.map((plan) => new Crew(plan, context));
  // All at once, because most of it is waiting for threads to start; nothing is measured yet.
  await Promise.all(crews.map((crew) => crew.start()));
  let turnedMs = performance.now();
  for (let order = nextOrder(); order !== undefined; order = nextOrder()) {
    const crew = crews[order.crew]!;
    const said = await carryOut(crew, order);
    const { failure } = crew;
    writeFrame(answers, { ...said, ...(failure === undefined ? {} : { failure }) } satisfies RemoteAnswer);
    if (performance.now() - turnedMs < EVENT_LOOP_EVERY_MS) continue;
    await setImmediate();
    turnedMs = performance.now();
  }
}

/** An exception outside of any call. */
function reportFault(error: unknown): void {
  const fault: RemoteFault =
    error instanceof InstrumentBroken
      ? { fault: error.message, isInstruments: true }
      : { fault: error instanceof ProcessSpoilt ? error.message : `${thrown(error)}, outside of any call` };
  try {
    writeFrame(answers, fault);
  } finally {
    end();
  }
}

/** At once: its threads sleep at their gates, and some runtimes would wait for them before they exit. */
function end(): void {
  process.kill(process.pid, "SIGKILL");
}

function nextOrder(): RemoteOrder | undefined {
  return readFrame(orders) as RemoteOrder | undefined;
}

async function carryOut(crew: Crew, order: RemoteOrder): Promise<RemoteAnswer> {
  switch (order.kind) {
    case "start":
      return { kernelThreads: crew.kernelThreads.map((thread) => thread ?? null) };
    case "attach":
      await crew.attach();
      return {};
    case "warm-up":
      await crew.warmUp();
      return {};
    case "measure": {
      const before = crew.slices;
      await crew.measure(order.round, order.order);
      return { tagNs: crew.slices === before ? [] : crew.workers.map(({ tagNs }) => tagNs.at(-1)!) };
    }
    case "result":
      return { result: await crew.result() };
  }
}
