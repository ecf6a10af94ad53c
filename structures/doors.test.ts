import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import jump from "./affinity/competitors/jump.ts";
import placement from "./affinity/competitors/maglev.ts";
import { callsIn, itRefusesAsWritten } from "./interleave/calls.trials.ts";
import futex from "./locks/competitors/futex-three-state.ts";
import ownership from "./ownership/competitors/sorted-arrays.ts";
import fixedPicker from "./pick/competitors/rotating-round-robin.ts";
import picks from "./pick/competitors/two-choices.ts";
import ring from "./queues/competitors/spsc-ring.ts";
import slots from "./slots/competitors/shared-ticket.ts";
import wheel from "./timers/competitors/hashed-wheel.ts";
import crewWheel from "./timers/competitors/locked-hashed-wheel.ts";

/** What the doors of the package say to missing and wrong arguments: the functions and classes that its modules export. */
const CALLS = new URL("./testdata/doors.txt", import.meta.url);

const HERE = fileURLToPath(new URL(".", import.meta.url));
const modules = [...globSync("*/*.exports.ts", { cwd: HERE }), "index.ts"].sort();
const doors: Record<string, (...given: never[]) => unknown> = {};
for (const module of modules)
  for (const [name, exported] of Object.entries(await import(new URL(module, import.meta.url).href)))
    if (typeof exported === "function") doors[name] = exported as never;

/** Doors that take nothing, or any number. */
const TAKE_ANYTHING = ["attributed", "eventLoop", "inferred", "isInferred", "runtimeLoop"];
/** Earlier names of the same. */
const DEPRECATED = ["attachTo", "makeInstance"];

it("doors of the package are all asked", () => {
  const asked = callsIn(CALLS).map((call) => /^(?:new )?(\w+)/.exec(call)![1]!);
  assert.deepEqual([...new Set(asked), ...TAKE_ANYTHING, ...DEPRECATED].sort(), Object.keys(doors).sort());
});

itRefusesAsWritten("doors of the package refuse missing and wrong arguments in a line each", CALLS, () => {
  const made = (door: string, ...given: unknown[]) => doors[door]!(...(given as never[]));
  const lock = made("makeLock", futex, 2);
  return {
    ...doors,
    ...{ picks, fixedPicker, placement, jump, futex, wheel, crewWheel, ring, slots, ownership, lock },
    worker: { prependOnceListener() {}, threadId: 1 },
    held: made("attachLock", futex, made("makeLock", futex, 2), 0),
    locks: made("createLocks", { stripes: 4, workers: 1 }),
    queue: made("createQueue", { frames: 64, capacity: 256 }),
    words: made("makeQueue", ring, { capacity: 8, longest: 1, producers: 1, consumers: 1 }),
    bucket: made("makeBucket", { capacity: 5, perSecond: 1 }),
    buckets: made("makeBuckets", { capacity: 5, perSecond: 1, keys: 1 }),
    metrics: made("makeMetrics", { workers: 1, counters: { a_total: "all" } }),
    pickers: made("makePicker", picks, { backends: 2, workers: 1 }),
    fixed: made("makePicker", fixedPicker, { backends: 2, workers: 1 }),
    watchdog: made("makeWatchdog", { loops: 2 }),
    timers: made("makeTimers", crewWheel, { capacity: 5, workers: 1 }),
    map: made("privateOwnership", ownership, { resources: 5, owners: 5, windowMs: 5, ranges: 5 }),
    server: { on() {}, off() {}, clients: new Set() },
  };
});
