import { assertInteger } from "../shared/arguments.ts";
import type { Contract } from "../shared/contract.ts";
import type { LinearMemory, Region } from "../shared/layout.ts";
import type { Traits } from "../shared/traits.ts";
import { assertUint32, assertWorkers, type WorkerIdentity } from "../shared/worker-identity.ts";

/**
 * Gives each connecting client one of the slots of an interval: the second of its heartbeats. All slots get about as
 * many clients, however many workers admit them.
 *
 * Life: one thread formats `words` words once, before any other thread touches them. Then every worker attaches and
 * calls its own allocator. Slots are numbered 0 .. slots - 1. The caller keeps track of which client has which slot,
 * and of workers that die. The allocator does not clean up after a dead worker. The slots of its clients stay taken
 * until the memory is formatted anew. Each competitor lists under Limits what else is lost with it. A worker that
 * takes over the seat of one that ended (shared/instance.ts) knows nothing of its clients. It counts as one more
 * worker in every promise that is made for each.
 *
 * **Filling** is a crew that takes and never gives, from the formatted state on. **Churn** follows it: each worker
 * again and again gives back a slot that it has and takes another before it gives the next. Every client that leaves
 * is thus replaced at once, and at rest there are as many clients as before. **At rest** means that no call is in
 * progress on any worker and, in churn, that every client given back has been replaced. **Coming and going** means
 * that clients arrive and leave as they like. No spread is claimed for it, because placement cannot help where
 * clients stay away. But in all three states clients are spread no worse than the same number at random slots. The
 * same holds for clients that come after all have left, in whatever order: an outage takes clients away slot by slot.
 */
export interface SlotsCompetitor extends Traits {
  /** Largest difference between the clients of two slots at rest after filling; Infinity where none is promised. */
  spreadWhenFilling(workers: number): number;
  /** Largest difference between the clients of two slots at rest during churn; Infinity where none is promised. */
  spreadUnderChurn(workers: number): number;
  /**
   * Whether a take reads how many clients slots have. If so, it spreads clients with less than half the variance of
   * random slots, in filling and in churn. A take that gains less need not look.
   */
  readonly readsLoads: boolean;
  /** Size in int32 words, for 1 .. MOST_SLOTS slots; 0 where all memory is private. Throws a RangeError for others. */
  words(slots: number, workers: number): number;
  /** `seed` is a uint32 that may decide where filling begins. Throws a RangeError as `assertSetup` does. */
  format(memory: Region, slots: number, workers: number, seed: number): void;
  /**
   * `slots` is what the memory was formatted for, with the crew that `worker` belongs to. `linear` is the Memory that
   * the allocator views, where it `needsLinear`.
   */
  attach(memory: Region, slots: number, worker: WorkerIdentity, linear?: LinearMemory): SlotAllocator;
  /**
   * Reads back the totals since format from the shared words. Only at rest. An allocator with shared words reports
   * loads or tickets.
   */
  inspect(memory: Region, slots: number, workers: number, seed: number): SlotsState;
}

/** One worker's handle. Not to be passed to another thread. */
export interface SlotAllocator {
  /** Gives a client a slot: 0 .. slots - 1. */
  take(): number;
  /**
   * The client in `slot` has left. Only the worker that took it may call this, once for each take. The allocator does
   * not check that.
   */
  give(slot: number): void;
  /**
   * Totals since attach, by name. An allocator that hands out tickets reports two totals. `reused`: takes that got a
   * returned slot and no ticket. `held`: tickets that it has drawn and not used.
   */
  counters?(): Readonly<Record<string, number>>;
}

/** What shared words record; each field is absent where no word records it. */
export interface SlotsState {
  /** Clients of each slot. */
  readonly loads?: readonly number[];
  /**
   * Tickets drawn. Where their counter is folded back, the total is known modulo `modulo`. `word` is the counter as
   * it stands, at most MOST_DRAWN tickets beyond that.
   */
  readonly tickets?: { readonly count: number; readonly modulo: number; readonly word: number };
  /** Slots given back and not taken again. */
  readonly holes?: number;
  /** The holes that no take has claimed, where they are counted apart: all of them, at rest. */
  readonly vacant?: number;
}

/** Most tickets that one draw takes. A folded counter may therefore be that far beyond its fold at rest. */
export const MOST_DRAWN = 64;

/** About 12 days of seconds. */
export const MOST_SLOTS = 2 ** 20;

/** The checks that `words` and `format` start with. They throw the RangeErrors that both promise. */
export function assertSetup(slots: number, workers: number, seed = 0): void {
  assertInteger("slots", slots, 1, MOST_SLOTS);
  assertWorkers(workers);
  assertUint32("seed", seed);
}

/** Where on the ring of slots a worker begins: the workers of a crew start as far apart as they can. */
export function staggeredStart(
  slots: number,
  { index, workers }: Pick<WorkerIdentity, "index" | "workers">,
): number {
  return Math.floor((index * slots) / workers);
}

export const contract = {
  question:
    "Which second does a connecting client get, when many workers admit clients at once and the seconds must fill evenly?",
  oracle: "locked-least-loaded-scan",
  fields: {
    spreadWhenFilling: "function",
    spreadUnderChurn: "function",
    readsLoads: "boolean",
    words: "function",
    format: "function",
    attach: "function",
    inspect: "function",
  },
  optional: {},
  footprint(competitor) {
    const bytes = competitor.words(600, 8) * Int32Array.BYTES_PER_ELEMENT;
    return bytes === 0 ? "private memory" : `${bytes} B shared, 600 slots`;
  },
} satisfies Contract<SlotsCompetitor>;
