import { types } from "node:util";
import { shown } from "./arguments.ts";
import { freeHeldBy, type HolderWords } from "./holder-words.ts";
import { allocateRegion, type Region } from "./layout.ts";
import type { Traits } from "./traits.ts";
import { derivedSeed, type WorkerIdentity, workerIdentity } from "./worker-identity.ts";

/**
 * What the instances of all primitives have in common: a stamp, which keeps everything else from attaching, and a seat
 * for each worker. An instance is plain data and shared memory, and crosses to other threads by structured clone.
 *
 * A **seat** is one worker's place in the crew. It has one holder at a time. A later holder learns that it is not the
 * first and gets another seed. Its private state starts elsewhere; shared state continues where it was. No runtime
 * notifies one thread that another has ended, so the owner of the workers frees its seat: see `freeSeat`. Where workers
 * sleep, others may wait until it does. Attaching and freeing look at seats, and no operation does.
 */
export interface Stamped {
  readonly memory: Region;
  readonly stamp: Stamp;
}

export interface Stamp {
  /**
   * The summary of the competitor that formatted the memory. A competitor does not know its file's name, and no two have
   * the same summary (catalog.test.ts).
   */
  readonly madeBy: string;
  /** LAYOUT_VERSION of the thread that formatted the memory. */
  readonly layout: number;
  /** What the memory was formatted for, by name. */
  readonly counts: Counts;
  /**
   * A word for each worker, and one for a thread beside them. It is twice the number of holders the seat has had, less
   * 1 while it has one. Any thread, atomically.
   */
  readonly seats: Region;
  /** See `Traits.sleepWord`. */
  readonly sleepWord?: number;
  /** See `Traits.holderWords`. */
  readonly holderWords?: HolderWords;
}

export interface Counts {
  readonly workers: number;
  readonly [name: string]: number;
}

/** Raised with every change of what any competitor's words mean, so that two versions of this package do not share one. */
export const LAYOUT_VERSION = 4;

/** The stamp of memory that `competitor` has formatted for these `counts`. */
export function stampOf(
  { summary, sleepWord, holderWords }: Pick<Traits, "summary" | "sleepWord" | "holderWords">,
  counts: Counts,
): Stamp {
  return {
    madeBy: summary,
    layout: LAYOUT_VERSION,
    counts,
    seats: allocateRegion(counts.workers + 1),
    ...(sleepWord === undefined ? {} : { sleepWord }),
    ...(holderWords === undefined ? {} : { holderWords }),
  };
}

/** How a primitive's instances are read, once they are known to be such. */
export interface Reading<Instance> {
  /** The instance's current answer to what its memory was formatted for. */
  counts(instance: Instance): Counts;
  /** The crew's, a uint32. */
  seed(instance: Instance): number;
  /** What its competitors are; absent where the door takes none. */
  readonly kind?: Kind;
}

/**
 * What `attach` makes for the worker that takes seat `index`. Called in that worker's thread. Throws as assertUsable
 * does. Throws a TypeError for a value that is no instance, or went through JSON. Throws a RangeError for a count other
 * than the memory was formatted for, and for an index that is no worker's. Throws an Error where another competitor or
 * version made the instance, and where the seat has a holder. Whatever it throws, the seat is as it was.
 */
export function seated<Instance extends Stamped, Handle>(
  competitor: Usable,
  instance: Instance,
  index: number,
  reading: Reading<Instance>,
  attach: (worker: WorkerIdentity) => Handle,
): Handle {
  assertMadeBy(competitor, instance, reading);
  const worker = workerIdentity(index, instance.stamp.counts.workers, reading.seed(instance));
  const { seats } = instance.stamp;
  const generation = takeSeat(seats, index);
  if (generation === undefined)
    throw new Error(
      `seat ${index} is taken: give each worker a number of its own; once its holder has ended, call freeSeat(instance, ${index})`,
    );
  try {
    const seed = generation === 0 ? worker.seed : derivedSeed(worker.seed, generation);
    return attach({ ...worker, seed, generation });
  } catch (error) {
    leaveSeat(seats, index);
    throw error;
  }
}

/**
 * Declares that the worker with this index has ended, or will not use its handle again: another may attach in its
 * place. The owner of the workers calls it when it hears that one has exited; `adopt` does so by itself. A lock that
 * recovers is freed if that worker held it, and its next holder sees `ownerDied`. **Called for a worker that still runs,
 * it lets two workers hold such a lock.** Wakes the workers that sleep in the structure. The ended worker may have
 * been terminated as it was woken, and then no other was. Nothing else happens to a seat without a holder. Throws a
 * TypeError for a value that is no instance, a RangeError for an index that is no worker's.
 */
export function freeSeat(instance: Stamped, index: number): void {
  const seat = indexIn(instance, index);
  vacate(instance.memory, instance.stamp, seat);
}

/** The index. Throws as `freeSeat` does. */
export function indexIn(instance: Stamped, index: number): number {
  assertShared(instance);
  return workerIdentity(index, instance.stamp.counts.workers, 0).index;
}

/**
 * What `freeSeat` does, without a look at its arguments. The next holder of the seat has the same index: it must not get
 * the seat before the words are free that this index held, or it would lose what it took.
 */
export function vacate(
  memory: Region,
  { seats, sleepWord, holderWords }: Pick<Stamp, "seats" | "sleepWord" | "holderWords">,
  index: number,
): void {
  if (holderWords !== undefined && isTaken(Atomics.load(seats, index)))
    freeHeldBy(memory, holderWords, index);
  leaveSeat(seats, index);
  wakeInPlaceOfOther(memory, { sleepWord });
}

/**
 * Wakes all: one in Atomics.waitAsync may have given up, in a thread that blocks, and would keep the wake-up of another. One
 * that wakes for nothing announces itself and sleeps again.
 */
export function wakeInPlaceOfOther(
  memory: Region,
  { sleepWord }: { readonly sleepWord?: number | undefined },
): void {
  if (sleepWord !== undefined) Atomics.notify(memory, sleepWord);
}

/** The parts of a competitor that show whether it is one, and whether this runtime can run it. */
export type Usable = Pick<Traits, "summary" | "unavailable">;

/** The competitors of one primitive. */
export interface Kind {
  /** What one is called. */
  readonly what: string;
  /** A module of one. */
  readonly module: string;
  /** A field that no other primitive's have. */
  readonly mark: string;
}

/**
 * Throws a TypeError for a value that is no competitor, such as its name or a CommonJS module, and for one of another
 * `kind`. Throws an Error with the reason for a competitor that this runtime cannot run. Whatever hands out a structure
 * asks this first.
 */
export function assertUsable(competitor: Usable, kind?: Kind): void {
  const { default: inside, summary } = Object(competitor) as { default?: unknown; summary?: unknown };
  if (isCompetitor(inside))
    throw new TypeError(
      "this is a module, not a competitor: give its default export, of what require returns .default",
    );
  const reason = isCompetitor(competitor) ? competitor.unavailable?.() : undefined;
  if (reason !== undefined)
    throw new Error(`this runtime cannot run "${summary}": ${reason}; take another competitor`);
  if (!isCompetitor(competitor) || !(kind === undefined || kind.mark in competitor)) {
    const { what = "competitor", module = "hotpath-lab/pick/two-choices" } = kind ?? {};
    throw new TypeError(
      `${shown(summary ?? competitor)} is no ${what}: give the default export of a module such as ${module}`,
    );
  }
}

function isCompetitor(value: unknown): value is Usable {
  return typeof (value as Partial<Usable> | null | undefined)?.summary === "string";
}

/** Throws as `seated` does for an instance that this competitor did not make, or not for the counts that it now says. */
export function assertMadeBy<Instance extends Stamped>(
  competitor: Usable,
  instance: Instance,
  reading: Pick<Reading<Instance>, "counts" | "kind">,
): void {
  assertUsable(competitor, reading.kind);
  const { summary } = competitor;
  assertShared(instance);
  const { madeBy, layout, counts: made } = instance.stamp;
  if (madeBy !== summary)
    throw new Error(
      `this instance was made by another competitor, "${madeBy}": attach with that one, not "${summary}"`,
    );
  if (layout !== LAYOUT_VERSION)
    throw new Error(
      `this instance has layout version ${layout}, not ${LAYOUT_VERSION}: load one version of the package in all threads`,
    );
  const counts = reading.counts(instance);
  for (const [name, count] of Object.entries(made)) {
    if (counts[name] !== count)
      throw new RangeError(
        `${name} ${counts[name]} is not the ${count} that this instance was made for: make another`,
      );
  }
}

/** From JavaScript anything may come, and JSON makes an ordinary object of shared memory. */
function assertShared(instance: { readonly memory?: Region; readonly stamp?: Stamp }): void {
  if (
    types.isSharedArrayBuffer(instance?.memory?.buffer) &&
    types.isSharedArrayBuffer(instance.stamp?.seats?.buffer)
  )
    return;
  throw new TypeError(
    "this is no instance, or it went through JSON, which keeps no shared memory: use workerData or postMessage",
  );
}

/** How many workers held this seat before the caller, which holds it from now on; undefined where another holds it. */
export function takeSeat(seats: Region, index: number): number | undefined {
  const seat = Atomics.load(seats, index);
  if (isTaken(seat) || Atomics.compareExchange(seats, index, seat, seat + 1) !== seat) return undefined;
  return seat / 2;
}

/** The seat is free from now on. */
export function leaveSeat(seats: Region, index: number): void {
  const seat = Atomics.load(seats, index);
  if (isTaken(seat)) Atomics.compareExchange(seats, index, seat, seat + 1);
}

/** Whether a word of `seats` says that the seat has a holder. */
export function isTaken(seat: number): boolean {
  return seat % 2 !== 0;
}
