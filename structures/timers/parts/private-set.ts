import assert from "node:assert/strict";
import fc from "fast-check";
import { asserted } from "../../shared/examination.ts";
import { allocateFor } from "../../shared/layout.ts";
import oracle from "../competitors/sorted-list.ts";
import { attachedAlone, type TimersCompetitor } from "../timers.contract.ts";
import { MAX_CAPACITY, placeMask } from "./handles.ts";
import { type Act, add, advance, EVERYTHING, Observer, releaseTimers, testTimers } from "./observer.ts";
import { HORIZON } from "./ticks.ts";

/**
 * Checks what a set promises one caller against one competitor: random courses, the same for every competitor, and
 * courses that have failed before.
 */

/** Where wheels turn over: slot counts and level sizes in use, their multiples, and the neighbours of each. */
const BOUNDARIES = [64, 128, 256, 4096, 8192, 65_536, 131_072, 262_144, 1_048_576, 16_777_216].flatMap(
  (at) => [at - 1, at, at + 1],
);

/**
 * Clocks to begin at, as the steps that lead there: fresh, inside a rotation, and just before ticks wrap from 2^31 - 1
 * to -2^31. Also before they come round from -1 to 0, where the numbers of a wheel's slots do. One lies just before,
 * one so long before that later ticks lie in coarse slots.
 */
const BEGINNINGS = [
  [0],
  [1_000_003],
  [2 ** 31 - 50],
  [EVERYTHING, 2 ** 31 - 60_000],
  [EVERYTHING, 2 ** 31 - 49],
];
const begin = (steps: readonly number[]): Act[] => steps.map((step) => advance(step));

const delays = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -2, max: 12 }) },
  { weight: 2, arbitrary: fc.constantFrom(...BOUNDARIES) },
  { weight: 1, arbitrary: fc.constantFrom(HORIZON - 1, HORIZON, -HORIZON) },
);
const steps = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: -2, max: 12 }) },
  { weight: 2, arbitrary: fc.constantFrom(...BOUNDARIES) },
  { weight: 1, arbitrary: fc.constantFrom(HORIZON, EVERYTHING, -HORIZON) },
);
const budgets = fc.oneof(fc.constant(EVERYTHING), fc.integer({ min: 0, max: 4 }));
const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("add" as const), delay: delays }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("cancel" as const), which: fc.nat(60) }) },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant("refresh" as const), which: fc.nat(60), delay: delays }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant("advance" as const), step: steps, budget: budgets }),
    },
  ),
  { maxLength: 60, size: "max" },
);
const capacities = fc.integer({ min: 1, max: 12 });
const beginnings = fc.constantFrom(...BEGINNINGS);

/** Each boundary alone, stepped to and over; then all at once, in steps, in one jump and with a small budget. */
function boundaryCourses(lateness: (delay: number) => number): Act[][] {
  const courses: Act[][] = [];
  for (const start of BEGINNINGS) {
    for (const delay of BOUNDARIES) {
      courses.push([...begin(start), add(delay), advance(delay - 1), advance(1), advance(lateness(delay))]);
    }
    const adds = BOUNDARIES.flatMap((delay) => [add(delay), add(delay)]);
    const furthest = Math.max(...BOUNDARIES) + Math.max(...BOUNDARIES.map(lateness));
    courses.push([...begin(start), ...adds, ...BOUNDARIES.map(() => advance(300)), advance(furthest)]);
    courses.push([...begin(start), ...adds, advance(furthest)]);
    courses.push([...begin(start), ...adds, ...adds.map(() => advance(furthest, 1)), advance(furthest)]);
  }
  return courses;
}

/** The sentence of each law, beginning with its name, that the set of one caller breaks. */
export async function* privateLaws(competitor: TimersCompetitor): AsyncGenerator<string | undefined> {
  const expires = competitor.expiry === "advance";
  try {
    yield* await lawsOf(competitor, coursesAtRandom());
    if (expires) yield* await lawsOf(competitor, coursesAcrossBoundaries(competitor));
    if (expires) yield* await lawsOf(competitor, coursesOfLeftovers(competitor));
    yield* await lawsOf(competitor, [thousandsThatComeAndGo()]);
    yield await asserted("agreesWithOracle", () => assertAgreesWithOracle(competitor));
    if (expires) yield* await expiryLaws(competitor);
    yield await asserted("horizonIsKept", () => assertHorizonIsKept(competitor));
    yield await asserted("capacityIsKept", () => assertCapacityIsKept(competitor));
    yield await asserted("badCapacityIsRefused", () => assertBadCapacityIsRefused(competitor));
    yield await asserted("deadHandlesAreRefused", () => assertDeadHandlesAreRefused(competitor));
    yield await asserted("formatForgets", () => assertFormatForgets(competitor));
    if (competitor.expiry === "event-loop")
      yield await asserted("firedIsHandedOver", () => assertFiredIsHandedOver(competitor));
  } finally {
    releaseTimers();
  }
}

/** What only a competitor whose timers expire by advance can show. */
async function expiryLaws(competitor: TimersCompetitor): Promise<(string | undefined)[]> {
  return [
    await asserted("sleepersSeeAll", () => assertSleepersSeeAll(competitor, BOUNDARIES)),
    await asserted("sleepersSeeAll", () => assertSleepersSeeAll(competitor, CROWD)),
    await asserted("clockNeverGoesBack", () => assertClockNeverGoesBack(competitor)),
    await asserted("pastIsDueNext", () => assertPastIsDueNext(competitor)),
    await asserted("writesWhatFits", () => assertFits(competitor)),
    await asserted("leftoversAreLive", () => assertLeftoversAreLive(competitor)),
  ];
}

interface Course {
  readonly capacity: number;
  readonly acts: readonly Act[];
  /** Whether nothing is live when all is done. */
  readonly endsEmpty?: boolean;
}

/** What the observer finds broken on the way; that it got to the end of all courses is one of the laws. */
async function lawsOf(
  competitor: TimersCompetitor,
  courses: Iterable<Course>,
): Promise<(string | undefined)[]> {
  const broken: string[] = [];
  const calls = await asserted("callsAreServed", () => {
    for (const { capacity, acts, endsEmpty = false } of courses) {
      const observer = new Observer(competitor, capacity);
      try {
        observer.run(acts);
      } finally {
        // A competitor that throws has often broken a law before, which says more.
        for (const [law, finding] of observer.broken) broken.push(`${law}: ${finding}`);
      }
      if (endsEmpty) assert.equal(observer.set.size, 0, `${observer.set.size} timers are left at the end`);
    }
  });
  return [...broken, calls];
}

function coursesAtRandom(): Course[] {
  return fc
    .sample(fc.tuple(capacities, beginnings, acts), { seed: 4, numRuns: 400 })
    .map(([capacity, start, course]) => ({ capacity, acts: [...begin(start), ...course] }));
}

/** Around slot counts and their multiples. */
function coursesAcrossBoundaries({ lateness }: TimersCompetitor): Course[] {
  return boundaryCourses(lateness).map((course) => {
    return { capacity: 2 * BOUNDARIES.length, acts: course, endsEmpty: true };
  });
}

/** What a budget left over is cancelled, or refreshed, one after the other, beside a timer that is not due. */
function coursesOfLeftovers({ lateness }: TimersCompetitor): Course[] {
  const LEFT = [0, 1, 2, 3];
  const interrupted = [...LEFT.map(() => add(3)), add(70_000), advance(3 + lateness(3), 1)];
  const cancels = LEFT.map((which): Act => ({ kind: "cancel", which }));
  const refreshes = LEFT.map((which): Act => ({ kind: "refresh", which, delay: 5 }));
  return [cancels, refreshes].map((ends) => {
    return { capacity: LEFT.length + 1, acts: [...interrupted, ...ends, advance(70_000 + lateness(70_000))] };
  });
}

function thousandsThatComeAndGo(): Course {
  const [numbers] = fc.sample(fc.array(fc.nat(70_000), { minLength: 3000, maxLength: 3000 }), {
    seed: 5,
    numRuns: 1,
  });
  const course = numbers!.map((number, index): Act => {
    if (index % 3 === 0) return add(number);
    if (index % 3 === 1) return { kind: "refresh", which: number, delay: 70_000 };
    return advance(number % 200, (number % 7) + 1);
  });
  return { capacity: 1000, acts: course };
}

/** Only fifo fixes the order of every report; for the rest the laws themselves are the model. */
function assertAgreesWithOracle(competitor: TimersCompetitor): void {
  if (competitor.order !== "fifo" || competitor.lateness(HORIZON) > 0) return;
  for (const { capacity, acts } of coursesAtRandom()) {
    const [seen, truth] = [competitor, oracle].map((one) => new Observer(one, capacity).run(acts).transcript);
    assert.deepEqual(seen, truth);
  }
}

/** Enough timers, all rotations ahead, that a look at all of them would be a pause; the first due is the last in a wheel. */
const CROWD = Array.from({ length: 17_000 }, (_, index) => 4 * 65_536 + (index === 0 ? 0 : 1 + (index % 3)));

/** A caller that sleeps until nextExpiry, again and again, sees every timer. */
function assertSleepersSeeAll(competitor: TimersCompetitor, delays: readonly number[]): void {
  const set = testTimers(competitor, delays.length);
  const out = new Int32Array(delays.length);
  for (const step of BEGINNINGS.at(-1)!) set.advance(set.clock + step, out, 1);
  for (const delay of delays) set.add(set.clock + delay);
  const first = Math.min(...delays);
  const latest = set.clock + first + competitor.lateness(first);
  let seen = 0;
  for (let next = set.nextExpiry(); next !== undefined; next = set.nextExpiry()) {
    assert.ok(((next - set.clock) | 0) > 0, "it would sleep for ever");
    assert.ok(seen > 0 || ((next - latest) | 0) <= 0, "it would sleep too long");
    seen += set.advance(next, out, out.length);
  }
  assert.equal(seen, delays.length);
}

/** A clock that goes back changes nothing. */
function assertClockNeverGoesBack(competitor: TimersCompetitor): void {
  const set = testTimers(competitor, 4);
  const out = new Int32Array(4);
  set.advance(1000, out, 4);
  set.add(1010);
  assert.equal(set.advance(500, out, 4), 0);
  assert.equal(set.clock, 1000);
  assert.equal(set.advance(1010 + competitor.lateness(10), out, 4), 1);
}

/** A due in the past is due at the next tick. */
function assertPastIsDueNext(competitor: TimersCompetitor): void {
  const set = testTimers(competitor, 2);
  const out = new Int32Array(2);
  set.advance(1000, out, 2);
  set.add(1000);
  set.add(7);
  assert.equal(set.advance(1000, out, 2), 0);
  assert.equal(set.advance(1001 + competitor.lateness(1), out, 2), 2);
}

/** It writes no more than fits. */
function assertFits(competitor: TimersCompetitor): void {
  const set = testTimers(competitor, 5);
  for (let index = 0; index < 5; index++) set.add(3);
  const out = new Int32Array(2);
  const later = 3 + competitor.lateness(3);
  const counts = [0, 1, 2, 3].map(() => set.advance(later, out, 100));
  assert.deepEqual(counts, [2, 2, 1, 0]);
  assert.equal(set.size, 0);
}

/** What a budget left over can still be cancelled and refreshed. */
function assertLeftoversAreLive(competitor: TimersCompetitor): void {
  const set = testTimers(competitor, 4);
  const handles = [1, 2, 3, 4].map(() => set.add(3));
  const out = new Int32Array(4);
  const later = 3 + competitor.lateness(3);
  assert.equal(set.advance(later, out, 1), 1);
  const left = handles.filter((handle) => handle !== out[0]);
  assert.ok(set.cancel(left[0]!));
  assert.ok(set.refresh(left[1]!, later + 100));
  assert.equal(set.advance(later, out, 4), 1);
  assert.equal(out[0], left[2]);
  assert.equal(set.size, 1);
}

/** It refuses what is beyond the horizon, and leaves the timer alone. */
function assertHorizonIsKept(competitor: TimersCompetitor): void {
  const set = testTimers(competitor, 2);
  const handle = set.add(HORIZON);
  assert.throws(() => set.add(HORIZON + 1), RangeError);
  assert.throws(() => set.refresh(handle, HORIZON + 1), RangeError);
  assert.equal(set.size, 1);
  if (competitor.expiry !== "advance") return;
  const out = new Int32Array(2);
  assert.equal(set.advance(HORIZON - 1, out, 2), 0);
  assert.equal(set.advance(HORIZON + competitor.lateness(HORIZON), out, 2), 1);
  assert.equal(out[0], handle);
}

/** A full set refuses one more and works on. */
function assertCapacityIsKept(competitor: TimersCompetitor): void {
  for (const capacity of [1, 2, 3, 64, 65, 1000]) {
    const set = testTimers(competitor, capacity);
    const handles = Array.from({ length: capacity }, (_, index) => set.add(10 + index));
    assert.equal(new Set(handles.map((handle) => handle & placeMask(capacity))).size, capacity);
    assert.throws(() => set.add(5), RangeError);
    assert.equal(set.size, capacity);
    assert.ok(set.cancel(handles[0]!));
    const replacement = set.add(5);
    assert.notEqual(replacement, handles[0]);
    assert.equal(set.cancel(handles[0]!), false);
    assert.equal(set.size, capacity);
  }
}

/** It refuses an invalid capacity itself; not only its maker does. */
function assertBadCapacityIsRefused(competitor: TimersCompetitor): void {
  for (const capacity of [0, -1, 1.5, MAX_CAPACITY + 1])
    assert.throws(() => attachedAlone(competitor, capacity), RangeError);
}

/** It refuses handles of earlier generations and numbers that are no handles. */
function assertDeadHandlesAreRefused(competitor: TimersCompetitor): void {
  const set = testTimers(competitor, 3);
  const out = new Int32Array(3);
  const dead: number[] = [];
  for (let round = 0; round < 50; round++) {
    const handle = set.add(set.clock + 1);
    if (round % 2 === 0 || competitor.expiry !== "advance") set.cancel(handle);
    else set.advance(set.clock + 1 + competitor.lateness(1), out, 3);
    dead.push(handle);
  }
  const live = set.add(set.clock + 5);
  assert.equal(new Set([...dead, live]).size, dead.length + 1);
  for (const handle of [...dead, ...dead.map((handle) => -handle), 0, -1, 3, -live, EVERYTHING]) {
    assert.equal(set.cancel(handle), false, `${handle}`);
    assert.equal(set.refresh(handle, set.clock + 9), false, `${handle}`);
  }
  assert.equal(set.size, 1);
  assert.ok(set.cancel(live));
}

/** It formats memory that was used before. */
function assertFormatForgets(competitor: TimersCompetitor): void {
  const { memory, linear } = allocateFor(competitor, competitor.words(8, 1));
  memory.fill(-7);
  competitor.format(memory, 8, 1);
  const set = competitor.attach(memory, 8, { index: 0, workers: 1, role: "worker", seed: 0 }, linear);
  assert.equal(set.nextExpiry(), undefined);
  assert.equal(set.clock, 0);
  const handle = set.add(100_000);
  if (competitor.expiry !== "advance") return void set.cancel(handle);
  assert.equal(set.advance(99_999, new Int32Array(8), 8), 0);
  assert.equal(set.advance(100_000 + competitor.lateness(100_000), new Int32Array(8), 8), 1);
}

/** What the event loop fires is handed over by advance, each once. */
async function assertFiredIsHandedOver(competitor: TimersCompetitor): Promise<void> {
  const set = testTimers(competitor, 64);
  const handles = Array.from({ length: 60 }, (_, index) => set.add(1 + (index % 5)));
  const cancelled = handles.filter((_, index) => index % 4 === 0);
  for (const handle of cancelled) assert.ok(set.cancel(handle));
  const out = new Int32Array(64);
  const seen: number[] = [];
  while (set.size > 0) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    seen.push(...out.subarray(0, set.advance(set.clock + 1, out, 7)));
  }
  assert.deepEqual(seen.sort(), handles.filter((handle) => !cancelled.includes(handle)).sort());
  assert.equal(set.advance(set.clock + 1, out, 7), 0);
}
