import { loadCompetitor } from "../catalog.ts";
import { allocateRegion, type Region, STRIDE_WORDS } from "../shared/layout.ts";
import type { Seat } from "../shared/seat.ts";
import { contract, type Lock, type LockCompetitor } from "./locks.contract.ts";
import {
  ACQUISITIONS,
  ASKED,
  FINISHED,
  type LockTask,
  PRESENT,
  TURN,
  VIOLATIONS,
  WRONG,
} from "./locks.examination.ts";
import { CriticalSection } from "./locks.section.ts";

/** Acquisitions of one worker: enough for a crew of two to meet thousands of times. */
const SHARE = 4_000;
/** The Concurrency Kit's ten steps up and ten down. */
const PASSES = 10;
/**
 * Every so many acquisitions the holder leaves its core in the middle of the section, for long enough that the others
 * come to do whatever they do when they wait for long. Preemption does this to them anyway, when it likes.
 */
const ACQUISITIONS_PER_HOLD = 500;
const HOLD_MS = 1;

/** Times that a sleeper is made and woken: once would do, if it were certain to be asleep by then. */
const HANDOVERS = 20;

/** One worker of an examination: waits for the others, then takes the lock as often as its share says. */
export default async function work(task: LockTask): Promise<void> {
  const { url, memory, section, signals, seat, spare, crew } = task;
  const competitor = (await loadCompetitor(url, contract)) as LockCompetitor;
  const lock = competitor.attach(memory, seat);
  const account = task.accounts.subarray(seat.index * STRIDE_WORDS, (seat.index + 1) * STRIDE_WORDS);
  const answer = (isRight: boolean) => {
    Atomics.add(account, ASKED, 1);
    if (!isRight) Atomics.add(account, WRONG, 1);
  };

  Atomics.add(signals, PRESENT, 1);
  Atomics.notify(signals, PRESENT);
  for (let present = 0; present < crew; present = Atomics.load(signals, PRESENT))
    Atomics.wait(signals, PRESENT, present);

  if (crew === 1) askTryLock(lock, competitor.attach(memory, spare), answer);
  if (crew === 2 && seat.index === 0) handOver(lock, competitor.attach(memory, spare), signals, answer);
  if (crew === 2 && seat.index === 1) takeOver(lock, signals);
  contend(lock, seat, new CriticalSection(section, PASSES), account);
  Atomics.store(account, FINISHED, 1);
}

/** Asks two handles of a lock that nobody else uses, free and taken. */
function askTryLock(one: Lock, other: Lock, answer: (isRight: boolean) => void): void {
  one.lock();
  answer(!other.tryLock());
  one.unlock();
  answer(other.tryLock());
  answer(!one.tryLock());
  other.unlock();
  answer(one.tryLock());
  one.unlock();
}

/**
 * Holds the lock until the other worker sleeps on it, if it is a lock to sleep on, lets a third handle try to take it,
 * and releases it. Nobody else comes by whose release could wake the sleeper by luck.
 */
function handOver(lock: Lock, third: Lock, signals: Region, answer: (isRight: boolean) => void): void {
  for (let round = 0; round < HANDOVERS; round++) {
    lock.lock();
    Atomics.store(signals, TURN, 2 * round + 1);
    Atomics.notify(signals, TURN);
    leaveCore();
    answer(!third.tryLock());
    lock.unlock();
    Atomics.wait(signals, TURN, 2 * round + 1);
  }
}

function takeOver(lock: Lock, signals: Region): void {
  for (let round = 0; round < HANDOVERS; round++) {
    Atomics.wait(signals, TURN, 2 * round);
    lock.lock();
    lock.unlock();
    Atomics.store(signals, TURN, 2 * round + 2);
    Atomics.notify(signals, TURN);
  }
}

function contend(lock: Lock, seat: Seat, inside: CriticalSection, account: Region): void {
  for (let acquired = 1; acquired <= SHARE; acquired++) {
    // Half of the time by tryLock, and neighbours by turns, so that both ways of taking it meet.
    if ((acquired + seat.index) % 2 === 0) lock.lock();
    else while (!lock.tryLock());
    inside.enter();
    if (acquired % ACQUISITIONS_PER_HOLD === 0) leaveCore();
    inside.leave();
    Atomics.store(account, ACQUISITIONS, acquired);
    Atomics.store(account, VIOLATIONS, inside.violations);
    lock.unlock();
  }
}

const NEVER = allocateRegion(1);

/** Sleeps for HOLD_MS, as a preempted worker does. */
function leaveCore(): void {
  Atomics.wait(NEVER, 0, 0, HOLD_MS);
}
