import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import { competitorsOf } from "../catalog.ts";
import type { LockCompetitor, SleepingLock } from "../locks/locks.contract.ts";
import { makeLock, workerExited } from "../locks/locks.instance.ts";
import { sleeps } from "../locks/locks.model.ts";
import type { PickCompetitor } from "../pick/pick.contract.ts";
import { makePicker } from "../pick/pick.instance.ts";
import type { SlotsCompetitor } from "../slots/slots.contract.ts";
import { makeSlots } from "../slots/slots.instance.ts";
import { freeSeat, type Stamped } from "./instance.ts";
import type { Traits } from "./traits.ts";
import { workerIdentity } from "./worker-identity.ts";

/**
 * Workers that sleep on a lock, in structures that are a lock and in those that contain one. The worker that an unlock
 * wakes is terminated before it does anything. Once its exit was reported, the next sleeper has to be awake.
 */

const WORKERS = 3;
/** Long enough for a busy machine; only a fault takes it. */
const LIMIT_MS = 10_000;

const sleepingLocks = new Map<string, LockCompetitor>();
for (const { name, url } of competitorsOf("locks")) {
  const { default: lock } = (await import(url)) as { default: LockCompetitor };
  if (lock.share === undefined && sleeps(lock)) sleepingLocks.set(name, lock);
}

async function assertNextIsWoken(
  instance: Stamped,
  lock: SleepingLock,
  wordOffset: number,
  reportExit: (instance: Stamped, index: number) => void,
): Promise<void> {
  lock.lock();
  const value = lock.lockOrAnnounce()!;
  // Asleep by waitAsync, so that its message comes after it joined the list; and it never acts on being woken.
  const doomed = new Worker(
    `const { parentPort, workerData: { memory, word, value } } = require("node:worker_threads");
    Atomics.waitAsync(memory, word, value);
    parentPort.postMessage("asleep");
    setInterval(() => {}, 1000);`,
    { eval: true, workerData: { memory: instance.memory, word: wordOffset, value } },
  );
  await once(doomed, "message");
  const next = Atomics.waitAsync(lock.word, 0, value, LIMIT_MS);
  lock.unlock();
  await doomed.terminate();
  reportExit(instance, 0);
  assert.equal(await next.value, "ok");
}

describe("a worker that sleeps behind one terminated as it was woken is woken in its place", () => {
  for (const [name, competitor] of sleepingLocks) {
    it(`in ${name}`, async () => {
      const instance = makeLock(competitor, WORKERS);
      const lock = competitor.attach(instance.memory, workerIdentity(1, WORKERS, 0), instance.shared);
      const report =
        competitor.workerExited === undefined
          ? freeSeat
          : (_: Stamped, index: number) =>
              workerExited(competitor as Required<LockCompetitor>, instance, index);
      await assertNextIsWoken(instance, lock as SleepingLock, competitor.sleepWord ?? 0, report);
    });
  }

  for (const [primitive, make] of [
    ["pick", (picker: unknown) => makePicker(picker as PickCompetitor, { backends: 8, workers: WORKERS })],
    ["slots", (slots: unknown) => makeSlots(slots as SlotsCompetitor, { slots: 8, workers: WORKERS })],
  ] as const) {
    for (const { name, url } of competitorsOf(primitive)) {
      const lock = lockIn(url);
      if (lock === undefined) continue;
      it(`in ${primitive}/${name}`, async () => {
        const { default: competitor } = (await import(url)) as { default: Traits };
        assert.notEqual(competitor.sleepWord, undefined, "its workers sleep: it has to say on which word");
        const instance = make(competitor);
        const words = instance.memory.subarray(competitor.sleepWord);
        const held = lock.attach(words, workerIdentity(1, WORKERS, 0)) as SleepingLock;
        await assertNextIsWoken(instance, held, competitor.sleepWord!, freeSeat);
      });
    }
  }
});

/** The sleeping lock that a competitor of another primitive is made with, as its imports say. */
function lockIn(url: string): LockCompetitor | undefined {
  const name = /locks\/competitors\/(.+)\.ts"/.exec(readFileSync(new URL(url), "utf8"))?.[1];
  return name === undefined ? undefined : sleepingLocks.get(name);
}
