import { allocateRegion, type Region } from "../shared/layout.ts";
import {
  brokenLaws,
  EVERYBODY_FINISHES,
  type Glimpse,
  type Law,
  NOBODY_IS_HELD_UP,
  type Part,
} from "../shared/program-laws.ts";
import { workerIdentity } from "../shared/worker-identity.ts";
import type { PickCompetitor, PickSetup } from "./pick.contract.ts";
import { makePicker } from "./pick.instance.ts";

/**
 * Every interleaving of workers that pick and a thread that changes members, and of two threads that change them, on the
 * picker's own code.
 *
 * Each worker picks once. A pick is held to the tables that were current while it was in progress. A worker that picks
 * alone after as many changes shows which backend a table has for which ticket.
 */
export const membersModelLaws = [
  ...["picksGoByOneTable", "settledIsTold", "changesSettle", "changesAddUp"],
  ...[EVERYBODY_FINISHES, NOBODY_IS_HELD_UP],
] as const;
export type MembersModelLaw = (typeof membersModelLaws)[number];

interface Meeting {
  readonly setup: PickSetup;
  /** Weights that are given one after another. The first drains a backend, which is not added again. */
  readonly changes: readonly Change[];
}
type Change = readonly [backend: number, weight: number];

/** A pick: the changes made when it began, and those that were said to be settled when it had ended. */
interface Picked {
  readonly made: number;
  readonly ticket: number;
  readonly backend: number;
  readonly settled: number;
}

/**
 * Enough changes to overwrite the table that a worker reads in the middle of a pick. Also a worker that has attached
 * beside one that has not. In the first, half a table and half of another would give ticket 2 to backend 0.
 */
const MEETINGS: readonly Meeting[] = [
  {
    setup: { backends: 3, workers: 1, firstTicket: 2, seed: 3 },
    changes: [
      [0, 0],
      [1, 0],
      [1, 2],
    ],
  },
  { setup: { backends: 2, workers: 2, firstTicket: 0, seed: 3 }, changes: [[0, 0]] },
];
const CHANGERS: PickSetup = { backends: 3, workers: 1, firstTicket: 0, seed: 3 };

/** One sentence for each law that is broken. With `until`, ends where it finds that law broken. */
export function exploreMembers(competitor: PickCompetitor, until?: MembersModelLaw): string[] {
  const besideWorkers = MEETINGS.flatMap((meeting) => exploreBesideWorkers(competitor, meeting, until));
  return [...besideWorkers, ...exploreChanges(competitor, until)];
}

/** What follows the picker's words: changes that have returned, and those of them that were said to be settled. */
const CHANGES_MADE = 0;
const CHANGES_SETTLED = 1;

function exploreBesideWorkers(
  competitor: PickCompetitor,
  meeting: Meeting,
  until: MembersModelLaw | undefined,
): string[] {
  const { workers } = meeting.setup;
  const { memory: formatted } = makePicker(competitor, meeting.setup);
  const words = formatted.length;
  const memory = allocateRegion(words + 2);
  memory.set(formatted);
  const pickers = Array.from({ length: workers }, (_, index) => [worker(competitor, meeting, words, index)]);
  const threads = [...pickers, [changer(competitor, meeting, words)]];
  return [
    ...brokenLaws({ memory, threads }, promisesOf(competitor, meeting, words), until),
    ...brokenLaws({ memory, threads, mortal: workers }, [], until),
  ];
}

/** `words` is how many are the picker's. */
function worker(competitor: PickCompetitor, { setup }: Meeting, words: number, index: number): Part {
  return (all, { note, answers }) => {
    const own = all.subarray(0, words);
    const picker = competitor.attach(own, setup, workerIdentity(index, setup.workers, setup.seed));
    const made = Atomics.load(all, words + CHANGES_MADE);
    const backend = picker.pick();
    // A pick ends by taking its ticket.
    const ticket = Number(answers.at(-1));
    note(made, ticket, backend, Atomics.load(all, words + CHANGES_SETTLED));
  };
}

function changer(competitor: PickCompetitor, { setup, changes }: Meeting, words: number): Part {
  return (all) => {
    const members = competitor.members!(all.subarray(0, words), setup);
    for (const [at, change] of changes.entries()) {
      members.change([change]);
      Atomics.store(all, words + CHANGES_MADE, at + 1);
      if (members.isSettled()) Atomics.store(all, words + CHANGES_SETTLED, at + 1);
    }
  };
}

function picksIn({ threads }: Glimpse): Picked[] {
  return threads
    .filter(({ notes }) => notes.length > 0)
    .map(({ notes }) => {
      const [made, ticket, backend, settled] = notes;
      return { made: made!, ticket: ticket!, backend: backend!, settled: settled! };
    });
}

function promisesOf(
  competitor: PickCompetitor,
  { setup, changes }: Meeting,
  words: number,
): Law<MembersModelLaw>[] {
  const tables = Array.from({ length: changes.length + 1 }, (_, made) =>
    tableAfter(competitor, setup, changes.slice(0, made)),
  );
  /** A pick that none of the tables after this number of changes answers so. */
  const strayAfter = (seen: Glimpse, changesOf: (pick: Picked) => number) =>
    picksIn(seen).find((pick) =>
      tables.slice(changesOf(pick)).every((table) => table[pick.ticket - setup.firstTicket] !== pick.backend),
    );
  return [
    {
      name: "picksGoByOneTable",
      state(seen) {
        const stray = strayAfter(seen, ({ made }) => made);
        return (
          stray &&
          `ticket ${stray.ticket}, taken after ${stray.made} changes, was answered by ${stray.backend}`
        );
      },
    },
    {
      name: "settledIsTold",
      state(seen) {
        const stray = strayAfter(seen, ({ settled }) => settled);
        return (
          stray &&
          `a pick in progress answers ${stray.backend}, by members of before ${stray.settled} settled changes`
        );
      },
    },
    {
      // Beside a worker that attached before.
      name: "changesSettle",
      once: (seen) =>
        seen.memory[words + CHANGES_SETTLED]! > 0 && picksIn(seen).some(({ made }) => made === 0),
    },
  ];
}

/** The backend of each ticket that the workers take, once these changes were made. */
function tableAfter(competitor: PickCompetitor, wanted: PickSetup, changes: readonly Change[]): number[] {
  const { memory, setup } = makePicker(competitor, wanted);
  const members = competitor.members!(memory, setup);
  for (const change of changes) members.change([change]);
  const picker = competitor.attach(memory, setup, workerIdentity(0, setup.workers, setup.seed));
  return Array.from({ length: setup.workers }, () => picker.pick());
}

/** Each of two threads drains a backend, once; one of them may learn that the other is at it. */
function exploreChanges(competitor: PickCompetitor, until: MembersModelLaw | undefined): string[] {
  const { memory, setup } = makePicker(competitor, CHANGERS);
  const changer = (backend: number): Part => {
    return (words, { note }) => {
      const members = competitor.members!(words, setup);
      let isMade = 1;
      try {
        members.change([[backend, 0]]);
      } catch (error) {
        if (!/^another thread/.test((error as Error).message)) throw error;
        isMade = 0;
      }
      note(isMade);
    };
  };
  const weightsOf = (words: Region) => competitor.members!(words, setup).weights();
  const law: Law<MembersModelLaw> = {
    name: "changesAddUp",
    end({ memory: words, threads }) {
      const expected = Array.from({ length: setup.backends }, () => 1);
      for (const [at, { notes }] of threads.entries()) if (notes[0] === 1) expected[at] = 0;
      const weights = weightsOf(words);
      return String(weights) === String(expected)
        ? undefined
        : `weights are ${weights}, the changes made say ${expected}`;
    },
  };
  return brokenLaws({ memory, threads: [[changer(0)], [changer(1)]] }, [law], until);
}
