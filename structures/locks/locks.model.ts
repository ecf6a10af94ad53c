import { isBroken } from "../shared/broken.ts";
import { takeSeat, vacate, wakeInPlaceOfOther } from "../shared/instance.ts";
import { allocateRegion, type Region } from "../shared/layout.ts";
import {
  brokenInTurn,
  brokenLaws,
  EVERYBODY_FINISHES,
  type Law,
  NOBODY_IS_HELD_UP,
  type Part,
} from "../shared/program-laws.ts";
import { workerIdentity } from "../shared/worker-identity.ts";
import type { Lock, LockCompetitor, RobustLock, SleepingLock } from "./locks.contract.ts";
import { allocated } from "./locks.instance.ts";
import { lockWithin } from "./parts/acquire.ts";
import { NOT_RECOVERABLE } from "./parts/misuse.ts";

/**
 * Every interleaving of a few threads that each take and release a lock a few times, on the lock's own code. The
 * explorer's header says what is followed.
 *
 * The first crew is explored up to a limit of preemptions, the others completely: for futex-three-state in about 6,000
 * states, for mcs in about 80,000. A thread attaches anew for each round, which keeps that so small: what a handle keeps
 * from round to round is not explored.
 */
interface Crew {
  readonly lockers: number;
  /** Threads that only try. */
  readonly triers?: number;
  /** Threads that wait up to a limit, where the lock can be waited for so. */
  readonly limited?: number;
  readonly rounds: number;
  /** More of the first thread's. */
  readonly more?: number;
  readonly preemptions?: number;
  /** Whether lockers try once more while they hold the lock. One that gets it has company. */
  readonly greedy?: boolean;
}

const crews: readonly Crew[] = [
  { lockers: 3, rounds: 1, more: 1, preemptions: 3 },
  { lockers: 3, rounds: 1 },
  { lockers: 2, triers: 1, rounds: 1 },
  { lockers: 2, rounds: 2, greedy: true },
  { lockers: 2, limited: 1, rounds: 1 },
  { lockers: 1, limited: 2, rounds: 1, more: 1 },
];

/** What a thread notes: how often it is inside, less how often it has left. */
const IN = 1;
const OUT = -1;
/** And where holders die: that it is dead, that it learned of a death, and that it could not have the lock any more. */
const DIED = 2;
const TOLD = 3;
const REFUSED = 4;

type Notes = readonly number[];
const times = (notes: Notes, what: number) => notes.filter((note) => note === what).length;
const timesInside = (notes: Notes) => times(notes, IN) - times(notes, OUT);
const isInside = (notes: Notes) => timesInside(notes) > 0 && !notes.includes(DIED);

const mutualExclusion: Law = {
  name: "mutualExclusion",
  state({ threads }) {
    const inside = threads.map(({ notes }) => (isInside(notes) ? timesInside(notes) : 0));
    const company = inside.reduce((sum, here) => sum + here, 0);
    return company > 1 ? `inside are, by thread, ${inside}` : undefined;
  },
  once: ({ threads }) => threads.every(({ notes }) => notes.length > 0),
};

/**
 * A worker that comes after all others is asked, too: the dead worker may have been the last. A worker that noted
 * neither that it is inside nor that it left may have died with the lock or without.
 */
const ownerDeathIsToldOnce = (competitor: LockCompetitor): Law => ({
  name: "ownerDeathIsToldOnce",
  end({ threads, memory }) {
    const late = attached(competitor, memory, 1, threads.length);
    if (!late.tryLock()) return "nobody can have the lock any more";
    const learnt = threads.reduce((sum, { notes }) => sum + times(notes, TOLD), Number(late.ownerDied));
    const dead = threads.filter(({ notes }) => notes.includes(DIED));
    const least = dead.some(({ notes }) => timesInside(notes) > 0) ? 1 : 0;
    const most = dead.length;
    return learnt >= least && learnt <= most ? undefined : `${learnt} learned of it, not ${least} .. ${most}`;
  },
  once: ({ threads }) => threads.some(({ notes }) => notes.includes(TOLD)),
});

/** Where no holder marks the data consistent. */
const inconsistentDataAreNotPassedOn: Law = {
  name: "inconsistentDataAreNotPassedOn",
  state({ threads }) {
    const taken = threads.reduce((sum, { notes }) => sum + times(notes, IN), 0);
    return taken > 1 ? `${taken} took the lock after its holder died` : undefined;
  },
  once: ({ threads }) => threads.filter(({ notes }) => notes.includes(REFUSED)).length === threads.length - 1,
};

/**
 * No worker sleeps on a free lock when none is left to wake it. Asked where one may die at any moment of waiting; of
 * one that died as the holder the lock is not free.
 */
const waitersAreWoken = (competitor: LockCompetitor): Law => ({
  name: "waitersAreWoken",
  state({ threads, memory }) {
    const asleep = threads.filter(({ isAsleep }) => isAsleep).length;
    if (asleep === 0 || threads.some(({ done, isAsleep }) => !done && !isAsleep)) return undefined;
    const isFree = attached(competitor, memory, threads.length, threads.length + 1).tryLock();
    return isFree ? `${asleep} sleep on a lock that is free` : undefined;
  },
  once: ({ threads }) => threads[MORTAL]!.notes.includes(DIED),
});

/** The laws of locks that a broken law of the model stands for. */
export const standsFor: Readonly<Record<string, readonly string[]>> = {
  [mutualExclusion.name]: ["mutualExclusion", "tryLockIsTrue", "acquisitionsAreConserved"],
  [EVERYBODY_FINISHES]: ["waitersAreWoken", "everyWorkerFinishes"],
  [NOBODY_IS_HELD_UP]: ["waitersAreWoken"],
  waitersAreWoken: ["waitersAreWoken"],
  ownerDeathIsToldOnce: ["ownerDeathIsToldOnce"],
  [inconsistentDataAreNotPassedOn.name]: ["inconsistentDataAreNotPassedOn"],
};

/** Why a lock cannot be explored, or undefined. */
export function unexplored({ share, needsLinear }: LockCompetitor): string | undefined {
  if (needsLinear) return "its accesses are made by WebAssembly";
  return share === undefined ? undefined : "it is an object of V8's, not made of words";
}

/**
 * One sentence for each law that some crew breaks. With `until`, ends at the first that is the law of that name.
 * `within` is how workers wait that wait up to a limit. What they do between two accesses is what lockAsync does, too:
 * parts/acquire.model.test.ts has both in the same states.
 */
export function exploreLock(lock: LockCompetitor, until?: string, within = lockWithin): string[] {
  const asked = crews.filter(({ limited }) => limited === undefined || sleeps(lock));
  const ofDeath = lock.deadHolder === "recovers" ? [exploreDeath, exploreNeglect] : [exploreTermination];
  const explorations = [
    ...asked.map((crew) => () => exploreCrew(lock, crew, until, within)),
    ...ofDeath.map((explore) => () => explore(lock, until)),
  ];
  return brokenInTurn(explorations, (explore) => explore(), until);
}

/** The thread that dies. */
const MORTAL = 0;

/**
 * Threads; one of them dies at any moment, asleep or awake, and its seat is freed at any moment afterwards. Where it
 * held the lock, no worker gets it any more: so it is no fault that some cannot finish.
 */
export function exploreTermination(competitor: LockCompetitor, until?: string): string[] {
  const workers = 3;
  const memory = allocateRegion(competitor.words(workers + 1));
  competitor.format(memory, workers + 1);
  const threads = Array.from({ length: workers }, (_, index): Part[] => [
    (words, { note }) => {
      const lock = attached(competitor, words, index, workers + 1);
      lock.lock();
      note(IN);
      note(OUT);
      lock.unlock();
    },
  ]);
  const obituary: Part = (words, { note }) => {
    note(DIED);
    wakeInPlaceOfOther(words, competitor);
  };
  const program = { memory, threads, mortal: MORTAL, obituary };
  return brokenLaws(program, [mutualExclusion, waitersAreWoken(competitor)], until).filter(
    (sentence) => !isBroken(NOBODY_IS_HELD_UP, [sentence]),
  );
}

const ROBUST_WORKERS = 3;
/** The thread that leaves it to the next to mend the data. */
const LEAVES_MENDING = 1;
/** The thread that tries before it waits, as lockWithin does: it may take a free lock without an announcement. */
const TRIES_FIRST = 2;

/** How an exit is reported to the words of a crew. */
type Report = (competitor: LockCompetitor, words: Region, index: number) => void;

/** The same with threads that die at any moments, asleep or awake, which is reported at any moment afterwards. */
export function exploreDeath(
  competitor: LockCompetitor,
  until?: string,
  mortal: readonly number[] = [MORTAL],
  report: Report = (_, words, index) => competitor.workerExited!(words, index),
): string[] {
  const memory = allocateRegion(competitor.words(ROBUST_WORKERS));
  competitor.format(memory, ROBUST_WORKERS);
  const threads = Array.from({ length: ROBUST_WORKERS }, (_, index): Part[] => [
    (words, { note }) => {
      const lock = attached(competitor, words, index, ROBUST_WORKERS);
      if (index !== TRIES_FIRST || !lock.tryLock()) lock.lock();
      if (lock.ownerDied) {
        if (index === LEAVES_MENDING) return lock.unlockInconsistent();
        note(TOLD);
        lock.markConsistent();
      }
      note(IN);
      note(OUT);
      lock.unlock();
    },
  ]);
  const obituary: Part = (words, { note, thread }) => {
    note(DIED);
    report(competitor, words, thread);
  };
  return brokenLaws(
    { memory, threads, mortal, obituary },
    [mutualExclusion, ownerDeathIsToldOnce(competitor)],
    until,
  );
}

/**
 * A thread dies at any moment, and its seat is freed at any moment afterwards. Another takes the seat as soon as it is
 * free, and locks with the same index.
 */
export function exploreSuccession(
  competitor: LockCompetitor,
  until?: string,
  free: typeof vacate = vacate,
): string[] {
  const workers = 2;
  const length = competitor.words(workers);
  const memory = allocateRegion(length + 1);
  competitor.format(memory.subarray(0, length), workers);
  const seatsIn = (words: Region) => words.subarray(length);
  takeSeat(seatsIn(memory), MORTAL);
  const holds =
    (index: number): Part =>
    (words, { note }) => {
      const lock = attached(competitor, words, index, workers);
      lock.lock();
      if (lock.ownerDied) lock.markConsistent();
      note(IN);
      note(OUT);
      lock.unlock();
    };
  const successor: Part = (words, self) => {
    if (takeSeat(seatsIn(words), MORTAL) !== undefined) holds(MORTAL)(words, self);
  };
  const obituary: Part = (words, { note }) => {
    note(DIED);
    free(words, { seats: seatsIn(words), ...competitor }, MORTAL);
  };
  const threads = [[holds(MORTAL)], [successor], [holds(1)]];
  return brokenLaws({ memory, threads, mortal: MORTAL, obituary }, [mutualExclusion], until);
}

/** Threads that do not mark consistent what a dead holder left. */
export function exploreNeglect(competitor: LockCompetitor, until?: string): string[] {
  const dead = ROBUST_WORKERS;
  const workers = ROBUST_WORKERS + 1;
  const memory = allocateRegion(competitor.words(workers));
  competitor.format(memory, workers);
  attached(competitor, memory, dead, workers).lock();
  competitor.workerExited!(memory, dead);
  const threads = Array.from({ length: ROBUST_WORKERS }, (_, index): Part[] => [
    (words, { note }) => {
      const lock = attached(competitor, words, index, workers);
      try {
        lock.lock();
      } catch (error) {
        if ((error as { code?: unknown }).code !== NOT_RECOVERABLE) throw error;
        note(REFUSED);
        return;
      }
      note(IN);
      note(OUT);
      lock.unlock();
    },
  ]);
  return brokenLaws({ memory, threads }, [mutualExclusion, inconsistentDataAreNotPassedOn], until);
}

/** Whether its handles are SleepingLocks. */
export function sleeps(competitor: LockCompetitor): boolean {
  const { memory, shared } = allocated(competitor, 1);
  return "lockOrAnnounce" in competitor.attach(memory, workerIdentity(0, 1, 1), shared);
}

function exploreCrew(
  competitor: LockCompetitor,
  crew: Crew,
  until: string | undefined,
  within: typeof lockWithin,
): string[] {
  const { lockers, triers = 0, limited = 0, rounds, more = 0, greedy = false, preemptions } = crew;
  const workers = lockers + triers + limited;
  const memory = allocateRegion(competitor.words(workers));
  competitor.format(memory, workers);
  const threads = Array.from({ length: workers }, (_, index) => {
    const round: Part = (words, { note }) => {
      const lock = competitor.attach(words, workerIdentity(index, workers, 1)) as Lock;
      if (index < lockers) lock.lock();
      else if (index < lockers + triers ? !lock.tryLock() : !within(lock as SleepingLock, 1, ticking()))
        return;
      note(IN);
      if (greedy && lock.tryLock()) note(IN);
      note(OUT);
      lock.unlock();
    };
    return new Array<Part>(index === 0 ? rounds + more : rounds).fill(round);
  });
  const bound = preemptions === undefined ? {} : { preemptions };
  return brokenLaws({ memory, threads, ...bound }, [mutualExclusion], until);
}

function attached(competitor: LockCompetitor, words: Region, index: number, workers: number): RobustLock {
  return competitor.attach(words, workerIdentity(index, workers, 1)) as RobustLock;
}

/** A clock by which the time of a wait is up as soon as any worker has looked at it twice. */
function ticking(): () => number {
  let now = 0;
  return () => now++;
}
