import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The tests of the examples preload this into a server. The tests control its clock and timers; its sockets and
 * immediates are its own. What the test orders comes over the process's channel, and is answered when it is done.
 *
 *     { standMs }   the event loop stands still until the test removes a file, and so much time has passed then
 *     { passMs }    so much time passes, and every timer is on time
 */
export type TimeOrder = { readonly standMs: number; readonly folder: string } | { readonly passMs: number };

/** Exists in the folder of the order while the event loop stands still. */
const STANDING = "standing";

interface Held {
  readonly call: () => void;
  readonly everyMs: number;
  readonly repeats: boolean;
  atMs: number;
  ref(): Held;
  unref(): Held;
  refresh(): Held;
}

/** As fine as any timeout of the examples asks for. */
const STEP_MS = 500;
/** Between two looks whether it may go on. */
const LOOK_EVERY_MS = 2;

const held = new Set<Held>();
const realSetTimeout = globalThis.setTimeout;
const sleeping = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
let nowMs = 0;

performance.now = () => nowMs;
Object.assign(globalThis, {
  setTimeout: (callback: (...all: unknown[]) => void, delayMs = 1, ...all: unknown[]) =>
    hold(() => callback(...all), delayMs, false),
  setInterval: (callback: (...all: unknown[]) => void, everyMs = 1, ...all: unknown[]) =>
    hold(() => callback(...all), everyMs, true),
  clearTimeout: (timer: Held) => held.delete(timer),
  clearInterval: (timer: Held) => held.delete(timer),
});

function hold(call: () => void, everyMs: number, repeats: boolean): Held {
  const timer: Held = {
    call,
    everyMs,
    repeats,
    atMs: nowMs + Math.max(1, everyMs),
    ref: () => timer,
    unref: () => timer,
    refresh() {
      timer.atMs = nowMs + Math.max(1, everyMs);
      held.add(timer);
      return timer;
    },
  };
  held.add(timer);
  return timer;
}

/** Called by a timer of the runtime's: at the time at which the event loop runs timers. */
function runDue(): void {
  for (const timer of [...held].sort((one, other) => one.atMs - other.atMs)) {
    if (timer.atMs > nowMs || !held.has(timer)) continue;
    if (timer.repeats) timer.refresh();
    else held.delete(timer);
    timer.call();
  }
}

function passStep(leftMs: number): void {
  if (leftMs <= 0) {
    process.send!("passed");
    return;
  }
  nowMs += STEP_MS;
  runDue();
  // A turn or more of the event loop.
  realSetTimeout(() => passStep(leftMs - STEP_MS), 1);
}

process.on("message", (order: TimeOrder) => {
  if ("passMs" in order) {
    realSetTimeout(() => passStep(order.passMs), 1);
    return;
  }
  // Overdue when the loop goes on, so that it runs before the next poll where timers come first.
  realSetTimeout(() => {
    runDue();
    process.send!("passed");
  }, 1);
  const standing = join(order.folder, STANDING);
  writeFileSync(standing, "");
  while (existsSync(standing)) Atomics.wait(sleeping, 0, 0, LOOK_EVERY_MS);
  nowMs += order.standMs;
});
