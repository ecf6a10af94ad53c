import { loadCompetitor } from "../catalog.ts";
import { allocateRegion, type Region, STRIDE_WORDS } from "../shared/layout.ts";
import type { WorkerIdentity } from "../shared/worker-identity.ts";
import { contract, type LockCompetitor, type ScopedLock } from "./locks.contract.ts";
import {
  ACQUISITIONS,
  ASKED,
  FINISHED,
  HELD,
  type LockTask,
  PRESENT,
  TAKEN_OVER,
  TOLD,
  TURN,
  VIOLATIONS,
  WRONG,
} from "./locks.examination.ts";
import { scoped } from "./parts/scope.ts";
import { CriticalSection } from "./parts/section.ts";

/** Acquisitions of one worker: enough for a crew of two to meet thousands of times. */
const SHARE = 4_000;
/** The Concurrency Kit's ten steps up and ten down. */
const PASSES = 10;
/**
 * Once in this number of acquisitions the holder leaves its core in the middle of the section. It stays away for long
 * enough that the others begin their long waits. Preemption does this to them anyway, when it likes.
 */
const ACQUISITIONS_PER_HOLD = 500;
const HOLD_MS = 1;

/** Times that sleepers are made and woken: once would do, if they were certain to be asleep by then. */
const HANDOVERS = 20;

/** One worker of an examination: waits for the others, then takes the lock as often as its share says. */
export default async function work(task: LockTask): Promise<void> {
  const { section, signals, identity, crew } = task;
  const competitor = (await loadCompetitor(task.url, contract)) as LockCompetitor;
  const account = task.accounts.subarray(identity.index * STRIDE_WORDS, (identity.index + 1) * STRIDE_WORDS);
  const attach = (as: WorkerIdentity): Handle =>
    scoped(competitor.attach(task.memory, as, task.shared), () => Atomics.add(account, TOLD, 1));
  const lock = attach(identity);
  if (task.dies) holdForEver(lock, signals);
  const answer = (isRight: boolean) => {
    Atomics.add(account, ASKED, 1);
    if (!isRight) Atomics.add(account, WRONG, 1);
  };

  Atomics.add(signals, PRESENT, 1);
  Atomics.notify(signals, PRESENT);
  for (let present = 0; present < crew; present = Atomics.load(signals, PRESENT))
    Atomics.wait(signals, PRESENT, present);

  const inside = new CriticalSection(section, PASSES);
  const visit: Visit = (during) => {
    inside.enter();
    during?.();
    inside.leave();
    Atomics.add(account, ACQUISITIONS, 1);
    Atomics.store(account, VIOLATIONS, inside.violations);
  };
  if (crew === 1) askTryLock(lock, attach(task.spare), answer);
  else if (identity.index === 0) handOver(lock, attach(task.spare), signals, visit, answer);
  else takeOver(lock, signals, crew, visit);
  contend(lock, identity, visit);
  Atomics.store(account, FINISHED, 1);
}

type Handle = Pick<ScopedLock, "hold" | "tryHold">;
/** Enters the critical section, does this inside, if anything, and accounts for it. Call it only while holding the lock. */
type Visit = (during?: () => void) => void;

function holdForEver(lock: Handle, signals: Region): void {
  lock.hold(() => {
    Atomics.store(signals, HELD, 1);
    Atomics.notify(signals, HELD);
    Atomics.wait(NEVER, 0, 0);
  });
}

/** Asks two handles of a lock without other users, free and taken. */
function askTryLock(one: Handle, other: Handle, answer: (isRight: boolean) => void): void {
  one.hold(() => answer(!other.tryHold(leave)));
  answer(other.tryHold(() => answer(!one.tryHold(leave))));
  answer(one.tryHold(leave));
}

function leave(): void {}

/**
 * Holds the lock until the other workers sleep on it, if it is a lock to sleep on. Then lets one more handle try to
 * take it, and releases it. Nobody else comes by whose release could wake a sleeper by luck. On a busy machine workers
 * may each do all of their share alone; here the others come while it is inside.
 */
function handOver(
  lock: Handle,
  third: Handle,
  signals: Region,
  visit: Visit,
  answer: (isRight: boolean) => void,
): void {
  for (let round = 0; round < HANDOVERS; round++) {
    lock.hold(() =>
      visit(() => {
        passTurn(signals, 2 * round + 1);
        leaveCore();
        answer(!third.tryHold(leave));
      }),
    );
    awaitTurn(signals, 2 * round + 2);
  }
}

function takeOver(lock: Handle, signals: Region, crew: number, visit: Visit): void {
  const takers = crew - 1;
  for (let round = 0; round < HANDOVERS; round++) {
    awaitTurn(signals, 2 * round + 1);
    lock.hold(visit);
    const takenOver = Atomics.add(signals, TAKEN_OVER, 1) + 1;
    if (takenOver === takers * (round + 1)) passTurn(signals, 2 * round + 2);
  }
}

function passTurn(signals: Region, turn: number): void {
  Atomics.store(signals, TURN, turn);
  Atomics.notify(signals, TURN);
}

function awaitTurn(signals: Region, turn: number): void {
  for (let now = Atomics.load(signals, TURN); now < turn; now = Atomics.load(signals, TURN)) {
    Atomics.wait(signals, TURN, now);
  }
}

function contend(lock: Handle, { index }: WorkerIdentity, visit: Visit): void {
  for (let acquired = 1; acquired <= SHARE; acquired++) {
    const work = () => visit(acquired % ACQUISITIONS_PER_HOLD === 0 ? leaveCore : undefined);
    // Half of the time by tryLock, with neighbours alternating, so that both ways of taking it meet.
    if ((acquired + index) % 2 === 0) lock.hold(work);
    else while (!lock.tryHold(work));
  }
}

const NEVER = allocateRegion(1);

/** Sleeps for HOLD_MS, as a preempted worker does. */
function leaveCore(): void {
  Atomics.wait(NEVER, 0, 0, HOLD_MS);
}
