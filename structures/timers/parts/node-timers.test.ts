import assert from "node:assert/strict";
import { AsyncLocalStorage, createHook } from "node:async_hooks";
import { test } from "node:test";
import hashedWheel from "../competitors/hashed-wheel.ts";
import { LONGEST_DELAY_MS, type NativeTimer } from "./callbacks.ts";
import {
  FIRST_CAPACITY,
  MOST_GROWTH,
  NodeTimers,
  type NodeTimersOptions,
  type Timeout,
} from "./node-timers.ts";

/** A clock and the runtime's timers, any number of them, which hold still until time passes. */
class World {
  now = 0;
  readonly #pending = new Set<FakeTimer>();

  readonly native = {
    setTimeout: (wake: () => void, delayMs: number) => this.#arm(this.now + Math.max(1, delayMs), wake),
    clearTimeout: (timer: NativeTimer) => void this.#pending.delete(timer as FakeTimer),
    setImmediate: (wake: () => void) => this.#arm(this.now, wake),
    clearImmediate: (timer: NativeTimer) => void this.#pending.delete(timer as FakeTimer),
  };

  get keepsAlive(): boolean {
    return [...this.#pending].some(({ refed }) => refed);
  }

  pass(ms: number): void {
    const until = this.now + ms;
    for (;;) {
      const [next] = [...this.#pending].sort((a, b) => a.at - b.at);
      if (next === undefined || next.at > until) break;
      this.#pending.delete(next);
      this.now = Math.max(this.now, next.at);
      next.wake();
    }
    this.now = until;
  }

  #arm(at: number, wake: () => void): FakeTimer {
    const timer = new FakeTimer(at, wake);
    this.#pending.add(timer);
    return timer;
  }
}

class FakeTimer implements NativeTimer {
  refed = true;
  readonly at: number;
  readonly wake: () => void;

  constructor(at: number, wake: () => void) {
    this.at = at;
    this.wake = wake;
  }

  ref(): void {
    this.refed = true;
  }

  unref(): void {
    this.refed = false;
  }
}

function lab(options: NodeTimersOptions = {}) {
  const world = new World();
  const timers = new NodeTimers(hashedWheel, { clock: () => world.now, native: world.native, ...options });
  return { world, timers, ...timers };
}

test("node-timers: what is returned has all that Node's has", () => {
  const native = setTimeout(() => {}, 1);
  clearTimeout(native);
  const own = lab().setTimeout(() => {});
  const methods: (string | symbol)[] = Reflect.ownKeys(Object.getPrototypeOf(native)).filter(
    (key) => typeof key === "string" || key === Symbol.dispose || key === Symbol.toPrimitive,
  );
  for (const method of [...methods, Symbol.dispose, Symbol.toPrimitive])
    assert.ok(method in own, String(method));
});

test("node-timers: a callback is given its arguments, and its timer as this", () => {
  const { world, setTimeout } = lab();
  const seen: unknown[] = [];
  const timer = setTimeout(
    function (this: Timeout, ...all: unknown[]) {
      seen.push(this, ...all);
    },
    5,
    1,
    "two",
    undefined,
  );
  world.pass(4);
  assert.deepEqual(seen, []);
  world.pass(1);
  assert.deepEqual(seen, [timer, 1, "two", undefined]);
});

test("node-timers: a delay that Node does not take is 1 ms, and the longest is 24.8 days", () => {
  const { world, setTimeout } = lab();
  const odd = [
    undefined,
    Number.NaN,
    -5,
    0,
    "soon",
    {},
    LONGEST_DELAY_MS + 1,
    Number.POSITIVE_INFINITY,
    null,
  ];
  const seen: unknown[] = [];
  for (const delay of odd) setTimeout((own) => seen.push(own), delay as number, delay);
  setTimeout(() => seen.push("longest"), LONGEST_DELAY_MS);
  setTimeout(() => seen.push("text"), "7" as unknown as number);
  world.pass(1);
  assert.deepEqual(seen, odd);
  world.pass(6);
  assert.equal(seen.pop(), "text");
  world.pass(LONGEST_DELAY_MS - 8);
  assert.equal(seen.length, odd.length);
  world.pass(1);
  assert.equal(seen.pop(), "longest");
});

test("node-timers: refuses a callback that is none, and sets nothing", () => {
  const { timers, setTimeout, setInterval } = lab();
  for (const callback of [undefined, "code", {}]) {
    assert.throws(() => setTimeout(callback as () => void, 1), TypeError);
    assert.throws(() => setInterval(callback as () => void, 1), TypeError);
  }
  assert.equal(timers.size, 0);
});

test("node-timers: refresh puts off, runs again from inside the callback and after it, and does not wake the dead", () => {
  const { world, timers, setTimeout } = lab();
  const ranAt: number[] = [];
  const timer = setTimeout(() => {
    ranAt.push(world.now);
    if (ranAt.length < 3) assert.equal(timer.refresh(), timer);
  }, 10);
  world.pass(6);
  timer.refresh();
  world.pass(100);
  assert.deepEqual(ranAt, [16, 26, 36]);
  timer.refresh();
  assert.equal(timers.size, 1);
  world.pass(10);
  assert.equal(ranAt.length, 4);
  timer.close().refresh();
  timer.refresh().close().refresh();
  world.pass(100);
  assert.equal(ranAt.length, 4);
  assert.equal(timers.size, 0);
});

test("node-timers: clear, close and dispose end a timer, before it runs and from inside", () => {
  const ends: ((clear: NodeTimers["clearTimeout"], timer: Timeout) => void)[] = [
    (clear, timer) => clear(timer),
    (clear, timer) => clear(+timer as number),
    (clear, timer) => clear(`${timer}`),
    (_clear, timer) => timer.close(),
    (_clear, timer) => timer[Symbol.dispose](),
  ];
  for (const end of ends) {
    const { world, timers, setTimeout, setInterval, clearTimeout } = lab();
    let runs = 0;
    end(
      clearTimeout,
      setTimeout(() => runs++, 5),
    );
    assert.equal(timers.size, 0);
    const interval = setInterval(() => {
      if (++runs === 3) end(clearTimeout, interval);
    }, 5);
    world.pass(100);
    assert.equal(runs, 3);
    assert.equal(timers.size, 0);
  }
});

test("node-timers: its primitive names a timer as long as it is pending, and no other is touched", () => {
  const { world, timers, setTimeout, clearTimeout } = lab();
  const first = setTimeout(() => {}, 5);
  const name = +first as number;
  world.pass(5);
  const others = [1, 2, 3].map(() => setTimeout(() => {}, 5));
  clearTimeout(name);
  assert.equal(timers.size, 3);
  assert.equal(+first, name);
  clearTimeout(name);
  first.refresh();
  clearTimeout(name);
  assert.equal(timers.size, 3);
  assert.equal(new Set(others.map(Number)).size, 3);
  const foreign = { [Symbol.toPrimitive]: () => +others[0]! } as unknown as Timeout;
  for (const stranger of [null, undefined, Number.NaN, -1, "x", foreign]) clearTimeout(stranger);
  assert.equal(timers.size, 3);
});

test("node-timers: an interval counts from the beginning of its callback, and goes on when that throws", async () => {
  const { world, timers, setInterval } = lab();
  const ranAt: number[] = [];
  const errors: unknown[] = [];
  process.setUncaughtExceptionCaptureCallback((error) => errors.push(error));
  try {
    const interval = setInterval(() => {
      ranAt.push(world.now);
      world.now += 3;
      if (world.now === 23) throw "planned";
    }, 10);
    timers.setTimeout(() => ranAt.push(-1), 20);
    world.pass(40);
    interval.close();
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.setUncaughtExceptionCaptureCallback(null);
  }
  assert.deepEqual(
    ranAt.toSorted((a, b) => a - b),
    [-1, 10, 20, 30, 40],
  );
  assert.deepEqual(errors, ["planned"]);
});

test("node-timers: keeps the process alive while a timer does that is not unrefed", () => {
  const { world, setTimeout } = lab();
  const idle = setTimeout(() => {}, 100).unref();
  assert.equal(idle.hasRef(), false);
  assert.equal(world.keepsAlive, false);
  const busy = setTimeout(() => {}, 10);
  assert.equal(busy.hasRef(), true);
  assert.equal(world.keepsAlive, true);
  busy.unref().unref();
  assert.equal(world.keepsAlive, false);
  busy.ref().ref();
  assert.equal(world.keepsAlive, true);
  world.pass(10);
  assert.equal(world.keepsAlive, false);
  busy.refresh();
  assert.equal(world.keepsAlive, true);
  busy.close();
  assert.equal(busy.hasRef(), false);
  assert.equal(world.keepsAlive, false);
  idle.ref();
  assert.equal(world.keepsAlive, true);
});

test("node-timers: a callback runs in the context in which its timer was set", () => {
  const storage = new AsyncLocalStorage<string>();
  const { world, setTimeout, setInterval } = lab();
  const seen: unknown[] = [];
  const note = () => seen.push(storage.getStore());
  storage.run("first", () => setTimeout(note, 1));
  const interval = storage.run("second", () => setInterval(note, 1));
  setTimeout(note, 1);
  storage.run("whoever wakes", () => world.pass(2));
  interval.close();
  assert.deepEqual(seen, ["first", "second", undefined, "second"]);
});

test("node-timers: makes an AsyncResource for a timer only where it keeps its context", () => {
  for (const keepsContext of [true, false]) {
    const { setTimeout } = lab({ keepsContext });
    let made = 0;
    const hook = createHook({ init: () => made++ }).enable();
    setTimeout(() => {}, 1);
    hook.disable();
    assert.equal(made, keepsContext ? 1 : 0);
  }
});

test("node-timers: a promise resolves to its value, and an aborted one leaves no timer", async () => {
  const { world, timers, promises } = lab();
  const kept = promises.setTimeout(5, "value");
  const waited = promises.scheduler.wait(5);
  const { signal, abort } = aborter();
  const aborted = promises.setTimeout(5, "never", { signal });
  abort("reason");
  await assert.rejects(aborted, { name: "AbortError", code: "ABORT_ERR", cause: "reason" });
  assert.equal(timers.size, 2);
  await assert.rejects(promises.setTimeout(5, "never", { signal }), { name: "AbortError" });
  await assert.rejects(promises.setTimeout(5, "never", { signal: {} as AbortSignal }), TypeError);
  assert.equal(timers.size, 2);
  assert.equal(world.keepsAlive, true);
  world.pass(5);
  assert.equal(await kept, "value");
  assert.equal(await waited, undefined);
  promises.setTimeout(5, undefined, { ref: false });
  assert.equal(world.keepsAlive, false);
});

test("node-timers: an interval's iterator yields as often as was due, and ends with its loop or its signal", async () => {
  const { world, timers, promises } = lab();
  const { signal, abort } = aborter();
  const iterator = promises.setInterval(10, "value", { signal });
  const first = iterator.next();
  world.pass(30);
  const rest = [await first, await iterator.next(), await iterator.next()];
  assert.deepEqual(
    rest.map(({ value }) => value),
    ["value", "value", "value"],
  );
  const fourth = iterator.next();
  abort("reason");
  await assert.rejects(fourth, { name: "AbortError" });
  assert.equal(timers.size, 0);
  const looped = promises.setInterval(10);
  const turn = looped.next();
  world.pass(10);
  await turn;
  await looped.return();
  assert.equal(timers.size, 0);
});

function aborter() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: (reason: unknown) => controller.abort(reason) };
}

test("node-timers: grows by a bounded number of places, loses no timer and uses again what is free", () => {
  const { world, timers, setTimeout } = lab();
  assert.equal(timers.capacity, FIRST_CAPACITY);
  const count = 5 * MOST_GROWTH;
  const ran = new Uint8Array(count);
  const all: Timeout[] = [];
  for (let index = 0; index < count; index++) {
    const before = timers.capacity;
    all.push(setTimeout((own) => ran[own]!++, 1000 + (index % 7), index));
    assert.ok(timers.capacity - before <= MOST_GROWTH);
  }
  assert.equal(timers.size, count);
  const { capacity } = timers;
  assert.ok(capacity >= count && capacity < count + MOST_GROWTH);
  for (let index = 0; index < count; index += 2) all[index]!.close();
  for (let index = 0; index < count; index += 2) setTimeout((own) => ran[own]!++, 1000, index);
  assert.equal(timers.capacity, capacity);
  world.pass(1007);
  assert.deepEqual(new Set(ran), new Set([1]));
  assert.equal(timers.size, 0);
});

test("node-timers: once closed nothing runs and nothing can be set", () => {
  const { world, timers, setTimeout, setInterval } = lab();
  const pending = setTimeout(() => assert.fail("it ran"), 5);
  setInterval(() => assert.fail("it ran"), 5);
  timers.close();
  timers.close();
  world.pass(100);
  assert.equal(timers.size, 0);
  assert.equal(world.keepsAlive, false);
  pending.refresh().unref().close();
  assert.throws(() => setTimeout(() => {}, 5), /closed/);
});
