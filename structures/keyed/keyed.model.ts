import { lockWithin } from "../locks/parts/acquire.ts";
import { allocateRegion, type Region } from "../shared/layout.ts";
import { brokenInTurn, brokenLaws, type Law, type Part } from "../shared/program-laws.ts";
import { workerIdentity } from "../shared/worker-identity.ts";
import type { Keyed, KeyedCompetitor } from "./keyed.contract.ts";
import { hashOf } from "./parts/key.ts";
import type { StripeLock } from "./parts/stripe.ts";

/**
 * Every interleaving of a few workers that request keys of two stripes, on the competitor's own code, where workers die
 * before any of their accesses, in the middle of a change to the data of a key, or while they sleep. The explorer's header
 * says what is followed. Requests block their threads: what a thread does between two accesses is the same where they do
 * not, and what its requests do among themselves is the examination's business.
 */

/** What a thread notes: that a body for a key is inside (the key's place), that it has left (below 0), and what it found. */
const DIED = 100;
const UNMENDED = 101;

type Notes = readonly number[];
const isInside = (notes: Notes, place: number) =>
  !notes.includes(DIED) && notes.lastIndexOf(place) > notes.lastIndexOf(-place);

const SETUP = { stripes: 2, workers: 3 };
/** Two keys of one stripe, and one of the other, each with its place from 1 on. */
const KEYS = keysOf(0, 0, 1);

function keysOf(...stripes: readonly number[]): readonly number[] {
  let key = 0;
  return stripes.map((stripe) => {
    do key++;
    while ((hashOf(key) >>> 0) % SETUP.stripes !== stripe);
    return key;
  });
}

const mutualExclusion: Law = {
  name: "mutualExclusion",
  state({ threads }) {
    for (let place = 1; place <= KEYS.length; place++) {
      const inside = threads.filter(({ notes }) => isInside(notes, place)).length;
      if (inside > 1) return `${inside} are inside with key ${place}`;
    }
    return undefined;
  },
};

/** The data of a key that a dead holder left half changed are mended before another body sees them, and no others. */
const mendComesFirst: Law = {
  name: "mendComesFirst",
  state({ threads }) {
    const found = threads.flatMap(({ notes }) => notes);
    if (found.includes(UNMENDED)) return "a body ran on data that a dead holder left half changed";
    return undefined;
  },
  once: ({ threads }) => threads.every(({ notes }) => notes.length > 0),
};

export const laws = [mutualExclusion, mendComesFirst];

/** Which keys, by their place less 1, the threads request one after the other, and which of the threads may die. */
interface Crew {
  readonly requests: readonly (readonly number[])[];
  readonly mortal?: readonly number[];
  /** The keys that workers before these held when they died, one after the other. */
  readonly dead?: readonly number[];
  readonly preemptions?: number;
}

/** The first two completely, the others up to a limit of preemptions. */
const CREWS: readonly Crew[] = [
  { requests: [[0], [0]], mortal: [0] },
  { requests: [[0], [1, 0]], mortal: [0] },
  {
    requests: [
      [0, 2],
      [0, 1],
    ],
    mortal: [0],
    preemptions: 1,
  },
  { requests: [[1], [0], [0]], mortal: [0], preemptions: 1 },
  { requests: [[0], [1]], mortal: [0], dead: [0, 1], preemptions: 0 },
];

/** One sentence for each law that some crew breaks. With `until`, ends at the first that is the law of that name. */
export function exploreKeyed(competitor: KeyedCompetitor, until?: string): string[] {
  return brokenInTurn(CREWS, (crew) => exploreCrew(competitor, crew, until), until);
}

function exploreCrew(
  competitor: KeyedCompetitor,
  { requests, mortal, dead = [], preemptions }: Crew,
  until: string | undefined,
): string[] {
  const setup = { ...SETUP, workers: requests.length + dead.length };
  const words = competitor.words(setup);
  const memory = allocateRegion(words + KEYS.length);
  competitor.format(memory.subarray(0, words), setup);
  const request = (all: Region, index: number, of: number, body: (data: Region) => void) => {
    const data = all.subarray(words + of, words + of + 1);
    const locks = competitor.attach(
      all.subarray(0, words),
      setup,
      workerIdentity(index, setup.workers, 1),
    ) as Required<Keyed>;
    const mend = () => {
      data[0] = 0;
    };
    locks.requestSync(KEYS[of]!, () => body(data), { mend });
  };
  for (const [before, of] of dead.entries()) {
    const index = requests.length + before;
    let left = memory.slice();
    request(memory, index, of, (data) => {
      data[0] = 1;
      left = memory.slice();
    });
    // It got as far as that.
    memory.set(left);
    competitor.workerExited!(memory.subarray(0, words), setup, index);
  }
  const threads = requests.map((asked, index) =>
    asked.map(
      (of): Part =>
        (all, { note }) =>
          request(all, index, of, (data) => {
            note(of + 1);
            if (data[0] !== 0) note(UNMENDED);
            data[0] = 1;
            data[0] = 0;
            note(-(of + 1));
          }),
    ),
  );
  const obituary: Part = (all, { note, thread }) => {
    note(DIED);
    competitor.workerExited!(all.subarray(0, words), setup, thread);
  };
  const bound = preemptions === undefined ? {} : { preemptions };
  const dying = mortal === undefined ? {} : { mortal, obituary };
  return brokenLaws({ memory, threads, ...dying, ...bound }, laws, until);
}

/** Workers that take a lock, the last of them within a limit: by when it is over that one has left the line. */
export function exploreLeaving(lock: StripeLock, until?: string): string[] {
  return [2, 3].flatMap((workers) => {
    const memory = allocateRegion(lock.words(workers));
    lock.format(memory, workers);
    const threads = Array.from({ length: workers }, (_, index): Part[] => {
      const round: Part = (words, { note }) => {
        const handle = lock.attach(words, workerIdentity(index, workers, 1));
        let now = 0;
        if (index < workers - 1) handle.lock();
        else if (!lockWithin(handle, 1, () => now++)) return;
        note(1);
        note(-1);
        handle.unlock();
      };
      // The first comes back, and finds the lock handed to one that is gone, if it was.
      return index === 0 ? [round, round] : [round];
    });
    const bound = workers === 2 ? {} : { preemptions: 2 };
    return brokenLaws({ memory, threads, ...bound }, [mutualExclusion], until);
  });
}
