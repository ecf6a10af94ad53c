import { brokenLaws, EVERYBODY_FINISHES, type Law, type Part } from "../shared/explorer.ts";
import { allocateRegion } from "../shared/layout.ts";
import { workerIdentity } from "../shared/worker-identity.ts";
import type { Lock, LockCompetitor, SleepingLock } from "./locks.contract.ts";
import { lockWithin } from "./parts/acquire.ts";

/**
 * Every interleaving of a few threads that each take and release a lock a few times, on the lock's own code. The
 * explorer's header says what is followed.
 *
 * The first crew is explored up to so many preemptions, the others completely: for futex-three-state in about 6,000
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

const mutualExclusion: Law = {
  name: "mutualExclusion",
  state({ threads }) {
    const inside = threads.map(({ notes }) => notes.reduce((sum, note) => sum + note, 0));
    const company = inside.reduce((sum, times) => sum + times, 0);
    return company > 1 ? `inside are, by thread, ${inside}` : undefined;
  },
  once: ({ threads }) => threads.every(({ notes }) => notes.length > 0),
};

/** The laws of locks that a broken law of the model stands for. */
export const standsFor: Readonly<Record<string, readonly string[]>> = {
  [mutualExclusion.name]: ["mutualExclusion", "tryLockIsTrue", "acquisitionsAreConserved"],
  [EVERYBODY_FINISHES]: ["waitersAreWoken", "everyWorkerFinishes"],
};

/** Why a lock cannot be explored, or undefined. */
export function unexplored({ share }: LockCompetitor): string | undefined {
  return share === undefined ? undefined : "it is an object of V8's, not made of words";
}

/**
 * One sentence for each law that some crew breaks. With `until`, ends at the first that is the law of that name. `within`
 * is how those wait who wait up to a limit. What they do between two accesses is what lockAsync does, too.
 */
export function exploreLock(lock: LockCompetitor, until?: string, within = lockWithin): string[] {
  const broken: string[] = [];
  for (const crew of crews.filter(({ limited }) => limited === undefined || sleeps(lock))) {
    broken.push(...exploreCrew(lock, crew, until, within));
    if (broken.some((sentence) => sentence.startsWith(`${until}:`))) break;
  }
  return broken;
}

function sleeps(competitor: LockCompetitor): boolean {
  const memory = allocateRegion(competitor.words(1));
  return "lockOrAnnounce" in competitor.attach(memory, workerIdentity(0, 1, 1));
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

/** A clock by which the time of a wait is up as soon as somebody has looked at it twice. */
function ticking(): () => number {
  let now = 0;
  return () => now++;
}
