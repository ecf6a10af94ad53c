import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { competitorsOf, loadCompetitor } from "../../catalog.ts";
import { type Exploration, explore, exploreAsync } from "../../interleave/index.ts";
import { allocateRegion } from "../../shared/layout.ts";
import { mutatedIn, mutatedModuleIn } from "../../shared/mutated.ts";
import type { Glimpse, Part } from "../../shared/program-laws.ts";
import { workerIdentity } from "../../shared/worker-identity.ts";
import { contract, type LockCompetitor, type SleepingLock } from "../locks.contract.ts";
import { sleeps, unexplored } from "../locks.model.ts";
import { lockAsync, lockWithin } from "./acquire.ts";

/** Every interleaving of a few threads that take a lock with lockAsync, each once. */

const entries = competitorsOf("locks");
const sleeping: { readonly name: string; readonly url: string; readonly competitor: LockCompetitor }[] = [];
for (const { name, url } of entries) {
  const competitor = (await loadCompetitor(url, contract)) as LockCompetitor;
  if (unexplored(competitor) === undefined && sleeps(competitor)) sleeping.push({ name, url, competitor });
}

type Locker = (lock: SleepingLock) => Promise<boolean> | boolean;

function programOf(competitor: LockCompetitor, lockers: readonly Locker[]) {
  const workers = lockers.length;
  const memory = allocateRegion(competitor.words(workers));
  competitor.format(memory, workers);
  const inside = (lock: SleepingLock, note: (...notes: number[]) => void) => {
    note(1);
    note(0);
    lock.unlock();
  };
  const threads = lockers.map((locker, index): Part[] => [
    (words, { note }) => {
      const lock = competitor.attach(words, workerIdentity(index, workers, 1)) as SleepingLock;
      const took = locker(lock);
      if (typeof took === "boolean") return took ? inside(lock, note) : undefined;
      return took.then((isTaken) => (isTaken ? inside(lock, note) : undefined));
    },
  ]);
  return { memory, threads };
}

/** One thread is inside at a time. */
const watcher = {
  state({ threads }: Glimpse) {
    const inside = threads.filter(({ notes }) => notes.at(-1) === 1).length;
    assert.ok(inside <= 1, `${inside} are inside`);
  },
};

const explored = (competitor: LockCompetitor, ...lockers: readonly Locker[]): Promise<Exploration> =>
  exploreAsync(programOf(competitor, lockers), watcher);

describe("locks: in every interleaving of lockAsync", () => {
  for (const { name, competitor } of sleeping)
    it(`${name} does what it does with lockWithin`, async () => {
      // Ends by its limit, but not by the clock.
      for (const ms of [Number.POSITIVE_INFINITY, 1e9]) {
        const awaiting: Locker = (lock) => lockAsync(lock, ms);
        const blocking: Locker = (lock) => lockWithin(lock, ms, () => 0);
        const found = await explored(competitor, awaiting, awaiting);
        assert.equal(found.doomed, 0);
        assert.deepEqual(found, explore(programOf(competitor, [blocking, blocking]), watcher));
        assert.deepEqual(found, await explored(competitor, awaiting, blocking));
      }
    });

  const futex = sleeping.find(({ name }) => name === "futex-three-state")!;

  it("three of them can always finish", async () => {
    const { doomed, ends } = await explored(futex.competitor, lockAsync, lockAsync, lockAsync);
    assert.deepEqual([doomed, ends], [0, 1]);
  });

  const leaves =
    (lock: typeof lockAsync): Locker =>
    async (handle) => {
      const controller = new AbortController();
      const { signal } = controller;
      const taking = lock(handle, Number.POSITIVE_INFINITY, { signal });
      controller.abort();
      try {
        return await taking;
      } catch (error) {
        if (error !== signal.reason) throw error;
        return false;
      }
    };

  it("one that a signal ends leaves nobody asleep", async () => {
    const { doomed } = await explored(futex.competitor, lockAsync, leaves(lockAsync), lockAsync);
    assert.equal(doomed, 0);
    const keeps = await mutatedModuleIn<{ lockAsync: typeof lockAsync }>(
      "locks/parts/acquire.ts",
      new URL("acquire.ts", import.meta.url).href,
      ["if (isTaken) unlockAsFound(lock);", ""],
    );
    const kept = await explored(futex.competitor, lockAsync, leaves(keeps.lockAsync), lockAsync);
    assert.ok(kept.doomed > 0);
  });

  it("a futex that frees without a look for sleepers strands one", async () => {
    const mutant = await mutatedIn<LockCompetitor>("locks/competitors/futex-three-state.ts", futex.url, [
      "if (was === TAKEN) return;",
      "if (was !== FREE) return;",
    ]);
    assert.ok((await explored(mutant, lockAsync, lockAsync)).doomed > 0);
  });
});
