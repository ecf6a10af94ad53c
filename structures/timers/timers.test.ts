import assert from "node:assert/strict";
import { after, suite, test } from "node:test";
import fc from "fast-check";
import { competitorsOf, contractOf, type Entry, lawBrokenBy, loadCompetitor, mutantsOf } from "../catalog.ts";
import { MAX_CAPACITY, nextGeneration, placeMask } from "./parts/handles.ts";
import {
  type Act,
  add,
  advance,
  EVERYTHING,
  type Law,
  Observer,
  releaseTimers,
  testTimers,
} from "./parts/observer.ts";
import { HORIZON } from "./parts/ticks.ts";
import type { TimersCompetitor } from "./timers.contract.ts";
import * as laws from "./timers.laws.ts";

const contract = await contractOf("timers");
const load = async (entry: Entry) => (await loadCompetitor(entry.url, contract)) as TimersCompetitor;
const oracle = await load(competitorsOf("timers").find((entry) => entry.name === contract.oracle)!);

/** Where wheels turn over: slot counts and level sizes in use, their multiples, and the neighbours of each. */
const BOUNDARIES = [64, 128, 256, 4096, 8192, 65_536, 131_072, 262_144, 1_048_576, 16_777_216].flatMap(
  (at) => [at - 1, at, at + 1],
);

/** Clocks to begin at: fresh, inside a rotation, and just before ticks wrap from 2^31 - 1 to -2^31. */
const BEGINNINGS = [0, 1_000_003, 2 ** 31 - 50];

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
      courses.push([advance(start), add(delay), advance(delay - 1), advance(1), advance(lateness(delay))]);
    }
    const adds = BOUNDARIES.flatMap((delay) => [add(delay), add(delay)]);
    const furthest = Math.max(...BOUNDARIES) + Math.max(...BOUNDARIES.map(lateness));
    courses.push([advance(start), ...adds, ...BOUNDARIES.map(() => advance(300)), advance(furthest)]);
    courses.push([advance(start), ...adds, advance(furthest)]);
    courses.push([advance(start), ...adds, ...adds.map(() => advance(furthest, 1)), advance(furthest)]);
  }
  return courses;
}

for (const entry of competitorsOf("timers")) {
  suite(`timers: ${entry.name}`, async () => {
    const competitor = await load(entry);
    const create = (capacity: number) => testTimers(competitor, capacity);
    after(releaseTimers);
    const expires = competitor.expiry === "advance";
    /** A test of what only a competitor whose timers expire by advance can show. */
    const testExpiry = expires ? test : () => {};

    test("keeps every law, and agrees with the oracle, whatever is done", () => {
      fc.assert(
        fc.property(capacities, beginnings, acts, (capacity, start, course) => {
          const observed = new Observer(competitor, capacity).run([advance(start), ...course]);
          observed.assertLawful();
          // Only fifo fixes the order of every report; for the rest the laws themselves are the model.
          if (competitor.order !== "fifo" || competitor.lateness(HORIZON) > 0) return;
          const truth = new Observer(oracle, capacity).run([advance(start), ...course]);
          assert.deepEqual(observed.transcript, truth.transcript);
        }),
        { seed: 4, numRuns: 400 },
      );
    });

    testExpiry("keeps every law around slot counts and their multiples, and ends empty", () => {
      for (const course of boundaryCourses(competitor.lateness)) {
        const observer = new Observer(competitor, 2 * BOUNDARIES.length).run(course);
        observer.assertLawful();
        assert.equal(observer.set.size, 0);
      }
    });

    test("keeps every law when thousands come and go", () => {
      const course = fc.sample(fc.array(fc.nat(70_000), { minLength: 3000, maxLength: 3000 }), {
        seed: 5,
        numRuns: 1,
      })[0]!;
      const observer = new Observer(competitor, 1000);
      observer.run(
        course.flatMap((number, index): Act[] => {
          if (index % 3 === 0) return [add(number)];
          if (index % 3 === 1) return [{ kind: "refresh", which: number, delay: 70_000 }];
          return [advance(number % 200, (number % 7) + 1)];
        }),
      );
      observer.assertLawful();
    });

    testExpiry("whoever sleeps until nextExpiry, again and again, sees every timer", () => {
      const set = create(BOUNDARIES.length);
      const out = new Int32Array(BOUNDARIES.length);
      set.advance(BEGINNINGS.at(-1)!, out, 1);
      for (const delay of BOUNDARIES) set.add(set.clock + delay);
      let seen = 0;
      for (let next = set.nextExpiry(); next !== undefined; next = set.nextExpiry()) {
        assert.ok(((next - set.clock) | 0) > 0, "it would sleep for ever");
        seen += set.advance(next, out, out.length);
      }
      assert.equal(seen, BOUNDARIES.length);
    });

    testExpiry("a clock that goes back changes nothing", () => {
      const set = create(4);
      const out = new Int32Array(4);
      set.advance(1000, out, 4);
      set.add(1010);
      assert.equal(set.advance(500, out, 4), 0);
      assert.equal(set.clock, 1000);
      assert.equal(set.advance(1010 + competitor.lateness(10), out, 4), 1);
    });

    testExpiry("a due in the past is due at the next tick", () => {
      const set = create(2);
      const out = new Int32Array(2);
      set.advance(1000, out, 2);
      set.add(1000);
      set.add(7);
      assert.equal(set.advance(1000, out, 2), 0);
      assert.equal(set.advance(1001 + competitor.lateness(1), out, 2), 2);
    });

    test("refuses what is beyond the horizon, and leaves the timer alone", () => {
      const set = create(2);
      const handle = set.add(HORIZON);
      assert.throws(() => set.add(HORIZON + 1), RangeError);
      assert.throws(() => set.refresh(handle, HORIZON + 1), RangeError);
      assert.equal(set.size, 1);
      if (!expires) return;
      const out = new Int32Array(2);
      assert.equal(set.advance(HORIZON - 1, out, 2), 0);
      assert.equal(set.advance(HORIZON + competitor.lateness(HORIZON), out, 2), 1);
      assert.equal(out[0], handle);
    });

    test("a full set refuses one more and works on", () => {
      for (const capacity of [1, 2, 3, 64, 65, 1000]) {
        const set = create(capacity);
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
    });

    test("refuses a capacity that is none", () => {
      for (const capacity of [0, -1, 1.5, MAX_CAPACITY + 1])
        assert.throws(() => create(capacity), RangeError);
    });

    test("refuses handles of earlier generations and numbers that are no handles", () => {
      const set = create(3);
      const out = new Int32Array(3);
      const dead: number[] = [];
      for (let round = 0; round < 50; round++) {
        const handle = set.add(set.clock + 1);
        if (round % 2 === 0 || !expires) set.cancel(handle);
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
    });

    testExpiry("writes no more than fits", () => {
      const set = create(5);
      for (let index = 0; index < 5; index++) set.add(3);
      const out = new Int32Array(2);
      const later = 3 + competitor.lateness(3);
      const counts = [0, 1, 2, 3].map(() => set.advance(later, out, 100));
      assert.deepEqual(counts, [2, 2, 1, 0]);
      assert.equal(set.size, 0);
    });

    testExpiry("what a budget left over can still be cancelled and refreshed", () => {
      const set = create(4);
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
    });

    if (competitor.expiry === "event-loop") {
      test("what the event loop fires is handed over by advance, each once", async () => {
        const set = create(64);
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
      });
    }

    test("formats memory that was used before", () => {
      const memory = new Int32Array(new SharedArrayBuffer(4 * Math.max(1, competitor.words(8, 1)))).fill(-7);
      competitor.format(memory, 8, 1);
      const set = competitor.attach(memory, 8, { index: 0, workers: 1, role: "worker", seed: 0 });
      assert.equal(set.nextExpiry(), undefined);
      assert.equal(set.clock, 0);
      const handle = set.add(100_000);
      if (!expires) return void set.cancel(handle);
      assert.equal(set.advance(99_999, new Int32Array(8), 8), 0);
      assert.equal(set.advance(100_000 + competitor.lateness(100_000), new Int32Array(8), 8), 1);
    });
  });
}

test("timers: generations of a handle go from the last to the first, and are positive", () => {
  for (const capacity of [1, 2, 3, 64, 1000, 100_000, MAX_CAPACITY]) {
    const mask = placeMask(capacity);
    for (const place of new Set([0, mask >>> 1, mask])) {
      const first = mask + 1 + place;
      const last = (0x7fff_ffff & ~mask) | place;
      assert.equal(nextGeneration(place, mask), first);
      assert.equal(nextGeneration(last - mask - 1, mask), last);
      assert.equal(nextGeneration(last, mask), first);
    }
  }
});

suite("timers: mutants", async () => {
  const caught = new Set<Law>();
  for (const entry of mutantsOf("timers")) {
    const breaks = (await lawBrokenBy(entry)) as Law;
    caught.add(breaks);
    test(`${entry.name} breaks ${breaks}`, async () => {
      const mutant = await load(entry);
      const courses = [
        ...boundaryCourses(mutant.lateness),
        ...fc.sample(acts, { seed: 6, numRuns: 100 }).map((course) => [advance(0), ...course]),
      ];
      const broken = new Set<Law>();
      for (const course of courses) {
        // A mutant may also fall over; what counts is the law that it broke.
        const observer = new Observer(mutant, 2 * BOUNDARIES.length);
        try {
          observer.run(course);
        } catch (error) {
          if (!(error instanceof assert.AssertionError || error instanceof RangeError)) throw error;
        }
        for (const law of observer.broken.keys()) broken.add(law);
      }
      assert.ok(broken.has(breaks), `it broke only: ${[...broken].join(", ") || "nothing"}`);
    });
  }

  test("every law has a mutant", () => {
    assert.deepEqual([...caught].sort(), Object.keys(laws).sort());
  });
});
