import assert from "node:assert/strict";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import futex from "./locks/competitors/futex-three-state.ts";
import ownership from "./ownership/competitors/sorted-arrays.ts";
import fixedPicker from "./pick/competitors/rotating-round-robin.ts";
import picks from "./pick/competitors/two-choices.ts";
import slots from "./slots/competitors/shared-ticket.ts";
import wheel from "./timers/competitors/hashed-wheel.ts";
import crewWheel from "./timers/competitors/locked-hashed-wheel.ts";

/**
 * What the doors of the package say to missing and wrong arguments: the functions and classes that its modules export. The
 * answers are in a file, a line for each call. It is written anew where HOTPATH_GOLDEN is set; read what has changed.
 */
const GOLDEN = fileURLToPath(new URL("./doors.golden.txt", import.meta.url));

const HERE = fileURLToPath(new URL(".", import.meta.url));
const modules = [...globSync("*/*.exports.ts", { cwd: HERE }), "index.ts"].sort();
const doors: Record<string, (...given: never[]) => unknown> = {};
for (const module of modules)
  for (const [name, exported] of Object.entries(await import(new URL(module, import.meta.url).href)))
    if (typeof exported === "function") doors[name] = exported as never;

/** Names of what is right, for the calls below. */
const competitors = { picks, fixedPicker, futex, wheel, crewWheel, slots, ownership };

/** By door, the arguments of its calls, as they are written. `new` is told by its capital letter. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  Balanced: [
    '"http://a"',
    "",
    "[5]",
    '["http://a/b"]',
    '["http://a"], { bye: 1 }',
    '["http://a"], { by: "best" }',
  ],
  Interner: ['"many"', "-1"],
  NameTable: ['"many"', "-1"],
  NodeTimers: [
    "",
    '"hashed-wheel"',
    "picks",
    "{ default: wheel }",
    "wheel, 100",
    "wheel, { capasity: 4 }",
    "wheel, { capacity: 0 }",
    "wheel, { clock: 5 }",
    "wheel, { batch: 0 }",
  ],
  Timeouts: [
    "",
    "wheel",
    "futex, 5",
    "wheel, { capacity: 5 }",
    "wheel, 0",
    "wheel, 5, { onEror() {} }",
    "wheel, 5, { keepsContext: 1 }",
  ],
  adopt: ["", "{}, 0", "worker, 0", "worker, 0, {}", "worker, 5, lock"],
  attachBucket: ["", "{}", "lock", "bucket, 1"],
  attachLock: ["", "futex", "futex, {}, 0", "futex, lock", "futex, lock, 5", "picks, lock, 0"],
  attachLocks: ["", "lock, 0", "locks", "locks, 9", "locks, 0, { nest: 1 }"],
  attachMetrics: ["", "{}, 0", "metrics", "metrics, 5"],
  attachOwnership: ["", "ownership, {}, 0", "futex, lock, 0"],
  attachPicker: ["", "picks", "picks, {}, 0", "picks, picker", "picks, picker, -1"],
  attachSlots: ["", "slots, {}, 0"],
  attachTimers: ["", "crewWheel, {}, 0", "crewWheel, timers, '0'"],
  balancer: [
    "",
    "picks",
    'picks, "http://a"',
    "picks, [1, 1]",
    'futex, ["a"]',
    '"two-choices", ["a"]',
    'picks, ["a"], null',
    'picks, ["a"], { weight: [1] }',
    'picks, ["a"], { weights: [1] }',
    'picks, ["a"], { weights: 1 }',
    'picks, ["a"], { isFailure: true }',
    'picks, ["a"], { seed: -1 }',
    'picks, ["a"], { eject: true }',
    'picks, ["a"], { eject: { failure: 3 } }',
    'picks, ["a"], { eject: { mostShare: 2 } }',
  ],
  checked: ["", "{}", "lock"],
  createLocks: [
    "",
    "4",
    "{}",
    "{ stripes: 4 }",
    "{ stripes: 0, workers: 1 }",
    "{ stripes: 4, workers: 1, fare: true }",
  ],
  ejecting: ["", "futex", "picks, 5", "picks, { failures: 0 }", "picks, { forMS: 5 }"],
  exportClaims: ["", "{}", "map", "map, {}"],
  formatted: ["", "futex", "ownership", "ownership, { resources: 0 }"],
  freeSeat: ["", "{}", "lock", "lock, 7"],
  lockAsync: ["", "{}", "lock", "held, { signal: 5 }", "held, 5, { signal: 5 }", "held, 5, { timeout: 5 }"],
  lockWithin: ["", "{}", "held", "held, -1", 'held, "5"'],
  makeBucket: [
    "",
    "5",
    "{}",
    "{ capacity: 5 }",
    "{ capacity: 5, perSecond: 0 }",
    '{ capacity: "5", perSecond: 1 }',
    "{ capacity: 5, perSecond: 1, worker: 1 }",
    "{ capacity: 5, perSecond: 1, workers: 0 }",
  ],
  makeLock: ["", "futex", "picks, 2", "futex, 0", "futex, { workers: 2 }", '"futex", 2'],
  makeMetrics: [
    "",
    "{}",
    "{ workers: 1 }",
    "{ workers: 1, counter: {} }",
    "{ workers: 1, counters: { a: 5 } }",
    "{ workers: 0, counters: { a: 'help' } }",
  ],
  makeOwnership: [
    "",
    "ownership",
    "picks, {}",
    "ownership, {}",
    "ownership, { resources: 1, owners: 1, windowMs: 1, ranges: 1, workers: 1, until: 5 }",
    "ownership, { resources: 1, owners: 1, windowMs: 1, ranges: 0, workers: 1 }",
  ],
  makePicker: [
    "",
    "picks",
    "futex, {}",
    "picks, 8",
    "picks, {}",
    "picks, { backends: 8 }",
    'picks, { backends: "8", workers: 1 }',
    "picks, { backends: 8, workers: 2 ** 31 }",
    "picks, { backends: 8, workers: 1, weights: null }",
    "picks, { backend: 8, workers: 1 }",
    "picks, { backends: 2, workers: 1, weights: [1, 2] }",
    "picks, { backends: 2, workers: 1, seed: 1.5 }",
  ],
  makeSlots: [
    "",
    "slots",
    "picks, {}",
    "slots, {}",
    "slots, { slots: 4 }",
    "slots, { slots: 4, workers: 1, seeds: 4 }",
    "slots, { slots: 4, workers: 2 ** 31 }",
    "slots, { slots: 4, workers: 1, seed: 0.5 }",
  ],
  makeTimers: [
    "",
    "crewWheel",
    "futex, {}",
    "crewWheel, 5",
    "crewWheel, {}",
    "crewWheel, { capacity: 5 }",
    "crewWheel, { capacity: 5, workers: 0 }",
    "crewWheel, { capacity: 0, workers: 1 }",
    "wheel, { capacity: 5, workers: 1 }",
    "crewWheel, { capacity: 5, workers: 1, workes: 1 }",
  ],
  membersOf: ["", "picks, {}", "fixedPicker, fixed"],
  picker: [
    "",
    "picks",
    'picks, "8"',
    "picks, 0",
    "picks, null",
    "picks, { backends: 8, wait: 1 }",
    "futex, 8",
  ],
  placeMask: ["", "0"],
  privateOwnership: ["", "ownership", "picks, {}"],
  privateTimers: ["", "wheel", "wheel, {}", "wheel, NaN", "picks, 5", "wheel, 2 ** 30"],
  randomWords: ["", '"1"', "1, -1"],
  readMetrics: ["", "{}"],
  readSeries: ["", "{}", "metrics"],
  rebuild: ["", "{}", "map", "map, { resources: 5 }"],
  registerMetrics: ["", "{}", "metrics", "metrics, {}"],
  startBackground: ["", "picks, {}"],
  watch: ["", "{}", "server", "server, {}", "server, { timeout: 5 }", "server, { timeoutMs: 5 }"],
  watchBun: ["", "{}", "{ timeoutMs: 5 }"],
  withLock: [
    "",
    "{}, () => 1",
    "held",
    "held, 5",
    "held, () => 1, { mends() {} }",
    "held, () => 1, { mend: 5 }",
  ],
  withLockAsync: ["", "{}, () => 1", "held", "held, 5", "held, () => 1, { sginal: 5 }"],
  workerExited: ["", "futex, {}, 0"],
  workerIdentity: ["", "0, 0, 0", "1, 1, 0", "0, 1, -1"],
};

/** Doors that take nothing, or any number. */
const TAKE_ANYTHING = ["attributed", "eventLoop", "inferred", "isInferred", "runtimeLoop"];
/** Earlier names of the same. */
const DEPRECATED = ["attachTo", "makeInstance"];

/** What is right, made anew for each call. */
const MADE = {
  worker: () => ({ prependOnceListener() {}, threadId: 1 }),
  lock: () => doors.makeLock!(...([futex, 2] as never[])),
  held: () => doors.attachLock!(...([futex, MADE.lock(), 0] as never[])),
  locks: () => doors.createLocks!(...([{ stripes: 4, workers: 1 }] as never[])),
  bucket: () => doors.makeBucket!(...([{ capacity: 5, perSecond: 1 }] as never[])),
  metrics: () => doors.makeMetrics!(...([{ workers: 1, counters: { a_total: "all" } }] as never[])),
  picker: () => doors.makePicker!(...([picks, { backends: 2, workers: 1 }] as never[])),
  fixed: () => doors.makePicker!(...([fixedPicker, { backends: 2, workers: 1 }] as never[])),
  timers: () => doors.makeTimers!(...([crewWheel, { capacity: 5, workers: 1 }] as never[])),
  map: () =>
    doors.privateOwnership!(...([ownership, { resources: 5, owners: 5, windowMs: 5, ranges: 5 }] as never[])),
  server: () => ({ on() {}, off() {}, clients: new Set() }),
};

const NOTHING = ": nothing is thrown";

/** The error of a call, in one line. */
async function answerOf(door: string, given: string): Promise<string> {
  const call = `${/^[A-Z]/.test(door) ? "new " : ""}${door}(${given})`;
  const values = {
    ...competitors,
    ...Object.fromEntries(Object.entries(MADE).map(([name, make]) => [name, make()])),
  };
  const run = new Function("doors", ...Object.keys(values), `return ${call.replace(door, `doors.${door}`)};`);
  try {
    await run(doors, ...Object.values(values));
    return `${call}${NOTHING}`;
  } catch (error) {
    return `${call}: ${error instanceof Error ? `${error.name}: ${error.message}` : error}`;
  }
}

describe("doors of the package", () => {
  it("are all asked", () => {
    const asked = [...Object.keys(CALLS), ...TAKE_ANYTHING, ...DEPRECATED].sort();
    assert.deepEqual(asked, Object.keys(doors).sort());
  });

  it("refuse missing and wrong arguments in a line each", async () => {
    const answers: string[] = [];
    for (const [door, calls] of Object.entries(CALLS))
      for (const given of calls) answers.push(await answerOf(door, given));
    assert.deepEqual(
      answers.filter((answer) => answer.endsWith(NOTHING)),
      [],
    );
    const text = `${answers.join("\n")}\n`;
    if (process.env.HOTPATH_GOLDEN !== undefined) writeFileSync(GOLDEN, text);
    assert.deepEqual(text.split("\n"), readFileSync(GOLDEN, "utf8").split("\n"));
  });
});
