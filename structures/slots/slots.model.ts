import { allocateRegion } from "../shared/layout.ts";
import {
  brokenInTurn,
  brokenLaws,
  EVERYBODY_FINISHES,
  type Glimpse,
  type Law,
  NOBODY_IS_HELD_UP,
  type Part,
} from "../shared/program-laws.ts";
import { workerIdentity } from "../shared/worker-identity.ts";
import type { SlotsCompetitor } from "./slots.contract.ts";
import * as laws from "./slots.laws.ts";

/**
 * Every interleaving of a few workers that each take a few slots, or give and take, on the allocators' own code. The
 * explorer's header says what is followed. Explored completely: at most some 13,000 states for
 * shared-ticket, 600,000 for ticket-shared-holes and 640,000 for locked-least-loaded.
 *
 * What this shows, in every schedule of these few workers: the laws hold at the end. From every state there is a way to
 * an end, also where one worker has stopped for good. It does not show that every schedule ends: workers that keep each
 * other from ending in turns would not be found.
 */
interface Size {
  readonly slots: number;
  /** By worker, how often it takes; then how often each gives and takes again. */
  readonly takes: readonly number[];
  readonly replacements: number;
  /** Tickets before their counter is folded back, where there is one. */
  readonly seed: number;
}

/** Two below 2^30, at which counters of tickets are folded if it is a multiple of the slots, or just after. */
const NEAR_FOLD = 2 ** 30 - 2;

const sizes: readonly Size[] = [
  { slots: 2, takes: [2, 2, 1], replacements: 0, seed: NEAR_FOLD },
  { slots: 2, takes: [2, 2], replacements: 0, seed: 0 },
  { slots: 3, takes: [2, 2], replacements: 0, seed: NEAR_FOLD - 1 },
  { slots: 2, takes: [2, 1], replacements: 1, seed: 0 },
  { slots: 2, takes: [1, 1], replacements: 1, seed: 0 },
  { slots: 1, takes: [1, 1], replacements: 2, seed: 0 },
];

/**
 * A worker that waits for a lock may sleep, be woken and be overtaken at each of its accesses. That is many states for
 * each call.
 */
const sizesBehindLock: readonly Size[] = [
  { slots: 2, takes: [1, 1], replacements: 0, seed: 0 },
  { slots: 2, takes: [1, 1], replacements: 1, seed: 0 },
];

/** The laws that an allocator must keep. */
export const slotsLaws = [
  ...["slotsAreInRange", "evenFilling", "evenUnderChurn", "conserved", "foldedBack"],
  ...[EVERYBODY_FINISHES, NOBODY_IS_HELD_UP],
] as const;
export type SlotsLaw = (typeof slotsLaws)[number];

/** Why an allocator cannot be explored, or undefined. */
export function unexplored({ words, needsLinear }: SlotsCompetitor): string | undefined {
  if (needsLinear) return "its accesses are made by WebAssembly";
  return words(2, 2) === 0 ? "it shares nothing" : undefined;
}

/** One sentence for each law that is broken at some size. With `until`, ends where it finds that law broken. */
export function exploreSlots(competitor: SlotsCompetitor, until?: SlotsLaw): string[] {
  const isBlocking = competitor.progress === "blocking";
  const asked = until === NOBODY_IS_HELD_UP ? [] : isBlocking ? sizesBehindLock : sizes;
  const ofAll = asked.map((size) => () => exploreSize(competitor, size, until));
  const ofDeath = () => exploreSize(competitor, { ...sizes[3]!, takes: [1, 1] }, NOBODY_IS_HELD_UP, 0);
  return brokenInTurn(isBlocking ? ofAll : [...ofAll, ofDeath], (explore) => explore(), until);
}

/** What a worker notes of a take; of a give, ~slot; and before its end, what its handle has counted. */
const END = -(2 ** 31);

function exploreSize(
  competitor: SlotsCompetitor,
  size: Size,
  until: SlotsLaw | undefined,
  mortal?: number,
): string[] {
  const { slots, takes, replacements, seed } = size;
  const workers = takes.length;
  const memory = allocateRegion(competitor.words(slots, workers));
  competitor.format(memory, slots, workers, seed);
  const threads = takes.map((times, index) => {
    const life: Part = (words, { note }) => {
      const allocator = competitor.attach(words, slots, workerIdentity(index, workers, 1));
      const held: number[] = [];
      const take = () => {
        const slot = allocator.take();
        held.push(slot);
        note(slot);
      };
      for (let taken = 0; taken < times; taken++) take();
      for (let replaced = 0; replaced < replacements; replaced++) {
        const slot = held.shift()!;
        allocator.give(slot);
        note(~slot);
        take();
      }
      const { reused = 0, held: unused = 0 } = allocator.counters?.() ?? {};
      note(END, reused, unused);
    };
    return [life];
  });
  const filling = replacements === 0;
  const spread = filling ? laws.evenFilling : laws.evenUnderChurn;
  const seenBy =
    (law: (work: laws.SlotsWork) => string | undefined): NonNullable<Law["end"]> =>
    (seen) =>
      law(workOf(competitor, size, seen));
  const promised: Law<SlotsLaw>[] = [
    { name: "slotsAreInRange", end: seenBy(laws.slotsAreInRange) },
    {
      name: filling ? "evenFilling" : "evenUnderChurn",
      end: seenBy(({ perWorker }) => spread(competitor as never, workers, laws.loadsOf(perWorker))),
    },
    { name: "conserved", end: seenBy(laws.conserved) },
    { name: "foldedBack", end: seenBy(({ state }) => laws.foldedBack(state)) },
  ];
  const program = { memory, threads };
  return mortal === undefined
    ? brokenLaws(program, promised, until)
    : brokenLaws({ ...program, mortal }, [], until);
}

function workOf(
  competitor: SlotsCompetitor,
  { slots, takes, seed }: Size,
  { memory, threads }: Glimpse,
): laws.SlotsWork {
  return {
    state: competitor.inspect(memory, slots, takes.length, seed),
    perWorker: threads.map(({ notes }) => {
      const end = notes.indexOf(END);
      const calls = notes.slice(0, end);
      const loads = new Int32Array(slots);
      let strays = 0;
      for (const call of calls) {
        const slot = call < 0 ? ~call : call;
        if (slot >= slots) strays++;
        else loads[slot]! += call < 0 ? -1 : 1;
      }
      const gives = calls.filter((call) => call < 0).length;
      const [reused, held] = notes.slice(end + 1);
      return {
        takes: calls.length - gives,
        gives,
        strays,
        loads,
        counters: { reused: reused!, held: held! },
      };
    }),
  };
}
