import assert from "node:assert/strict";
import { AsyncLocalStorage, createHook } from "node:async_hooks";
import { suite, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { competitorsOf, contractOf, type Entry, loadCompetitor } from "../../catalog.ts";
import { privateTimers, type TimerSet, type TimersCompetitor } from "../timers.contract.ts";
import { LATE_MS, LONGEST_DELAY_MS, type NativeTimer, Timeouts, type TimeoutsOptions } from "./callbacks.ts";
import { MAX_CAPACITY } from "./handles.ts";
import { HORIZON } from "./ticks.ts";
import { IMMEDIATE, World } from "./world.synthetic.ts";

const contract = await contractOf("timers");
const load = async (entry: Entry) => (await loadCompetitor(entry.url, contract)) as TimersCompetitor;
const oracle = await load(competitorsOf("timers").find((entry) => entry.name === contract.oracle)!);

const HOUR = 3_600_000;

/** Never two native timers are pending in it. */
class SingleTimerWorld extends World {
  /** Milliseconds, less than 1, that native timers fire too soon. */
  early = 0;
  /** The event loop's turn: called before an immediate runs. */
  betweenBatches = (): void => {};
  /** Native timers ever asked for. */
  armed = 0;
  /** When nothing due was left: no set's clock need be behind that. */
  rested = this.now;

  get pending() {
    const [timer] = this.timers;
    return timer;
  }

  protected override arm(at: number, wake: () => void) {
    assert.equal(this.pending, undefined, "two native timers at a time");
    this.armed++;
    return super.arm(at - this.early, wake);
  }

  protected override drop(timer: NativeTimer): void {
    assert.equal(timer, this.pending, "it drops a native timer that is not pending");
    this.timers.clear();
  }

  protected override wake(timer: NonNullable<typeof this.pending>): void {
    if (timer.at === IMMEDIATE) this.betweenBatches();
    // Which may have dropped it.
    if (this.pending !== timer) return;
    super.wake(timer);
    if (this.pending?.at !== IMMEDIATE) this.rested = this.now;
  }

  override pass(ms: number): void {
    super.pass(ms);
    this.rested = this.now;
  }

  /** Lets time pass in which no native timer can fire, as when a callback blocks or the machine sleeps. */
  leap(ms: number): void {
    this.now += ms;
    this.pass(0);
  }

  /** Lets time pass until no native timer is pending; by leaps, after a while, for sets that wake once a rotation. */
  exhaust(): void {
    for (let turns = 0; this.pending !== undefined; turns++) {
      assert.ok(turns < 210, "it never rests");
      if (turns < 200) this.pass(Math.max(0, this.pending.at - this.now));
      else this.leap(2 ** 31);
    }
  }
}

interface Setting extends TimeoutsOptions {
  readonly capacity?: number;
  readonly start?: number;
}

function lab(competitor: TimersCompetitor, { capacity = 16, start = 0.25, ...options }: Setting = {}) {
  const world = new SingleTimerWorld(start);
  const timeouts = new Timeouts(competitor, capacity, {
    clock: world.clock,
    native: world.native,
    ...options,
  });
  return { world, timeouts };
}

/** Runs `act` and what follows from it at once; returns what would have reached 'uncaughtException'. */
async function uncaught(act: () => void): Promise<unknown[]> {
  const errors: unknown[] = [];
  process.setUncaughtExceptionCaptureCallback((error) => errors.push(error));
  try {
    act();
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.setUncaughtExceptionCaptureCallback(null);
  }
  return errors;
}

// The model: the same acts on Timeouts in a World and on an array that is kept sorted.

type Inner =
  | { readonly kind: "set"; readonly delay: number }
  | { readonly kind: "clear"; readonly which: number }
  | { readonly kind: "refresh"; readonly which: number; readonly delay: number | undefined };
type Act =
  | Inner
  | {
      readonly kind: "script";
      readonly delay: number;
      readonly script: readonly Inner[];
      readonly throws: boolean;
    }
  | { readonly kind: "pass" | "leap"; readonly ms: number };

interface Clockwork {
  readonly now: number;
  readonly size: number;
  set(callback: (argument: number) => void, delayMs: number, argument: number): number;
  clear(handle: number): boolean;
  refresh(handle: number, delayMs?: number): boolean;
  pass(ms: number): void;
  leap(ms: number): void;
}

class Naive implements Clockwork {
  now: number;
  readonly #sorted: { handle: number; deadline: number; delay: number; run: () => void }[] = [];
  #handles = 0;

  constructor(now: number) {
    this.now = now;
  }

  get size(): number {
    return this.#sorted.length;
  }

  set(callback: (argument: number) => void, delayMs: number, argument: number): number {
    this.#insert(++this.#handles, delayMs, () => callback(argument));
    return this.#handles;
  }

  clear(handle: number): boolean {
    return this.#take(handle) !== undefined;
  }

  refresh(handle: number, delayMs?: number): boolean {
    const timer = this.#take(handle);
    if (timer !== undefined) this.#insert(handle, delayMs ?? timer.delay, timer.run);
    return timer !== undefined;
  }

  pass(ms: number): void {
    const until = this.now + ms;
    while (this.#sorted.length > 0 && this.#sorted[0]!.deadline <= until) {
      this.now = Math.max(this.now, this.#sorted[0]!.deadline);
      this.leap(0);
    }
    this.now = until;
  }

  leap(ms: number): void {
    this.now += ms;
    while (this.#sorted.length > 0 && this.#sorted[0]!.deadline <= this.now) {
      try {
        this.#sorted.shift()!.run();
      } catch {}
    }
  }

  #insert(handle: number, delay: number, run: () => void): void {
    const deadline = this.now + Math.max(1, delay);
    const index = this.#sorted.findLastIndex((timer) => timer.deadline <= deadline) + 1;
    this.#sorted.splice(index, 0, { handle, deadline, delay, run });
  }

  #take(handle: number) {
    const index = this.#sorted.findIndex((timer) => timer.handle === handle);
    return index < 0 ? undefined : this.#sorted.splice(index, 1)[0];
  }
}

class Raced implements Clockwork {
  readonly world: SingleTimerWorld;
  readonly set: Timeouts["set"];
  readonly clear: (handle: number) => boolean;
  readonly refresh: (handle: number, delayMs?: number) => boolean;
  readonly #timeouts: Timeouts;

  constructor(world: SingleTimerWorld, timeouts: Timeouts) {
    this.world = world;
    this.#timeouts = timeouts;
    this.set = timeouts.set.bind(timeouts);
    this.clear = (handle) => timeouts.clear(handle);
    this.refresh = (handle, delayMs) => timeouts.refresh(handle, delayMs);
  }

  get now(): number {
    return this.world.now;
  }

  get size(): number {
    return this.#timeouts.size;
  }

  pass(ms: number): void {
    this.world.pass(ms);
    assert.equal(this.world.keepsAlive, this.size > 0);
  }

  leap(ms: number): void {
    this.world.leap(ms);
    assert.equal(this.world.keepsAlive, this.size > 0);
  }
}

/** Acts, writes down what it sees, and holds it against what any clock must keep. */
class Actor {
  readonly log: unknown[] = [];
  readonly #clockwork: Clockwork;
  readonly #capacity: number;
  /** Milliseconds that a timer which ends at `deadline` may be late, when set now. */
  readonly #lateness: (deadline: number) => number;
  readonly #handles: number[] = [];
  readonly #live = new Map<number, { delay: number; deadline: number; latest: number }>();

  constructor(clockwork: Clockwork, capacity: number, lateness: (deadline: number) => number) {
    this.#clockwork = clockwork;
    this.#capacity = capacity;
    this.#lateness = lateness;
  }

  run(acts: readonly Act[]): this {
    for (const act of acts) this.#act(act);
    return this;
  }

  #act(act: Act): void {
    if ("ms" in act) {
      this.#clockwork[act.kind](act.ms);
      for (const { latest } of this.#live.values())
        assert.ok(latest >= this.#clockwork.now, "it is too late");
    } else if (act.kind === "clear") {
      const id = act.which % Math.max(1, this.#handles.length);
      const answer = this.#clockwork.clear(this.#handles[id] ?? 0);
      assert.equal(answer, this.#live.delete(id));
      this.log.push(answer);
    } else if (act.kind === "refresh") {
      const id = act.which % Math.max(1, this.#handles.length);
      const answer = this.#clockwork.refresh(this.#handles[id] ?? 0, act.delay);
      const timer = this.#live.get(id);
      assert.equal(answer, timer !== undefined);
      this.log.push(answer);
      if (timer !== undefined) this.#live.set(id, this.#timer(act.delay ?? timer.delay));
    } else if (this.#live.size < this.#capacity) {
      const id = this.#handles.length;
      const timer = this.#timer(act.delay);
      const handle = this.#clockwork.set((argument) => this.#fire(argument, act), act.delay, id);
      assert.ok(handle > 0);
      this.#handles.push(handle);
      this.#live.set(id, timer);
    } else {
      this.log.push("full");
    }
    assert.equal(this.#clockwork.size, this.#live.size);
  }

  #timer(delay: number) {
    const deadline = this.#clockwork.now + delay;
    // A millisecond each for the beginning and the delay, rounded up, and for a native timer that was too soon.
    return { delay, deadline, latest: deadline + 3 + this.#lateness(deadline) };
  }

  #fire(id: number, act: Act): void {
    const timer = this.#live.get(id);
    assert.ok(timer !== undefined, "it fires a timer that is not live");
    assert.ok(this.#clockwork.now >= timer.deadline, "it is too soon");
    this.#live.delete(id);
    this.log.push([id, this.#clockwork.now]);
    if (act.kind !== "script") return;
    for (const inner of act.script) this.#act(inner);
    if (act.throws) throw new Planned();
  }
}

class Planned extends Error {}

/** For onError: only what was planned may be thrown; assertions inside callbacks must not go unseen. */
function errorsOf(): { unplanned: unknown[]; onError: (error: unknown) => void } {
  const unplanned: unknown[] = [];
  return { unplanned, onError: (error) => error instanceof Planned || unplanned.push(error) };
}

function courses(fraction: number): fc.Arbitrary<Act[]> {
  const part = (max: number) => fc.integer({ min: 0, max: max / fraction }).map((units) => units * fraction);
  const delay = fc.oneof(
    { weight: 8, arbitrary: part(12) },
    { weight: 2, arbitrary: part(5000) },
    { weight: 1, arbitrary: fc.constantFrom(65_536, 1_000_003, HORIZON - 1, HORIZON, LONGEST_DELAY_MS) },
  );
  const which = fc.nat(40);
  const set = fc.record({ kind: fc.constant("set" as const), delay });
  const clear = fc.record({ kind: fc.constant("clear" as const), which });
  const refresh = fc.record({
    kind: fc.constant("refresh" as const),
    which,
    delay: fc.option(delay, { nil: undefined }),
  });
  const script = fc.record({
    kind: fc.constant("script" as const),
    delay,
    script: fc.array(fc.oneof(set, clear, refresh), { maxLength: 4 }),
    throws: fc.boolean(),
  });
  const pass = fc.record({ kind: fc.constant("pass" as const), ms: fc.oneof(part(15), part(3000)) });
  const leap = fc.record({
    kind: fc.constant("leap" as const),
    ms: fc.oneof(
      { weight: 6, arbitrary: part(15) },
      { weight: 1, arbitrary: fc.constantFrom(70_000, HORIZON - 1, HORIZON, 2 ** 31 + 7, 2 ** 33 + 1) },
    ),
  });
  return fc.array(
    fc.oneof(
      { weight: 2, arbitrary: set },
      { weight: 3, arbitrary: script },
      { weight: 2, arbitrary: clear },
      { weight: 2, arbitrary: refresh },
      { weight: 2, arbitrary: pass },
      { weight: 2, arbitrary: leap },
    ),
    { maxLength: 50, size: "max" },
  );
}

function perform(
  competitor: TimersCompetitor,
  setting: Required<Pick<Setting, "capacity" | "start" | "batch">>,
) {
  const { unplanned, onError } = errorsOf();
  const { world, timeouts } = lab(competitor, { ...setting, onError });
  // From where the set's clock stands, or before that: the delay that the set knows of is this long.
  const actor = new Actor(new Raced(world, timeouts), setting.capacity, (deadline) =>
    competitor.lateness(Math.min(HORIZON, Math.ceil(deadline - world.rested) + 1)),
  );
  return { actor, world, timeouts, unplanned };
}

const settings = fc.record({
  capacity: fc.integer({ min: 1, max: 12 }),
  batch: fc.constantFrom(1, 2, 1000),
  start: fc.constantFrom(0, 5, 2 ** 31 - 20, 2 ** 32 + 3),
});

for (const entry of competitorsOf("timers")) {
  suite(`timers.callbacks: ${entry.name}`, async () => {
    const competitor = await load(entry);
    if (competitor.expiry !== "advance") return;
    const { lateness } = competitor;
    const exact = lateness(HORIZON) === 0;
    /** Milliseconds in which a timer of `delay`, set when the set's clock was right, has fired for certain. */
    const surely = (delay: number) => delay + lateness(delay + 2) + 2;

    test("does what a sorted array does, whatever is done, in callbacks too", () => {
      fc.assert(
        fc.property(settings, courses(1), (setting, course) => {
          const { actor, world, timeouts, unplanned } = perform(competitor, setting);
          actor.run(course);
          assert.deepEqual(unplanned, []);
          if (competitor.order === "fifo" && exact) {
            const naive = new Actor(new Naive(setting.start), setting.capacity, () => 0);
            assert.deepEqual(actor.log, naive.run(course).log);
          }
          world.exhaust();
          assert.equal(timeouts.size, 0);
        }),
        { seed: 7, numRuns: 150 },
      );
    });

    test("is never early with fractions of a millisecond and native timers that are", () => {
      fc.assert(
        fc.property(settings, courses(0.125), fc.constantFrom(0, 0.125, 0.875), (setting, course, early) => {
          const { actor, world, timeouts, unplanned } = perform(competitor, {
            ...setting,
            start: setting.start + 0.375,
          });
          world.early = early;
          actor.run(course);
          assert.deepEqual(unplanned, []);
          world.exhaust();
          assert.equal(timeouts.size, 0);
        }),
        { seed: 8, numRuns: 100 },
      );
    });

    test("has one native timer, armed anew only for an earlier timeout, and none for long when empty", () => {
      const { world, timeouts } = lab(competitor, { start: 0 });
      assert.equal(world.pending, undefined);
      const first = timeouts.set(() => {}, 100);
      assert.equal(world.pending!.at, 100);
      const second = timeouts.set(() => {}, 200);
      timeouts.refresh(first, 300);
      assert.equal(world.armed, 1);
      const earlier = timeouts.set(() => {}, 50);
      assert.equal(world.armed, 2);
      assert.equal(world.pending!.at, 50);
      timeouts.refresh(second, 20);
      assert.equal(world.armed, 3);
      assert.equal(world.pending!.at, 20);
      for (const handle of [first, second, earlier]) assert.ok(timeouts.clear(handle));
      assert.equal(world.keepsAlive, false);
      world.pass(20);
      assert.equal(world.pending, undefined);
      timeouts.set(() => {}, 30);
      assert.equal(world.pending!.at, 50);
      world.exhaust();
      assert.equal(timeouts.size, 0);
    });

    test("a callback that throws stops nothing", async () => {
      const { world, timeouts } = lab(competitor);
      const seen: number[] = [];
      const errors = await uncaught(() => {
        for (let index = 0; index < 6; index++) {
          timeouts.set(
            (argument) => {
              seen.push(argument);
              if (argument % 2 === 0) throw argument;
            },
            5,
            index,
          );
        }
        timeouts.set(() => seen.push(6), 1000);
        world.leap(surely(5));
        assert.equal(seen.length, 6);
        world.exhaust();
      });
      assert.deepEqual(seen.sort(), [0, 1, 2, 3, 4, 5, 6]);
      assert.deepEqual(errors.sort(), [0, 2, 4]);
    });

    test("onError hears of what was thrown; what it throws itself stops nothing either", async () => {
      const heard: [unknown, number][] = [];
      const { world, timeouts } = lab(competitor, {
        onError: (error, handle) => {
          assert.equal(timeouts.clear(handle), false);
          heard.push([error, handle]);
          if (error === "second") throw "another";
        },
      });
      const fail = (error: string) => {
        throw error;
      };
      const errors = await uncaught(() => {
        const expected = ["first", "second", "third"].map((error) => [error, timeouts.set(fail, 5, error)]);
        world.leap(surely(5));
        assert.deepEqual(heard.sort(), expected);
        assert.equal(world.pending, undefined);
      });
      assert.deepEqual(errors, ["another"]);
    });

    test("a stale handle is refused, however often its place was used since", () => {
      const { timeouts } = lab(competitor, { capacity: 1 << 17 });
      const generations = 2 ** 31 / (1 << 17);
      const stale = timeouts.set(() => {}, 5);
      timeouts.clear(stale);
      let last = stale;
      for (let use = 1; use < 2 * generations; use++) {
        const handle = timeouts.set(() => {}, 5);
        assert.ok(handle > last || handle % (1 << 17) !== last % (1 << 17), "a handle came again");
        assert.equal(timeouts.clear(stale), false);
        assert.ok(timeouts.clear(handle));
        last = handle;
      }
    });

    test("close ends everything, from inside a callback too, and may be repeated", () => {
      for (const inside of [true, false]) {
        const { world, timeouts } = lab(competitor);
        let ran = 0;
        const handles = Array.from({ length: 5 }, () =>
          timeouts.set(() => {
            ran++;
            timeouts.close();
          }, 5),
        );
        if (!inside) timeouts.close();
        world.leap(surely(5));
        timeouts.close();
        assert.equal(ran, inside ? 1 : 0);
        assert.equal(world.pending, undefined);
        assert.equal(timeouts.size, 0);
        for (const handle of handles) {
          assert.equal(timeouts.clear(handle), false);
          assert.equal(timeouts.refresh(handle), false);
        }
        assert.throws(() => timeouts.set(() => {}, 5), /closed/);
        assert.equal(world.pending, undefined);
      }
    });

    test("a native timer that fires late lets the event loop poll first: what that puts off does not run", () => {
      for (const lateMs of [LATE_MS, 8_000, HOUR]) {
        const { world, timeouts } = lab(competitor);
        const seen: string[] = [];
        const handles = ["refreshed", "cleared", "dead"].map((name) =>
          timeouts.set(() => seen.push(name), 5),
        );
        let polls = 0;
        world.betweenBatches = () => {
          if (++polls !== 2) return;
          assert.equal(seen.length, 0);
          assert.ok(timeouts.refresh(handles[0]!));
          assert.ok(timeouts.clear(handles[1]!));
          timeouts.set(() => seen.push("new"), 5);
        };
        world.leap(surely(5) + lateMs);
        assert.equal(polls, 2);
        assert.deepEqual(seen, ["dead"]);
        world.exhaust();
        assert.deepEqual(seen.sort(), ["dead", "new", "refreshed"]);
      }
    });

    test("between the turns that a late one waits for, all may be cleared or closed", () => {
      for (const end of ["clear", "close"]) {
        const { world, timeouts } = lab(competitor);
        const handle = timeouts.set(() => assert.fail("it ran"), 5);
        world.betweenBatches = () => (end === "close" ? timeouts.close() : timeouts.clear(handle));
        world.leap(surely(5) + LATE_MS);
        assert.equal(world.pending, undefined);
        assert.equal(timeouts.size, 0);
      }
    });

    test("after a batch the event loop has its turn, and nothing is lost", () => {
      const { world, timeouts } = lab(competitor, { batch: 3 });
      let ran = 0;
      const turns: number[] = [];
      const handles = Array.from({ length: 12 }, () => timeouts.set(() => ran++, 5));
      const last = timeouts.set(() => ran++, 100_000);
      world.betweenBatches = () => turns.push(ran);
      world.pass(surely(5));
      assert.equal(ran, 12);
      assert.ok(turns.length >= 3);
      assert.deepEqual(
        turns,
        turns.map((_, index) => 3 * (index + 1)),
      );
      assert.ok(handles.every((handle) => !timeouts.clear(handle)));
      assert.ok(timeouts.clear(last));
      assert.equal(world.keepsAlive, false);
    });

    test("between batches timeouts may be cleared, refreshed and set, and all closed", () => {
      for (const end of ["clear", "close"]) {
        const { world, timeouts } = lab(competitor, { batch: 2 });
        const seen: number[] = [];
        const handles = Array.from({ length: 6 }, (_, index) =>
          timeouts.set((argument) => seen.push(argument), 5, index),
        );
        world.betweenBatches = () => {
          assert.equal(timeouts.size, 4);
          const left = handles.filter((handle) => timeouts.refresh(handle, 100));
          assert.equal(left.length, 4);
          const added = timeouts.set(() => seen.push(-1), 0);
          if (end === "close") return timeouts.close();
          for (const handle of [...left, added]) assert.ok(timeouts.clear(handle));
        };
        world.pass(surely(5));
        assert.equal(seen.length, 2);
        assert.equal(world.pending, undefined);
      }
    });

    test("a clock that goes back stands still, and fires nothing early or twice", () => {
      const { world, timeouts } = lab(competitor, { start: 10_000 });
      const seen: number[] = [];
      timeouts.set(() => seen.push(1), 10);
      world.leap(surely(10));
      assert.deepEqual(seen, [1]);
      world.now = 500;
      const deadline = 10_000 + surely(10) + 20;
      timeouts.set(() => {
        assert.ok(world.now >= deadline);
        seen.push(2);
      }, 20);
      world.pass(9000);
      assert.deepEqual(seen, [1]);
      world.pass(1000 + 2 * surely(20));
      assert.deepEqual(seen, [1, 2]);
    });

    test("an idle process sleeps: a set that is exact does not wake it, and one that scans does so at each scan", () => {
      const { world, timeouts } = lab(competitor, { capacity: 10_001, start: 0 });
      for (let index = 0; index < 10_000; index++) {
        timeouts.set(() => {}, 3 * HOUR + ((index * 7919) % 1000));
        if (index % 150 === 0) world.pass(1);
      }
      // Until one has run, Timeouts knows the first deadline itself and asks the set for none.
      timeouts.set(() => {}, 10);
      world.pass(surely(10));
      const before = world.armed;
      world.pass(HOUR);
      const wakes = world.armed - before;
      // One counts a delay from the scan before and is late by two of its periods.
      const allowed = lateness(1) === 0 ? 0 : (2 * HOUR) / lateness(1);
      assert.ok(wakes <= allowed, `it woke ${wakes} times, where ${allowed} are allowed`);
    });

    test("errors change nothing", () => {
      const { world, timeouts } = lab(competitor, { capacity: 2, start: 0 });
      const seen: string[] = [];
      const kept = timeouts.set((argument) => seen.push(argument), 10, "kept");
      const check = (act: (delay: number) => unknown) => {
        for (const delay of [
          -1,
          Number.NaN,
          Number.POSITIVE_INFINITY,
          LONGEST_DELAY_MS + 1,
          LONGEST_DELAY_MS + 0.5,
        ]) {
          assert.throws(() => act(delay), RangeError);
        }
        for (const delay of ["10", null, 10n, {}]) assert.throws(() => act(delay as number), TypeError);
      };
      check((delay) => timeouts.set(() => seen.push("never"), delay));
      check((delay) => timeouts.refresh(kept, delay));
      for (const callback of [undefined, "code", {}]) {
        assert.throws(() => timeouts.set(callback as () => void, 5), TypeError);
      }
      assert.throws(() => timeouts.set(() => {}, undefined as unknown as number), TypeError);
      for (const none of [0, -1, -kept, 15, 0x7fff_ffff]) {
        assert.equal(timeouts.clear(none), false);
        assert.equal(timeouts.refresh(none, LONGEST_DELAY_MS), false);
      }
      assert.equal(timeouts.size, 1);
      timeouts.set((argument) => seen.push(argument), 10_000, "full");
      assert.throws(() => timeouts.set(() => seen.push("never"), 1), RangeError);
      assert.equal(timeouts.size, 2);
      assert.equal(world.armed, 1);
      world.pass(surely(10));
      assert.deepEqual(seen, ["kept"]);
      world.exhaust();
      assert.deepEqual(seen, ["kept", "full"]);
    });
  });
}

test("timers.callbacks: refuses an invalid capacity and batch", () => {
  for (const capacity of [0, -1, 1.5, MAX_CAPACITY + 1, undefined, {}] as number[]) {
    assert.throws(() => new Timeouts(oracle, capacity), RangeError);
    assert.throws(() => privateTimers(oracle, capacity), RangeError);
  }
  assert.equal(new Timeouts(oracle, 3).capacity, 3);
  for (const batch of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => new Timeouts(oracle, 1, { batch }), RangeError);
  }
});

/** A competitor whose only set is this one. */
function over(set: TimerSet): TimersCompetitor {
  return { ...oracle, attach: () => set };
}

test("timers.callbacks: brings the set's clock to the present once in a millisecond", () => {
  const set = privateTimers(oracle, 100);
  let advances = 0;
  const advance = set.advance.bind(set);
  set.advance = (now, out, budget) => {
    advances++;
    return advance(now, out, budget);
  };
  const world = new SingleTimerWorld(0);
  const timeouts = new Timeouts(over(set), 100, { clock: world.clock, native: world.native });
  const handle = timeouts.set(() => {}, 1000);
  for (let ms = 1; ms <= 5; ms++) {
    world.pass(1);
    for (let index = 0; index < 5; index++) {
      timeouts.refresh(handle);
      timeouts.clear(timeouts.set(() => {}, 1000));
    }
    assert.equal(advances, ms);
    assert.equal(set.clock, world.now);
  }
});

test("timers.callbacks: handles count to 2^53 and begin anew, whatever the set's generations do", () => {
  const forgetful: TimerSet = {
    add: () => 1,
    cancel: () => true,
    refresh: () => true,
    advance: () => 0,
    nextExpiry: () => undefined,
    size: 0,
    clock: 0,
  };
  const world = new SingleTimerWorld(0);
  const timeouts = new Timeouts(over(forgetful), 1, { clock: world.clock, native: world.native });
  let last = 0;
  for (let use = 0; use < 2 ** 22; use++) {
    const handle = timeouts.set(() => {}, 5);
    assert.ok(handle > last && Number.isSafeInteger(handle));
    assert.equal(timeouts.clear(last), false);
    timeouts.clear(handle);
    last = handle;
  }
  assert.equal(
    timeouts.set(() => {}, 5),
    1,
  );
});

test("timers.callbacks: refuses a set in place of a competitor, and one whose timers do not expire by advance", async () => {
  const set = privateTimers(oracle, 8);
  assert.throws(() => new Timeouts(set as unknown as TimersCompetitor, 4), / is no set of timers: /);
  let refused = 0;
  for (const entry of competitorsOf("timers")) {
    const competitor = await load(entry);
    if (competitor.expiry === "advance") continue;
    refused++;
    assert.throws(() => new Timeouts(competitor, 4), /^RangeError: timers that expire by .*advance$/);
  }
  assert.ok(refused > 0);
});

test("timers.callbacks: goes on from where the set's clock stands", () => {
  const set: TimerSet = privateTimers(oracle, 4);
  set.advance(2 ** 31 - 5, new Int32Array(1), 1);
  const world = new SingleTimerWorld(1000.5);
  const timeouts = new Timeouts(over(set), 4, { clock: world.clock, native: world.native });
  const seen: number[] = [];
  for (const delay of [0, 3.25, 4, 10]) timeouts.set(() => seen.push(world.now), delay);
  world.exhaust();
  assert.deepEqual(
    seen.map((at) => Math.floor(at)),
    [1001, 1005, 1005, 1011],
  );
});

test("timers.callbacks: timers beyond the set's horizon keep their order", () => {
  const { world, timeouts } = lab(oracle, { start: 0 });
  const seen: string[] = [];
  const due = HORIZON + 100;
  const set = (name: string) => timeouts.set(() => seen.push(name), due - world.now);
  set("far");
  const refreshed = set("refreshed");
  set("far, too");
  timeouts.refresh(refreshed);
  // By now the horizon of the set would reach as far.
  world.pass(100);
  set("near");
  timeouts.refresh(refreshed, due - world.now);
  set("nearest");
  world.pass(HORIZON);
  assert.deepEqual(seen, ["far", "far, too", "near", "refreshed", "nearest"]);
});

test("timers.callbacks: ref and unref reach the current native timer and all later ones", () => {
  const { world, timeouts } = lab(oracle, { batch: 1 });
  const refs: boolean[] = [];
  timeouts.set(() => {}, 10);
  assert.ok(world.pending!.refed);
  assert.equal(timeouts.unref(), timeouts);
  assert.ok(!world.pending!.refed);
  timeouts.set(() => {}, 5);
  assert.ok(!world.pending!.refed);
  timeouts.ref();
  assert.ok(world.pending!.refed);
  timeouts.set(() => {}, 10);
  timeouts.unref();
  // An immediate is not pending for longer than a turn, and would not run if it were unref'd.
  world.betweenBatches = () => {
    refs.push(world.pending!.refed);
    timeouts.unref();
    refs.push(world.pending!.refed);
  };
  world.leap(11);
  assert.deepEqual([timeouts.size, world.pending!.refed], [2, false]);
  timeouts.ref();
  assert.ok(world.pending!.refed);
  world.pass(1);
  assert.deepEqual([timeouts.size, world.pending!.refed], [1, false]);
  world.pass(1);
  assert.deepEqual(refs, [true, true, true, true]);
  assert.equal(timeouts.size, 0);
});

test("timers.callbacks: a slow clock reading cannot starve I/O", () => {
  // Each look at the clock takes 2 ms, so that whatever is set is overdue at the end of the wake.
  const world = new SingleTimerWorld(0);
  const clock = () => {
    world.now += 2;
    return world.now;
  };
  const timeouts = new Timeouts(oracle, 2, { clock, native: world.native });
  let ran = 0;
  let turns = 0;
  const again = () => {
    if (++ran < 50) timeouts.set(again, 0);
  };
  world.betweenBatches = () => turns++;
  timeouts.set(again, 0);
  world.exhaust();
  assert.equal(ran, 50);
  assert.ok(turns >= 40);
});

test("timers.callbacks: with batches of 1 promise reactions and ticks come between callbacks", async () => {
  // A clock that stands still until both are due, so that one wake finds them.
  let now = 0;
  const timeouts = new Timeouts(oracle, 2, { clock: () => now, batch: 1 });
  const seen: string[] = [];
  await new Promise<void>((resolve) => {
    timeouts.set(() => {
      seen.push("first");
      process.nextTick(() => seen.push("tick"));
      Promise.resolve().then(() => seen.push("reaction"));
    }, 1);
    timeouts.set(() => {
      seen.push("second");
      resolve();
    }, 1);
    now = 5;
  });
  assert.deepEqual(seen, ["first", "tick", "reaction", "second"]);
});

test("timers.callbacks: what has run, was cleared or closed is no longer referred to", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const { world, timeouts } = lab(oracle);
  const references: WeakRef<object>[] = [];
  const set = (delay: number) => {
    const argument = {};
    const callback = (own: object) => void own;
    references.push(new WeakRef(argument), new WeakRef(callback));
    return timeouts.set(callback, delay, argument);
  };
  const collected = async () => {
    // A reference that was just made or read is held until the turn is over.
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    return references.splice(0).filter((reference) => reference.deref() !== undefined).length;
  };
  timeouts.set(() => {}, 5000);
  set(1);
  world.pass(10);
  timeouts.clear(set(1));
  assert.equal(await collected(), 0);
  set(1);
  timeouts.close();
  assert.equal(await collected(), 0);
});

test("timers.callbacks: a callback runs in the context in which its timer was set, where that is asked for", () => {
  const storage = new AsyncLocalStorage<string>();
  const { world, timeouts } = lab(oracle, { keepsContext: true });
  const seen: unknown[] = [];
  const note = () => seen.push(storage.getStore());
  const refreshed = storage.run("first", () => timeouts.set(note, 5));
  storage.run("second", () => timeouts.set(note, 5));
  timeouts.set(note, 5);
  storage.run("refresh", () => timeouts.refresh(refreshed, 6));
  storage.run("wake", () => world.pass(10));
  assert.deepEqual(seen, ["second", undefined, "first"]);
});

test("timers.callbacks: makes an AsyncResource for a timer only where it keeps its context", () => {
  for (const keepsContext of [true, false, undefined]) {
    const { timeouts } = lab(oracle, keepsContext === undefined ? {} : { keepsContext });
    let made = 0;
    const hook = createHook({ init: () => made++ }).enable();
    timeouts.set(() => {}, 1);
    hook.disable();
    assert.equal(made, keepsContext ? 1 : 0);
  }
});

test("timers.callbacks: with the real clock, each once and none early", async () => {
  const timeouts = new Timeouts(oracle, 100, { batch: 7 });
  const early: number[] = [];
  const fired = new Set<number>();
  await new Promise<void>((resolve) => {
    for (let index = 0; index < 100; index++) {
      const delay = (index % 10) * 1.7;
      const begin = performance.now();
      timeouts.set(
        (argument) => {
          if (performance.now() - begin < delay) early.push(argument);
          fired.add(argument);
          if (fired.size === 100) resolve();
        },
        delay,
        index,
      );
    }
  });
  assert.deepEqual(early, []);
  assert.equal(timeouts.size, 0);
});
