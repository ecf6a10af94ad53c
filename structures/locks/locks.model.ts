import { brokenLaws, EVERYBODY_FINISHES, type Law, type Part } from "../shared/explorer.ts";
import { allocateRegion } from "../shared/layout.ts";
import { workerIdentity } from "../shared/worker-identity.ts";
import type { Lock, LockCompetitor } from "./locks.contract.ts";

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

/** One sentence for each law that some crew breaks. With `until`, ends at the first that is the law of that name. */
export function exploreLock(lock: LockCompetitor, until?: string): string[] {
  const broken: string[] = [];
  for (const crew of crews) {
    broken.push(...exploreCrew(lock, crew, until));
    if (broken.some((sentence) => sentence.startsWith(`${until}:`))) break;
  }
  return broken;
}

function exploreCrew(competitor: LockCompetitor, crew: Crew, until: string | undefined): string[] {
  const { lockers, triers = 0, rounds, more = 0, greedy = false, preemptions } = crew;
  const workers = lockers + triers;
  const memory = allocateRegion(competitor.words(workers));
  competitor.format(memory, workers);
  const threads = Array.from({ length: workers }, (_, index) => {
    const round: Part = (words, { note }) => {
      const lock = competitor.attach(words, workerIdentity(index, workers, 1)) as Lock;
      if (index < lockers) lock.lock();
      else if (!lock.tryLock()) return;
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
