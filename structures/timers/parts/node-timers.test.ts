import assert from "node:assert/strict";
import { AsyncLocalStorage, createHook } from "node:async_hooks";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import native from "node:timers/promises";
import { promisify } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { itRefusesAsWritten } from "../../interleave/calls.trials.ts";
import hashedWheel from "../competitors/hashed-wheel.ts";
import { LATE_MS, LONGEST_DELAY_MS } from "./callbacks.ts";
import {
  type Deadline,
  FIRST_CAPACITY,
  MOST_GROWTH,
  NodeTimers,
  type NodeTimersOptions,
  type PromiseOptions,
  type Timeout,
} from "./node-timers.ts";
import { World } from "./world.synthetic.ts";

const REFUSALS = new URL("../testdata/node-timers.txt", import.meta.url);

function lab(options: NodeTimersOptions = {}) {
  const world = new World();
  const timers = new NodeTimers(hashedWheel, { clock: world.clock, native: world.native, ...options });
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

test("node-timers: a delay that Node does not take is 1 ms, and the longest is 24.8 days", (t) => {
  const { world, setTimeout } = lab();
  const { mock } = t.mock.method(process, "emitWarning", () => {});
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
  // Node's own, in their order: of those that it gives once in a process, these are the first.
  const warned = mock.calls.map(({ arguments: [message, name] }) => `${name}: ${`${message}`.split(".")[0]}`);
  assert.deepEqual(warned, [
    "TimeoutNaNWarning: NaN is not a number",
    "TimeoutNegativeWarning: -5 is a negative number",
    `TimeoutOverflowWarning: ${LONGEST_DELAY_MS + 1} does not fit into a 32-bit signed integer`,
    "TimeoutOverflowWarning: Infinity does not fit into a 32-bit signed integer",
  ]);
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
  assert.equal(busy.hasRef(), true);
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
  storage.run("wake", () => world.pass(2));
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
  await looped.return(undefined);
  assert.equal(timers.size, 0);
});

test("node-timers: invalid options reject, as Node's do", async () => {
  const { timers, promises } = lab();
  const wrong = [null, 1, "x", [], { ref: 1 }, { ref: null }, { signal: null }, { signal: {} }];
  for (const options of wrong as PromiseOptions[]) {
    const expected = { name: "TypeError", code: "ERR_INVALID_ARG_TYPE" };
    await assert.rejects(promises.setTimeout(1, "x", options), expected);
    await assert.rejects(promises.scheduler.wait(1, options), expected);
    await assert.rejects(promises.setInterval(1, "x", options).next(), expected);
    await assert.rejects(native.setTimeout(1, "x", options), expected);
  }
  assert.equal(timers.size, 0);
});

test("node-timers: a consumer slower than its interval sees the abort after what was due by then, as in Node", async () => {
  const { world, timers, promises } = lab();
  const { signal, abort } = aborter();
  const iterator = promises.setInterval(1, "value", { signal });
  const first = iterator.next();
  world.pass(4);
  await first;
  abort("reason");
  assert.equal(timers.size, 0);
  world.pass(200);
  for (let due = 3; due > 0; due--) assert.equal((await iterator.next()).value, "value");
  await assert.rejects(iterator.next(), { name: "AbortError", cause: "reason" });
  assert.deepEqual(await iterator.next(), { done: true, value: undefined });
});

test("node-timers: an interval's iterator keeps the process alive while it is asked, and no longer", async () => {
  for (const ref of [true, false]) {
    const { world, promises } = lab();
    const iterator = promises.setInterval(10, "value", { ref });
    assert.equal(world.keepsAlive, false);
    for (let turn = 0; turn < 3; turn++) {
      const next = iterator.next();
      await settled();
      assert.equal(world.keepsAlive, ref);
      world.pass(10);
      await next;
      assert.equal(world.keepsAlive, false);
    }
  }
});

test("node-timers: no history of a promise or an iterator leaves a listener or a timer", async () => {
  type Lab = ReturnType<typeof lab> & ReturnType<typeof aborter>;
  const histories: Readonly<Record<string, (of: Lab) => Promise<unknown>>> = {
    resolved: async ({ world, promises, signal }) => {
      const value = promises.setTimeout(5, "value", { signal });
      await settled();
      world.pass(5);
      await value;
    },
    aborted: async ({ promises, signal, abort }) => {
      const value = promises.setTimeout(5, "value", { signal });
      await settled();
      abort("reason");
      await assert.rejects(value);
    },
    "set when closed": async ({ timers, promises, signal }) => {
      timers.close();
      await assert.rejects(promises.setTimeout(5, "value", { signal }), /closed/);
      await assert.rejects(promises.setInterval(5, "value", { signal }).next(), /closed/);
    },
    "closed while pending": async ({ timers, promises, signal }) => {
      promises.setTimeout(5, "value", { signal });
      promises.setInterval(5, "value", { signal }).next();
      await settled();
      timers.close();
    },
    returned: async ({ world, promises, signal }) => {
      const iterator = promises.setInterval(5, "value", { signal });
      const next = iterator.next();
      await settled();
      world.pass(5);
      await next;
      await iterator.return(undefined);
    },
    "aborted while asked": async ({ promises, signal, abort }) => {
      const next = promises.setInterval(5, "value", { signal }).next();
      await settled();
      abort("reason");
      await assert.rejects(next);
    },
    "aborted while not asked": async ({ world, promises, signal, abort }) => {
      const iterator = promises.setInterval(5, "value", { signal });
      const next = iterator.next();
      await settled();
      world.pass(5);
      await next;
      abort("reason");
    },
  };
  for (const [name, history] of Object.entries(histories)) {
    const of = { ...lab(), ...aborter() };
    await history(of);
    assert.equal(getEventListeners(of.signal, "abort").length, 0, name);
    assert.equal(of.timers.size, 0, name);
    assert.equal(of.world.keepsAlive, false, name);
  }
});

test("node-timers: a name holds its timer while that is pending, and no longer", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const { world, setTimeout, setInterval } = lab();
  const histories: Readonly<Record<string, (timer: Timeout) => void>> = {
    ran: () => world.pass(5),
    cleared: (timer) => void timer.close(),
    "named after it ran": (timer) => {
      world.pass(5);
      void +timer;
    },
    "refreshed after it ran": (timer) => {
      world.pass(5);
      timer.refresh();
      world.pass(5);
    },
  };
  const references = Object.entries(histories).map(([name, history]) => {
    const timer = setTimeout(() => {}, 5);
    void +timer;
    history(timer);
    return { name, reference: new WeakRef(timer) };
  });
  const interval = setInterval(() => interval.close(), 5);
  void +interval;
  world.pass(5);
  await settled();
  collect();
  for (const { name, reference } of references) assert.equal(reference.deref(), undefined, name);
});

test("node-timers: ref and unref of a timer that is not pending hold nothing", () => {
  const ends: ((world: World, timer: Timeout) => void)[] = [
    (world) => world.pass(5),
    (_world, timer) => timer.close(),
  ];
  for (const end of ends) {
    const { world, setTimeout } = lab();
    const over = setTimeout(() => {}, 5).unref();
    end(world, over);
    over.ref().ref();
    const pending = setTimeout(() => {}, 100).unref();
    assert.equal(world.keepsAlive, false);
    over.unref();
    pending.ref();
    over.unref();
    assert.equal(world.keepsAlive, true);
  }
});

test("node-timers: what was said of keeping the process alive is known after a clear, as in Node", () => {
  const { setTimeout: own } = lab();
  const timers: NodeJS.Timeout[] = [own(() => {}, 1000), globalThis.setTimeout(() => {}, 1000)];
  for (const timer of timers) {
    timer.close();
    assert.equal(timer.hasRef(), true);
    timer.unref();
    assert.equal(timer.hasRef(), false);
  }
});

test("node-timers: a timer is a NodeJS.Timeout, and Node's global clearTimeout ends it", () => {
  const { world, timers, setTimeout, setInterval } = lab();
  const never = () => assert.fail("it ran");
  const pending: NodeJS.Timeout[] = [setTimeout(never, 5), setInterval(never, 5)];
  globalThis.clearTimeout(pending[0]);
  globalThis.clearInterval(pending[1]);
  globalThis.clearTimeout(pending[0]);
  assert.equal(timers.size, 0);
  pending[0]!.refresh();
  world.pass(10);
});

test("node-timers: unref'd timers run on time though nothing else wakes the event loop", () => {
  const { world, setTimeout, setInterval } = lab({ batch: 1 });
  let runs = 0;
  for (let count = 0; count < 3; count++) setTimeout(() => runs++, 5).unref();
  setInterval(() => runs++, 10).unref();
  world.pass(8);
  assert.equal(runs, 3);
  world.now += LATE_MS + 10;
  world.pass(2);
  assert.equal(runs, 4);
});

test("node-timers: in the place of the global functions it serves all of them, and does not call itself", async () => {
  const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis;
  const earlier = setTimeout(() => assert.fail("it ran"), 1);
  const timers = new NodeTimers(hashedWheel);
  Object.assign(globalThis, {
    setTimeout: timers.setTimeout,
    setInterval: timers.setInterval,
    clearTimeout: timers.clearTimeout,
    clearInterval: timers.clearInterval,
  });
  try {
    globalThis.clearTimeout(earlier);
    const own: NodeJS.Timeout = globalThis.setTimeout(() => assert.fail("it ran"), 1);
    assert.equal(timers.size, 1);
    globalThis.clearTimeout(own);
    await promisify(globalThis.setTimeout)(2);
    await new Promise<void>((resolve) => globalThis.setTimeout(resolve, 1));
  } finally {
    Object.assign(globalThis, { setTimeout, setInterval, clearTimeout, clearInterval });
  }
  assert.equal(timers.size, 0);
});

test("node-timers: the number of a timer means none of the runtime's, nor of another", () => {
  const { world, setTimeout } = lab();
  let runs = 0;
  const own = setTimeout(() => runs++, 5);
  const native = globalThis.setTimeout(() => {}, 5);
  const other = new NodeTimers(hashedWheel);
  const others = other.setTimeout(() => {}, 5);
  assert.equal(new Set([+own, +native, +others]).size, 3);
  globalThis.clearTimeout(+own);
  other.clearTimeout(+own);
  world.pass(5);
  assert.equal(runs, 1);
  other.clearTimeout(+native);
  assert.equal((native as unknown as { _destroyed: boolean })._destroyed, true);
  other.clearTimeout(own.refresh());
  assert.equal(own._destroyed, true);
});

test("node-timers: what a callback throws finds its context at 'uncaughtException'", async () => {
  const { world, setTimeout } = lab();
  const context = new AsyncLocalStorage<string>();
  const found = new Promise((resolve) =>
    process.setUncaughtExceptionCaptureCallback(({ message }) => resolve([message, context.getStore()])),
  );
  try {
    const failing = () => {
      throw new Error("failed");
    };
    context.run("its own", () => setTimeout(failing, 5));
    world.pass(5);
    assert.deepEqual(await found, ["failed", "its own"]);
  } finally {
    process.setUncaughtExceptionCaptureCallback(null);
  }
});

test("node-timers: an interval's values have the type of its value", async () => {
  const { world, promises } = lab();
  const iterator: AsyncGenerator<string, void> = promises.setInterval(1, "value");
  const first = async () => {
    for await (const value of iterator) return value.length;
    return 0;
  };
  const length = first();
  world.pass(1);
  assert.equal(await length, 5);
});

test("node-timers: a deadline aborts its signal in time, as AbortSignal.timeout does, and takes its timer along when it is disposed of", async () => {
  const { world, timers } = lab();
  const late = timers.deadline(10);
  assert.equal(world.keepsAlive, false);
  let early: Deadline;
  {
    using deadline = timers.deadline(10);
    early = deadline;
    assert.equal(timers.size, 2);
  }
  assert.equal(timers.size, 1);
  world.pass(9);
  assert.equal(late.signal.aborted, false);
  world.pass(1);
  assert.equal(early.signal.aborted, false);
  const native = AbortSignal.timeout(0);
  while (!native.aborted) await settled();
  assert.ok(late.signal.reason instanceof DOMException);
  const { name, message, code } = native.reason;
  assert.deepEqual(
    { name, message, code },
    { name: late.signal.reason.name, message: late.signal.reason.message, code: late.signal.reason.code },
  );
  late[Symbol.dispose]();
  late.cancel();
  assert.equal(timers.size, 0);
});

test("node-timers: a deadline follows the caller's signal, and leaves it alone once it is over", () => {
  const { world, timers } = lab();
  const { signal, abort } = aborter();
  const listeners = () => getEventListeners(signal, "abort").length;
  const [cancelled, passed, followed] = [5, 5, 10].map((ms) => timers.deadline(ms, { signal }));
  // One for all: an EventTarget looks through all that it has, to add or remove one.
  assert.equal(listeners(), 1);
  cancelled!.cancel();
  world.pass(5);
  assert.equal(passed!.signal.reason.name, "TimeoutError");
  assert.equal(listeners(), 1);
  abort("gone");
  assert.equal(followed!.signal.reason, "gone");
  assert.equal(passed!.signal.reason.name, "TimeoutError");
  assert.equal(cancelled!.signal.aborted, false);
  const never = timers.deadline(5, { signal });
  assert.equal(never.signal.reason, "gone");
  never.cancel();
  assert.deepEqual([listeners(), timers.size], [0, 0]);
  const another = aborter();
  const pending = timers.deadline(5, { signal: another.signal });
  timers.close();
  another.abort("gone");
  assert.equal(pending.signal.aborted, false);
});

test("node-timers: a deadline's listeners find its context, as those of AbortSignal.timeout do", () => {
  const { world, timers } = lab();
  const context = new AsyncLocalStorage<string>();
  const found: unknown[] = [];
  const deadline = context.run("its own", () => timers.deadline(5));
  deadline.signal.addEventListener("abort", () => found.push(context.getStore()));
  world.pass(5);
  assert.deepEqual(found, ["its own"]);
});

const refusing = lab();
itRefusesAsWritten("node-timers: refuses what is invalid", REFUSALS, () => ({
  ...refusing,
  never: assert.fail,
}));

test("node-timers: what was refused has set nothing", () => assert.equal(refusing.timers.size, 0));

test("node-timers: 20,000 requests with deadlines leave no timer and no listener", async () => {
  const { world, timers } = lab();
  const { signal } = aborter();
  let met = 0;
  const request = async (index: number) => {
    using deadline = timers.deadline(50, { signal });
    // One request in eight is answered too late.
    await timers.promises.setTimeout(index % 8 === 0 ? 60 : 10 + (index % 30), undefined, {
      signal: deadline.signal,
    });
    met++;
  };
  const requests = Promise.allSettled(Array.from({ length: 20_000 }, (_, index) => request(index)));
  for (let turns = 0; turns < 60; turns++) {
    world.pass(1);
    await settled();
  }
  const failed = (await requests).filter(({ status }) => status === "rejected").length;
  assert.deepEqual({ met, failed }, { met: 17_500, failed: 2_500 });
  assert.equal(timers.size, 0);
  assert.equal(getEventListeners(signal, "abort").length, 0);
  assert.equal(world.keepsAlive, false);
});

/** All promise reactions that are due have run. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

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
