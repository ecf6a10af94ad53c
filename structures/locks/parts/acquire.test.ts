import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { getEventListeners, once } from "node:events";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { competitorsOf } from "../../catalog.ts";
import { itRefusesAsWritten } from "../../interleave/calls.trials.ts";
import { allocateRegion } from "../../shared/layout.ts";
import { mutated } from "../../shared/mutated.ts";
import { EVERYBODY_FINISHES } from "../../shared/program-laws.ts";
import { workerIdentity } from "../../shared/worker-identity.ts";
import futex from "../competitors/futex-three-state.ts";
import mcs from "../competitors/mcs-spinning.ts";
import robust from "../competitors/robust-futex.ts";
import spin100ThenPark from "../competitors/spin-100-then-park.ts";
import type { Lock, LockCompetitor, ScopedLock, SleepingLock } from "../locks.contract.ts";
import { allocated, makeLock } from "../locks.instance.ts";
import { exploreLock, sleeps } from "../locks.model.ts";
import { checked, lockAsync, lockWithin, withLock, withLockAsync } from "./acquire.ts";

/** Two handles of one lock. */
function pairOf<Handle extends Lock>(
  competitor: Omit<LockCompetitor, "attach"> & {
    attach(...args: Parameters<LockCompetitor["attach"]>): Handle;
  },
): readonly [Handle, Handle] {
  const memory = allocateRegion(competitor.words(2));
  competitor.format(memory, 2);
  return [
    competitor.attach(memory, workerIdentity(0, 2, 0)),
    competitor.attach(memory, workerIdentity(1, 2, 0)),
  ];
}

function isFree(lock: Lock): boolean {
  if (!lock.tryLock()) return false;
  lock.unlock();
  return true;
}

describe("locks: withLock", () => {
  it("holds the lock while the body runs, and returns what it returns", () => {
    const [one, other] = pairOf(mcs);
    assert.equal(
      withLock(one, () => isFree(other)),
      false,
    );
    assert.ok(isFree(other));
  });

  it("releases the lock where the body throws", () => {
    const [one, other] = pairOf(mcs);
    const fault = new Error("from the body");
    assert.throws(
      () =>
        withLock(one, () => {
          throw fault;
        }),
      fault,
    );
    assert.ok(isFree(other));
  });

  it("refuses a promise, and releases the lock", () => {
    const [one, other] = pairOf(mcs);
    // @ts-expect-error The types refuse it, too.
    assert.throws(() => withLock(one, async () => 1), {
      name: "TypeError",
      message: "withLock: the body returned a promise, and the lock is released: use withLockAsync",
    });
    assert.ok(isFree(other));
  });

  it("refuses to be nested, and leaves the lock held by the outer one", async () => {
    const nested = {
      message: "withLock: this thread holds the lock, and would wait for itself: do it in the outer body",
    };
    for (const [one, other] of [pairOf<Lock>(mcs), pairOf<Lock>(futex)]) {
      withLock(one, () => {
        assert.throws(() => withLock(one, assert.fail), nested);
        assert.equal(isFree(other), false);
      });
      assert.equal(
        withLock(one, () => withLock(pairOf(futex)[0], () => 7)),
        7,
      );
      assert.ok(isFree(other));
    }
    const [one, other] = pairOf(futex);
    await withLockAsync(one, () => {
      assert.throws(() => withLock(one, assert.fail), nested);
      assert.equal(isFree(other), false);
    });
    assert.ok(isFree(other));
  });

  it("serves a lock that is held for the length of a call", () => {
    const calls: string[] = [];
    const scoped: ScopedLock = {
      hold(body) {
        calls.push("taken");
        body();
        calls.push("released");
      },
      tryHold: () => false,
      spins: 0,
      parks: 0,
    };
    assert.equal(
      withLock(scoped, () => calls.push("body")),
      2,
    );
    assert.deepEqual(calls, ["taken", "body", "released"]);
    withLock(scoped, () =>
      assert.throws(() => withLock(scoped, assert.fail), /^Error: withLock: this thread/),
    );
  });
});

for (const competitor of [futex, spin100ThenPark]) {
  describe(`locks: ${competitor.summary}`, () => {
    it("is taken within a limit if it is free, and not if it stays taken", () => {
      const [one, other] = pairOf(competitor);
      assert.equal(lockWithin(one, 0), true);
      assert.equal(lockWithin(other, 0), false);
      assert.equal(lockWithin(other, 5), false);
      one.unlock();
      assert.equal(lockWithin(other, 5), true);
      other.unlock();
      assert.ok(isFree(one));
    });

    it("is waited for without blocking, by several on one handle", async () => {
      const [one, other] = pairOf(competitor);
      one.lock();
      let inside = 0;
      const tasks = Array.from({ length: 3 }, () =>
        withLockAsync(other, async () => {
          inside++;
          assert.equal(inside, 1);
          await Promise.resolve();
          inside--;
          return inside;
        }),
      );
      assert.equal(await lockAsync(other, 1), false);
      one.unlock();
      assert.deepEqual(await Promise.all(tasks), [0, 0, 0]);
      assert.ok(isFree(one));
    });

    it("is released where an asynchronous body rejects", async () => {
      const [one, other] = pairOf(competitor);
      const fault = new Error("from the body");
      await assert.rejects(
        withLockAsync(one, () => Promise.reject(fault)),
        fault,
      );
      assert.ok(isFree(other));
    });
  });
}

it("locks: a main thread gets a lock that a worker releases", async () => {
  const [one, other] = pairOf(futex);
  one.lock();
  const waiting = lockAsync(other);
  const worker = new Worker(
    `const { workerData } = require("node:worker_threads");
    import(workerData.url).then(({ default: futex }) => futex.attach(workerData.memory).unlock());`,
    {
      eval: true,
      workerData: { url: import.meta.resolve("../competitors/futex-three-state.ts"), memory: one.word },
    },
  );
  assert.equal(await waiting, true);
  await worker.terminate();
});

/** Enough for both to meet, and for a limit as short as this to be over many times. */
const SHARE = 5_000;
const LIMIT_MS = 0.01;

for (const { name, url } of competitorsOf("locks")) {
  const { default: competitor } = (await import(url)) as { default: LockCompetitor };
  if (competitor.share !== undefined || !sleeps(competitor)) continue;

  it(`locks: ${name} counts right where workers give up and the main thread waits asynchronously`, async () => {
    const { memory, shared } = allocated(competitor, 3);
    competitor.format(memory, 3);
    const main = competitor.attach(memory, workerIdentity(2, 3, 0), shared) as SleepingLock;
    const counter = allocateRegion(1);
    const workers = [0, 1].map(
      (index) =>
        new Worker(
          `const { workerData: { url, acquire, memory, shared, index, counter } } = require("node:worker_threads");
          Promise.all([import(url), import(acquire)]).then(([{ default: competitor }, { lockWithin }]) => {
            const lock = competitor.attach(memory, { index }, shared);
            for (let done = 0; done < ${SHARE}; done++) {
              if (done % 2 === 0) lock.lock();
              else while (!lockWithin(lock, ${LIMIT_MS}));
              counter[0]++;
              lock.unlock();
            }
          });`,
          {
            eval: true,
            workerData: {
              url,
              acquire: import.meta.resolve("./acquire.ts"),
              memory,
              shared,
              index,
              counter,
            },
          },
        ),
    );
    const exits = workers.map((worker) => once(worker, "exit"));
    let others = workers.length;
    for (const exit of exits) exit.then(() => others--);
    let own = 0;
    for (; others > 0; own++) {
      await withLockAsync(main, () => {
        counter[0]!++;
      });
      // Lets exits be heard of.
      await setImmediate();
    }
    await Promise.all(exits);
    assert.equal(counter[0], workers.length * SHARE + own);
  });
}

it("locks: a process lives as long as it waits for a lock", () => {
  const program = `import futex from ${JSON.stringify(import.meta.resolve("../competitors/futex-three-state.ts"))};
  import { lockAsync } from ${JSON.stringify(import.meta.resolve("./acquire.ts"))};
  const lock = futex.attach(new Int32Array(new SharedArrayBuffer(4)));
  lock.lock();
  console.log(await lockAsync(lock, 1));`;
  const said = execFileSync(process.execPath, ["--input-type=module", "--eval", program], {
    encoding: "utf8",
  });
  assert.equal(said, "false\n");
});

describe("locks: a limit", () => {
  it("does not let a waiter go away with a wake-up that was another's", () => {
    const gone = (lock: SleepingLock) => {
      const value = lock.lockOrAnnounce();
      if (value === undefined) return true;
      Atomics.wait(lock.word, 0, value, 1);
      return false;
    };
    const broken = exploreLock(futex, EVERYBODY_FINISHES, gone);
    assert.match(broken.join(), new RegExp(`^${EVERYBODY_FINISHES}:`));
  });
});

it("locks: a futex whose woken waiter with a limit takes it as plainly taken strands another", async () => {
  const takes = "Atomics.exchange(memory, STATE, TAKEN_WITH_SLEEPERS) === FREE ? undefined";
  const mutant = await mutated<LockCompetitor>(import.meta.resolve("../competitors/futex-three-state.ts"), [
    takes,
    `Atomics.compareExchange(memory, STATE, FREE, TAKEN) === FREE || ${takes}`,
  ]);
  assert.match(exploreLock(mutant, EVERYBODY_FINISHES).join(), new RegExp(`^${EVERYBODY_FINISHES}:`));
});

describe("locks: a checked handle", () => {
  for (const [name, competitor] of Object.entries({ mcs, futex })) {
    it(`of ${name} refuses what its holder does not do`, () => {
      const [bare, other] = pairOf<Lock>(competitor);
      const lock = checked(bare);
      const notHeld = { message: /^unlock: this handle does not hold the lock: / };
      assert.throws(() => lock.unlock(), notHeld);
      lock.lock();
      assert.throws(() => lock.lock(), { message: /^lock: this handle holds the lock, and would wait / });
      assert.equal(other.tryLock(), false);
      lock.unlock();
      assert.throws(() => lock.unlock(), notHeld);
      assert.equal(lock.tryLock(), true);
      lock.unlock();
      other.lock();
      assert.equal(lock.tryLock(), false);
      assert.throws(() => lock.unlock(), notHeld);
      assert.equal(isFree(bare), false);
      other.unlock();
    });
  }

  it("can be waited for where its lock can, and counts as it does", async () => {
    const [one, other] = pairOf(futex);
    const lock = checked(one);
    assert.equal(await lockAsync(lock), true);
    assert.equal(lockWithin(lock, 1), false);
    assert.deepEqual([lock.spins, lock.parks], [one.spins, one.parks]);
    lock.unlock();
    assert.throws(() => lock.unlock());
    other.lock();
    const waiting = lockAsync(lock);
    other.unlock();
    assert.equal(await waiting, true);
    lock.unlock();
    assert.ok(isFree(other));
  });
});

describe("locks: a wait that a signal ends", () => {
  const reason = new Error("taken back");

  it("rejects with its reason, and does not run the body", async () => {
    const [one, other] = pairOf(futex);
    await assert.rejects(lockAsync(one, 1, { signal: AbortSignal.abort(reason) }), reason);
    one.lock();
    const leaving = new AbortController();
    const waiting = withLockAsync(other, () => assert.fail("the body ran"), { signal: leaving.signal });
    const stays = lockAsync(other);
    await setImmediate();
    leaving.abort(reason);
    await assert.rejects(waiting, reason);
    one.unlock();
    assert.equal(await stays, true);
    other.unlock();
    assert.ok(isFree(one));
  });

  it("passes on a wake-up that came before", async () => {
    const [one, other] = pairOf(futex);
    one.lock();
    const leaving = new AbortController();
    const waiting = lockAsync(other, Number.POSITIVE_INFINITY, { signal: leaving.signal });
    const next = lockAsync(other);
    await setImmediate();
    one.unlock();
    leaving.abort(reason);
    await assert.rejects(waiting, reason);
    assert.equal(await next, true);
    other.unlock();
  });

  it("is not ended once the lock is taken", async () => {
    const [one] = pairOf(futex);
    const leaving = new AbortController();
    const body = async () => {
      leaving.abort(reason);
      await setImmediate();
      return 7;
    };
    assert.equal(await withLockAsync(one, body, { signal: leaving.signal }), 7);
    assert.ok(isFree(one));
  });
});

describe("locks: while a task of the thread waits on a handle", () => {
  const refusal = (caller: string) => ({
    message: `${caller}: a task of this thread waits for the lock, and could not take it while the thread is blocked: use lockAsync`,
  });

  for (const competitor of [futex, robust, spin100ThenPark])
    it(`${competitor.summary.split(":")[0]} refuses what would block on it, and only that`, async () => {
      const [one, other] = pairOf(competitor);
      one.lock();
      const [waiting, another] = [lockAsync(other), lockAsync(other)];
      assert.throws(() => other.lock(), refusal("lock"));
      assert.throws(() => withLock(other, assert.fail), refusal("withLock"));
      assert.throws(() => lockWithin(other, 1), refusal("lockWithin"));
      assert.equal(lockWithin(other, 0), false);
      assert.equal(other.tryLock(), false);
      one.unlock();
      assert.equal(await waiting, true);
      assert.throws(() => withLock(other, assert.fail), refusal("withLock"));
      other.unlock();
      assert.equal(await another, true);
      other.unlock();
      one.lock();
      assert.equal(lockWithin(other, 1), false);
      one.unlock();
    });
});

describe("locks: a signal", () => {
  it("has one listener, however many wait with it, and none once they do not", async () => {
    const [one, other] = pairOf(futex);
    one.lock();
    const leaving = new AbortController();
    const wait = () => lockAsync(other, 1e9, { signal: leaving.signal });
    const all = [wait(), ...Array.from({ length: 20 }, wait)];
    assert.equal(getEventListeners(leaving.signal, "abort").length, 1);
    one.unlock();
    assert.equal(await all[0], true);
    assert.equal(getEventListeners(leaving.signal, "abort").length, 1);
    leaving.abort();
    for (const left of (await Promise.allSettled(all)).slice(1)) assert.equal(left.status, "rejected");
    assert.equal(getEventListeners(leaving.signal, "abort").length, 0);
    other.unlock();
  });

  it("is left without a listener by a wait that fails", async () => {
    const [dead, next] = pairOf(robust);
    dead.lock();
    const { signal } = new AbortController();
    const waiting = lockAsync(next, 1e9, { signal });
    robust.workerExited(dead.word, 0);
    dead.lock();
    dead.unlock();
    await assert.rejects(waiting, { code: "ENOTRECOVERABLE" });
    assert.equal(getEventListeners(signal, "abort").length, 0);
  });
});

describe("locks: what is no limit, signal, option or body", () => {
  const [lock] = pairOf(futex);
  const [held, other] = pairOf(futex);
  held.lock();
  const queued = pairOf(mcs)[0];
  const { signal } = new AbortController();
  const doors = { checked, lockAsync, lockWithin, withLock, withLockAsync, makeLock };
  const scope = { ...doors, futex, lock, other, queued, signal, body: assert.fail };
  itRefusesAsWritten(
    "is refused in one line",
    new URL("../testdata/acquire.txt", import.meta.url),
    () => scope,
  );

  it("before anything is announced", () => {
    assert.ok(isFree(lock));
    assert.equal(held.word[0], 1);
  });
});
