import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { assertBroken } from "../shared/broken.ts";
import { faultsIn } from "../shared/faults.ts";
import { freeHeldBy } from "../shared/holder-words.ts";
import { freeSeat, takeSeat, vacate } from "../shared/instance.ts";
import { allocateRegion } from "../shared/layout.ts";
import { type Edit, mutated, mutatedIn, mutatedModule } from "../shared/mutated.ts";
import { NOBODY_IS_HELD_UP } from "../shared/program-laws.ts";
import robust from "./competitors/robust-futex.ts";
import type { LockCompetitor, RobustLock } from "./locks.contract.ts";
import { attachLock, makeLock, workerExited } from "./locks.instance.ts";
import { exploreDeath, exploreNeglect, exploreSuccession } from "./locks.model.ts";
import { checked, lockAsync, lockWithin, withLock, withLockAsync } from "./parts/acquire.ts";

const WORKERS = 3;

function made() {
  const instance = makeLock(robust, WORKERS);
  const [one, two, three] = Array.from({ length: WORKERS }, (_, index) =>
    attachLock(robust, instance, index),
  );
  return { instance, one: one!, two: two!, three: three! };
}

describe("locks: a robust lock", () => {
  it("is freed when its holder's exit is reported, and shows that to the next holder alone", () => {
    const { instance, one, two, three } = made();
    one.lock();
    assert.equal(two.tryLock(), false);
    workerExited(robust, instance, 0);
    assert.equal(two.ownerDied, false);
    two.lock();
    assert.equal(two.ownerDied, true);
    assert.equal(three.ownerDied, false);
    two.markConsistent();
    assert.equal(two.ownerDied, false);
    two.unlock();
    three.lock();
    assert.equal(three.ownerDied, false);
    three.unlock();
  });

  it("shows it again where the holder that learned of it dies as well", () => {
    const { instance, one, two, three } = made();
    one.lock();
    workerExited(robust, instance, 0);
    assert.equal(two.tryLock(), true);
    workerExited(robust, instance, 1);
    assert.equal(lockWithin(three, 0), true);
    assert.equal(three.ownerDied, true);
  });

  it("is not touched by the exit of a worker that does not hold it", () => {
    const { instance, one, two, three } = made();
    workerExited(robust, instance, 0);
    two.lock();
    assert.equal(two.ownerDied, false);
    workerExited(robust, instance, 0);
    assert.equal(three.tryLock(), false);
    two.unlock();
    assert.equal(one.tryLock(), true);
    assert.equal(one.ownerDied, false);
  });

  it("is unusable once it was released with inconsistent data", async () => {
    const { instance, one, two, three } = made();
    one.lock();
    workerExited(robust, instance, 0);
    two.lock();
    const asleep = lockAsync(three);
    two.unlock();
    const error = { code: "ENOTRECOVERABLE", message: /^this lock is unusable: .+: make another$/ };
    await assert.rejects(asleep, error);
    assert.throws(() => two.lock(), error);
    assert.throws(() => two.tryLock(), error);
    assert.throws(() => lockWithin(three, 1), error);
  });

  it("refuses every misuse", () => {
    const { one, two } = made();
    one.lock();
    assert.throws(() => one.unlockInconsistent(), { message: /^unlockInconsistent: this worker does not / });
    assert.throws(() => two.unlock(), { message: /^unlock: another worker holds this lock: / });
    assert.throws(() => one.lock(), { message: /^lock: this worker holds the lock, and would wait / });
    assert.throws(() => one.markConsistent(), { message: /^markConsistent: this worker does not hold / });
    assert.equal(one.tryLock(), false);
    one.unlock();
    assert.equal(two.tryLock(), true);
  });

  it("has a seat for another where a worker has exited", () => {
    const { instance, one } = made();
    one.lock();
    workerExited(robust, instance, 0);
    const another = attachLock(robust, instance, 0);
    assert.equal(another.tryLock(), true);
    assert.equal(another.ownerDied, true);
  });
});

/** A lock whose holder has died, for two that come after it; and data that the dead one left half changed. */
function orphaned() {
  const { instance, one, two, three } = made();
  one.lock();
  workerExited(robust, instance, 0);
  return { two, three, data: { isWhole: false } };
}

const ownerDead = (caller: string) => ({
  code: "EOWNERDEAD",
  message: `${caller}: the last holder died, and may have left its change half done: give { mend }, which makes the data whole`,
});

for (const [name, isAsync] of Object.entries({ withLock: false, withLockAsync: true })) {
  /** Both as one that resolves. */
  const hold = async <Result>(lock: RobustLock, body: () => Result, options?: { mend?: () => unknown }) =>
    isAsync ? withLockAsync(lock, body, options) : withLock(lock, body as () => never, options);

  describe(`locks: ${name} after a dead holder`, () => {
    it("does not run the body on data that remain unmended, and leaves them to the next holder", async () => {
      const { two, three, data } = orphaned();
      let ran = 0;
      for (let attempt = 0; attempt < 2; attempt++)
        await assert.rejects(
          hold(two, () => ran++),
          ownerDead(name),
        );
      assert.equal(ran, 0);
      const mend = () => {
        data.isWhole = true;
      };
      assert.equal(await hold(three, () => data.isWhole, { mend }), true);
      assert.equal(await hold(two, () => two.ownerDied), false);
    });

    it("leaves to the next what mending did not mend", async () => {
      const { two, three } = orphaned();
      const fault = new Error("from mend");
      const fails = () => {
        throw fault;
      };
      await assert.rejects(hold(two, assert.fail, { mend: fails }), fault);
      await assert.rejects(hold(three, assert.fail), ownerDead(name));
    });

    it("mends nothing where no holder died, and once where one did", async () => {
      const { two, three } = orphaned();
      let mended = 0;
      const mend = () => mended++;
      const fault = new Error("from the body");
      const fails = () => {
        throw fault;
      };
      await assert.rejects(hold(two, fails, { mend }), fault);
      assert.equal(await hold(three, () => 7, { mend }), 7);
      assert.equal(mended, 1);
    });

    it("knows of a death through a checked handle, too", async () => {
      const { two } = orphaned();
      const lock = checked(two);
      await assert.rejects(hold(lock, assert.fail), ownerDead(name));
      await assert.rejects(async () => lock.unlock(), /does not hold the lock/);
      assert.equal(await hold(lock, () => 7, { mend() {} }), 7);
    });
  });
}

it("locks: withLock does not take a promise for mended data", () => {
  const { two, three } = orphaned();
  // @ts-expect-error The types refuse it, too.
  assert.throws(() => withLock(two, assert.fail, { mend: async () => {} }), {
    name: "TypeError",
    message: "withLock: the mend returned a promise, and the lock is released: use withLockAsync",
  });
  assert.throws(() => withLock(three, assert.fail), ownerDead("withLock"));
});

it("locks: withLockAsync waits for data to be mended", async () => {
  const { two, data } = orphaned();
  const mend = async () => {
    await setImmediate();
    data.isWhole = true;
  };
  assert.equal(await withLockAsync(two, () => data.isWhole, { mend }), true);
});

/** Reports an exit by freeing the seat, as `adopt` does, which knows no competitor. */
const byFreeing =
  (free: typeof vacate): NonNullable<Parameters<typeof exploreDeath>[3]> =>
  ({ holderWords }, words, index) => {
    // Seats of its own: the model of successions has them among the words.
    const seats = allocateRegion(WORKERS);
    takeSeat(seats, index);
    free(words, { seats, ...(holderWords && { holderWords }) }, index);
  };

/** Whichever worker that was to wake the third is terminated, and whenever that is noticed. */
it("locks: a robust lock goes on after two of three die at any moments", () => {
  assert.deepEqual(exploreDeath(robust, undefined, [0, 1], byFreeing(vacate)), []);
});

it("locks: to free a seat does to every state of the words what to report the exit does", () => {
  const bits = [0, 1, 2, 3, 4, 5, 6, 7];
  for (const holder of [0, 1, 2]) {
    for (const flags of bits) {
      const left = [workerExited.bind(undefined, robust), freeSeat].map((report) => {
        const { instance } = made();
        Atomics.store(instance.memory, 0, holder + flags * 2 ** 24);
        report(instance, 0);
        return [instance.memory[0], ...instance.stamp.seats];
      });
      assert.deepEqual(left[0], left[1]);
      assert.notEqual(left[1]![0]! % 2 ** 24, 1);
    }
  }
});

it("locks: freeing a seat leaves to its next holder what that takes", () => {
  assert.deepEqual(exploreSuccession(robust), []);
});

const INSTANCE = import.meta.resolve("../shared/instance.ts");

it("locks: freeing that leaves what was held breaks the model", async () => {
  const edit: Edit = ["    freeHeldBy(memory, holderWords, index);\n", "    ;\n"];
  const { vacate: onlyTheSeat } = await mutatedModule<{ vacate: typeof vacate }>(INSTANCE, edit);
  const broken = exploreDeath(robust, NOBODY_IS_HELD_UP, [0], byFreeing(onlyTheSeat));
  assertBroken(NOBODY_IS_HELD_UP, broken);
});

it("locks: freeing that gives the seat away first leaves its next holder what the dead one held", async () => {
  const early: Edit = [
    "  if (holderWords !== undefined && isTaken(Atomics.load(seats, index)))",
    "  leaveSeat(seats, index);\n  if (holderWords !== undefined)",
  ];
  const { vacate: seatFirst } = await mutatedModule<{ vacate: typeof vacate }>(INSTANCE, early);
  assert.throws(() => exploreSuccession(robust, undefined, seatFirst), {
    message: /^lock: this worker holds the lock, and would wait for itself: /,
  });
});

it("locks: of many holder words, freeing finds each that the worker holds, and no other", () => {
  const held = allocateRegion(20);
  const holderWords = { first: 3, count: 4, strideWords: 4 };
  for (const [at, holder] of [
    [3, 2],
    [4, 2],
    [7, 1],
    [11, 2],
    [15, 0],
    [19, 2],
  ] as const)
    held[at] = holder;
  freeHeldBy(held, holderWords, 1);
  const died = 2 ** 25;
  assert.deepEqual(
    [...held].map((word, at) => [at, word]).filter(([, word]) => word !== 0),
    [
      [3, died],
      [4, 2],
      [7, 1],
      [11, died],
      [19, 2],
    ],
  );
});

/** Faults that need a certain moment to show, which the model finds. */
describe("locks: a robust lock that", () => {
  const explorations: Readonly<Record<string, typeof exploreNeglect>> = { exploreDeath, exploreNeglect };
  const FAULTS = new URL("testdata/robust-faults.txt", import.meta.url);
  for (const { name, in: file, edits, breaks, explore } of faultsIn<string, "explore">(FAULTS)) {
    it(`${name} breaks ${breaks}`, async () => {
      const url = import.meta.resolve("./competitors/robust-futex.ts");
      const faulty = file === undefined ? mutated : mutatedIn.bind(undefined, file);
      const competitor = (await faulty(url, ...edits)) as LockCompetitor;
      assertBroken(breaks, explorations[explore]!(competitor, breaks));
    });
  }
});
