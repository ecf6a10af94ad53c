import { allocateRegion, type Region } from "../shared/layout.ts";
import { brokenInTurn, brokenLaws, type Glimpse, type Law, type Part } from "../shared/program-laws.ts";
import gcraTable from "./competitors/gcra-table.ts";
import type { ClockNs, LimitsSetup } from "./limits.contract.ts";
import * as laws from "./limits.laws.ts";
import * as honest from "./parts/key-table.ts";

/**
 * Every interleaving of two workers that take by key from a table of one bin, while time passes, on the table's own code.
 * As in limits.model.ts the clock is a word that a thread beside them moves on.
 *
 * What this shows, in every schedule: no key is granted more in any window than its limit, where both begin it, where a cell
 * goes from key to key, and where one worker has stopped for good at any access; and no key's token is lost. The largest
 * size has too many interleavings: there, those with four interruptions.
 */
export type TableModule = Pick<typeof honest, "KeyTable" | "formatTable" | "tableWords">;

interface Size {
  readonly cells: number;
  readonly capacity: number;
  /** The keys that each worker takes one token of, in turn. */
  readonly takes: readonly [readonly number[], readonly number[]];
  /** A key that has been emptied at 0. */
  readonly before?: number;
  readonly timesNs: readonly number[];
  /** Whether the first worker may also stop for good. */
  readonly isMortal?: true;
  /** How often a thread may be interrupted in all: any number if absent. */
  readonly preemptions?: number;
}

/** A and X look for a cell at one end of the bin, B at the other. */
const [A, B, X] = [1, 3, 2];
const SIZES: readonly Size[] = [
  { cells: 2, capacity: 2, takes: [[A], [A]], timesNs: [], isMortal: true },
  { cells: 1, capacity: 1, takes: [[B], [A]], before: A, timesNs: [1, 4], isMortal: true },
  { cells: 2, capacity: 1, takes: [[A, A], [X]], timesNs: [] },
  { cells: 2, capacity: 1, takes: [[A], [A, B]], before: X, timesNs: [4, 8], preemptions: 4 },
];
/** 2 ns until there is another token. */
const PER_SECOND = 5e8;
const STARTS_NS = 12;

/** The laws that the table keeps. */
export const keysLaws = { neverOverLimit: true, tokensAreConserved: true, nobodyIsHeldUp: true };
type KeysLaw = keyof typeof keysLaws;

/** One sentence for each broken law at some size. With `until`, ends where it finds that law broken. */
export function exploreKeys(table: TableModule = honest, until?: string): string[] {
  const deaths = SIZES.flatMap((size) =>
    (size.isMortal ? [undefined, 0] : [undefined]).map((mortal) => ({ size, mortal })),
  );
  return brokenInTurn(deaths, ({ size, mortal }) => exploreSize(table, size, mortal, until), until);
}

function exploreSize(
  { KeyTable, formatTable, tableWords }: TableModule,
  { cells, capacity, takes, before, timesNs, preemptions }: Size,
  mortal: number | undefined,
  until: string | undefined,
): string[] {
  const size = { bins: 1, cells, restNs: 1 };
  const setup: LimitsSetup = { capacity, perSecond: PER_SECOND, workers: 3 };
  const clock = tableWords(size);
  const memory = allocateRegion(clock + 1);
  formatTable(memory, size);
  const attach = (words: Region, nowNs: ClockNs) =>
    new KeyTable(words.subarray(0, clock), setup, size, nowNs);
  if (before !== undefined) attach(memory, () => STARTS_NS).tryTake(before, capacity);

  const worker =
    (keys: readonly number[]): Part =>
    (words, { note }) => {
      let atNs = 0;
      const buckets = attach(words, () => {
        atNs = Atomics.load(words, clock);
        return STARTS_NS + atNs;
      });
      for (const key of keys) if (buckets.tryTake(key)) note(key * SCALE + atNs);
    };
  const time: Part = (words) => {
    for (const ns of timesNs) Atomics.store(words, clock, ns);
  };
  const grantedOf = (key: number, { threads }: Glimpse) => [
    ...(key === before ? new Array<number>(capacity).fill(0) : []),
    ...threads
      .flatMap(({ notes }) => notes)
      .filter((note) => Math.floor(note / SCALE) === key)
      .map((note) => note % SCALE),
  ];
  const over = (seen: Glimpse) =>
    [A, B]
      .map((key) => grantedOf(key, seen).map((ns) => ({ beganNs: ns, endedNs: ns })))
      .map((grants) => laws.neverOverInWindows(gcraTable, setup, grants))
      .find((sentence) => sentence !== undefined);
  /** Where time stands still, what no worker got of A is left. */
  const lost = (seen: Glimpse) => {
    const late = attach(seen.memory, () => STARTS_NS);
    let taken = grantedOf(A, seen).length;
    while (late.tryTake(A)) taken++;
    const terminated = mortal === undefined ? 0 : 1;
    return laws.tokensAreConserved({ held: capacity, taken, terminated });
  };
  const promised: Law<KeysLaw>[] = [{ name: "neverOverLimit", state: over }];
  if (timesNs.length === 0) promised.push({ name: "tokensAreConserved", end: lost });
  const threads = [worker(takes[0]), worker(takes[1]), time].map((part) => [part]);
  const program = { memory, threads, ...(preemptions !== undefined && { preemptions }) };
  return brokenLaws(mortal === undefined ? program : { ...program, mortal }, promised, until);
}

/** A grant is noted as its key, times this, and its time. */
const SCALE = 16;
