import { once } from "node:events";
import { availableParallelism } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { Piscina } from "piscina";
import { adopt } from "../shared/adopt.ts";
import type { Examination } from "../shared/contract.ts";
import { examined, threadsOf } from "../shared/examination.ts";
import { allocateRegion, type Region, STRIDE_WORDS } from "../shared/layout.ts";
import type { WorkerIdentity } from "../shared/worker-identity.ts";
import { contract, type LockCompetitor, type RobustLock } from "./locks.contract.ts";
import { allocated, attachLock, makeLock } from "./locks.instance.ts";
import {
  acquisitionsAreConserved,
  deadHolderIsAsClaimed,
  everyWorkerFinishes,
  inconsistentDataAreNotPassedOn,
  mutualExclusion,
  ownerDeathIsToldOnce,
  tryLockIsTrue,
  waitersAreWoken,
} from "./locks.laws.ts";
import { lockAsync } from "./parts/acquire.ts";
import type { BusyHolder } from "./parts/busy-holder.worker.ts";
import { scoped } from "./parts/scope.ts";
import { ENTRIES, SECTION_WORDS } from "./parts/section.ts";

/**
 * Every law of locks applied to one competitor, alone and under workers, more of them than cores included. Written
 * once, so that a newcomer is examined like every other competitor.
 *
 * A lock may be so broken that its workers never return, so nothing is learnt from what they return. Each keeps an
 * account in shared memory. The examiner reads it from outside and never touches the lock while they work. When nothing
 * has moved for long it asks whether the lock is free, notes what it sees, and ends the threads.
 *
 * Threads that run freely seldom meet a fault whose window is a few instructions wide, so that an examination without
 * findings says little about those. They are the business of locks.model.ts, which visits every interleaving: hence
 * each competitor is explored there, or there is a reason why not.
 */

/** What one worker of an examination is asked to do. */
export interface LockTask {
  readonly url: string;
  /** The lock, formatted. */
  readonly memory: Region;
  /** What the competitor shares besides. */
  readonly shared: unknown;
  /** SECTION_WORDS words, see parts/section.ts. */
  readonly section: Region;
  /** One stride per worker, see below. */
  readonly accounts: Region;
  /** SIGNAL_WORDS words by which the workers signal to each other, see below. */
  readonly signals: Region;
  readonly identity: WorkerIdentity;
  /** The examiner's own, for a second handle where one worker is to ask about another. */
  readonly spare: WorkerIdentity;
  /** How many workers start together: one less than the workers of the lock. */
  readonly crew: number;
  /** Whether this worker is only there to be terminated while it holds the lock. */
  readonly dies: boolean;
}

/**
 * An account, in the worker's own stride: written by that worker and read by the examiner, both atomically.
 *
 *     word 0  acquisitions     word 1  violations     word 2  tryLock asked     word 3  tryLock wrong
 *     word 4  1 when the share is done     word 5  times that a holder's death was reported
 */
export const ACQUISITIONS = 0;
export const VIOLATIONS = 1;
export const ASKED = 2;
export const WRONG = 3;
export const FINISHED = 4;
export const TOLD = 5;

/**
 * The signals, written and read by every worker, atomically.
 *
 *     word 0  present   workers that are ready; they start together when all are
 *     word 1  turn      whose move it is while the lock is handed over: odd for the workers that take it over
 *     word 2  taken     how often it has been taken over
 *     word 3  held      1 as soon as the worker that will be terminated holds the lock
 */
export const PRESENT = 0;
export const TURN = 1;
export const TAKEN_OVER = 2;
export const HELD = 3;
const SIGNAL_WORDS = 4;

export const examination = {
  tries: "one worker, two, and more than there are cores; holders that die asleep and at work",
  examine: (url) => examined(url, contract, (competitor: LockCompetitor) => lawsBroken(competitor, url)),
} satisfies Examination;

async function lawsBroken(competitor: LockCompetitor, url: string): Promise<(string | undefined)[]> {
  // All crews have the same threads, because starting them takes longer than examining. After one that is stuck there is none.
  const threads = threadsFor(Math.max(...CREWS));
  try {
    for (const crew of CREWS) {
      const seen = await observe(competitor, url, threads, crew);
      const sentences = [...safetyLaws(seen), everyWorkerFinishes(seen)];
      if (sentences.some((sentence) => sentence !== undefined)) return sentences;
    }
    const seen = await observe(competitor, url, threads, 2, "after a death");
    return [
      ...safetyLaws(seen),
      deadHolderIsAsClaimed(competitor.deadHolder, seen),
      ...(competitor.deadHolder === "recovers"
        ? [
            inconsistentDataAreNotPassedOn(neglected(competitor)),
            mutualExclusion(await besideBusyHolder(competitor, url)),
          ]
        : []),
    ];
  } finally {
    await threads.destroy();
  }
}

/** Releases a lock that recovers without marking the data consistent, and asks for it. */
function neglected(competitor: LockCompetitor): { taken: boolean } {
  const memory = allocateRegion(competitor.words(3));
  competitor.format(memory, 3);
  const [dead, next, last] = [0, 1, 2].map(
    (index) => competitor.attach(memory, workerIdentity(index, 3)) as RobustLock,
  );
  dead!.tryLock();
  competitor.workerExited!(memory, 0);
  next!.tryLock();
  next!.unlock();
  try {
    return { taken: last!.tryLock() };
  } catch {
    return { taken: false };
  }
}

/** Takes a lock whose adopted holder is terminated at work, and looks whether that goes on. */
async function besideBusyHolder(competitor: LockCompetitor, url: string) {
  const instance = makeLock(competitor, 2);
  const writes = allocateRegion(1);
  const workerData: BusyHolder = { url, instance, index: 0, writes };
  const holder = new Worker(new URL("./parts/busy-holder.worker.ts", import.meta.url), { workerData });
  adopt(holder, 0, instance);
  await once(holder, "message");
  const taken = lockAsync(attachLock(competitor, instance, 1) as RobustLock);
  await holder.terminate();
  await taken;
  const before = Atomics.load(writes, 0);
  await delay(LOOK_MS);
  return { acquisitions: 2, violations: Number(Atomics.load(writes, 0) > before) };
}

/** Alone, a pair, and twice as many workers as cores, within what a test may ask of a large machine. */
const CREWS = [1, 2, Math.min(16, Math.max(4, 2 * availableParallelism()))];

type Observation = Awaited<ReturnType<typeof observe>>;

/** What holds whether or not all get through. */
function safetyLaws(seen: Observation): (string | undefined)[] {
  return [
    mutualExclusion(seen),
    acquisitionsAreConserved(seen),
    waitersAreWoken(seen),
    tryLockIsTrue(seen),
    ownerDeathIsToldOnce(seen),
  ];
}

/** Watches `crew` workers do their shares, if asked after the spare worker died while it held the lock. */
async function observe(
  competitor: LockCompetitor,
  url: string,
  threads: Piscina,
  crew: number,
  when?: "after a death",
) {
  // The examiner has an index of its own, so that it may ask a lock whose workers are stuck whether it is free.
  const identities = Array.from({ length: crew + 1 }, (_, index) => workerIdentity(index, crew + 1));
  const spare = identities.pop()!;
  const { memory, shared } = allocated(competitor, spare.workers);
  competitor.format(memory.fill(LEFTOVER), spare.workers);
  const section = allocateRegion(SECTION_WORDS);
  const accounts = allocateRegion(crew * STRIDE_WORDS);
  const signals = allocateRegion(SIGNAL_WORDS);
  const task = { url, memory, shared, section, accounts, signals, spare, crew, dies: false };

  if (when === "after a death") {
    await dieInside({ ...task, identity: spare });
    competitor.workerExited?.(memory, spare.index);
  }
  const allDone = Promise.all(
    identities.map((identity) => threads.run({ ...task, identity } satisfies LockTask)),
  ).then(() => true);
  await untilDoneOrStill(
    allDone,
    () => Atomics.load(signals, PRESENT) + Atomics.load(signals, TURN) + total(accounts, crew, ACQUISITIONS),
    () => (Atomics.load(signals, PRESENT) < crew ? START_LOOKS : STILL_LOOKS),
  );
  const finished = total(accounts, crew, FINISHED);
  return {
    workers: crew,
    finished,
    waiting: crew - finished,
    free: finished < crew && scoped(competitor.attach(memory, spare, shared)).tryHold(() => {}),
    acquisitions: total(accounts, crew, ACQUISITIONS),
    violations: total(accounts, crew, VIOLATIONS),
    entries: section[ENTRIES]!,
    asked: total(accounts, crew, ASKED),
    wrong: total(accounts, crew, WRONG),
    deaths: when === "after a death" && competitor.deadHolder === "recovers" ? 1 : 0,
    told: total(accounts, crew, TOLD),
  };
}

/** Has a worker take the lock, and terminates it as soon as it says that it has. */
async function dieInside(task: LockTask): Promise<void> {
  const pool = threadsFor(1);
  // It ends by being terminated, which rejects; where it ends before, the lock let it go.
  const ended = pool.run({ ...task, dies: true } satisfies LockTask).catch(() => {});
  await Promise.race([Atomics.waitAsync(task.signals, HELD, 0).value, ended]);
  await pool.destroy();
}

function threadsFor(workers: number): Piscina {
  return threadsOf(new URL("./locks.examination.worker.ts", import.meta.url), workers);
}

/** What the memory held before it became a lock: `format` must not count on zeroes. */
const LEFTOVER = -7;
const LOOK_MS = 50;
/**
 * Looks in a row without a change after which a crew is stuck. Counts looks rather than time. A machine that was
 * suspended, or is too busy to run the workers, is too busy for the looks as well.
 */
const STILL_LOOKS = 60;
/** The same while workers are still starting, which takes a busy machine long and shows no progress. */
const START_LOOKS = 600;

/** Resolves when `allDone` does, or when `progress` was the same for as many looks in a row as `patience` says. */
async function untilDoneOrStill(allDone: Promise<boolean>, progress: () => number, patience: () => number) {
  let last = progress();
  for (let still = 0; still < patience(); ) {
    if ((await Promise.race([allDone, delay(LOOK_MS)])) === true) return;
    const now = progress();
    still = now === last ? still + 1 : 0;
    last = now;
  }
}

function total(accounts: Region, crew: number, word: number): number {
  let sum = 0;
  for (let worker = 0; worker < crew; worker++) sum += Atomics.load(accounts, worker * STRIDE_WORDS + word);
  return sum;
}

function workerIdentity(index: number, workers: number): WorkerIdentity {
  return { index, workers, role: "worker", seed: index + 1 };
}
