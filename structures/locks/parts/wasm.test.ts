import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { competitorsOf } from "../../catalog.ts";
import { STRIDE_WORDS } from "../../shared/layout.ts";
import { Random } from "../../shared/sfc32.ts";
import { workerIdentity } from "../../shared/worker-identity.ts";
import futex from "../competitors/futex-three-state.ts";
import ticket from "../competitors/ticket.ts";
import wasmFutex from "../competitors/wasm-futex-three-state.ts";
import wasmTicket from "../competitors/wasm-ticket.ts";
import type { Lock, LockCompetitor } from "../locks.contract.ts";
import { allocated } from "../locks.instance.ts";

const SEED = 20_261_122;
const STEPS = 500;

describe("locks: a yardstick in WebAssembly does the same as the original to the same bytes", () => {
  for (const [name, script, code, firstTicket] of [
    ["wasm-futex-three-state", futex, wasmFutex, 0],
    ["wasm-ticket", ticket, wasmTicket, 0],
    ["wasm-ticket, where its numbers wrap", ticket, wasmTicket, 2 ** 31 - 1],
  ] as const)
    it(name, () => assert.deepEqual(played(code, firstTicket), played(script, firstTicket)));
});

/** What two handles in turn return, the words after each step, and what they counted. */
function played(competitor: LockCompetitor, firstTicket: number) {
  const { memory, shared } = allocated(competitor, 2);
  competitor.format(memory, 2);
  for (let word = 0; word < memory.length; word += STRIDE_WORDS) memory[word] = firstTicket;
  const locks = [0, 1].map((index) => competitor.attach(memory, workerIdentity(index, 2, 0), shared) as Lock);
  const random = new Random(SEED);
  let holder: Lock | undefined;
  const steps = Array.from({ length: STEPS }, () => {
    const lock = locks[random.below(2)]!;
    let taken: boolean | undefined;
    if (holder !== undefined && random.below(2) === 0) {
      holder.unlock();
      holder = undefined;
    } else if (holder === undefined && random.below(2) === 0) {
      lock.lock();
      holder = lock;
    } else {
      taken = lock.tryLock();
      if (taken) holder = lock;
    }
    return [taken, ...memory];
  });
  return { steps, counted: locks.map(({ spins, parks }) => [spins, parks]) };
}

for (const { name, url } of competitorsOf("locks").filter((entry) =>
  /(futex-three-state|ticket)$/.test(entry.name),
))
  it(`locks: ${name} sleeps where others wake it, and counts that`, async () => {
    const { default: competitor } = (await import(url)) as { default: LockCompetitor };
    const { memory, shared } = allocated(competitor, 2);
    competitor.format(memory, 2);
    const lock = competitor.attach(memory, workerIdentity(0, 2, 0), shared) as Lock;
    lock.lock();
    const worker = new Worker(
      `const { workerData: { url, memory, shared }, parentPort } = require("node:worker_threads");
      import(url).then(({ default: competitor }) => {
        const lock = competitor.attach(memory, { index: 1 }, shared);
        lock.lock();
        lock.unlock();
        parentPort.postMessage([lock.spins, lock.parks]);
      });`,
      { eval: true, workerData: { url, memory, shared } },
    );
    const answer = once(worker, "message");
    const sleptOn = memory.length - 1;
    while (Atomics.notify(memory, sleptOn, 1) === 0) await setImmediate();
    lock.unlock();
    const [[spins, parks]] = (await answer) as [[number, number]];
    assert.ok(spins >= 2, `${spins} spins`);
    assert.ok(parks >= 1, `${parks} parks`);
    assert.equal(lock.tryLock(), true);
    assert.deepEqual([lock.spins, lock.parks], [0, 0]);
    await worker.terminate();
  });
