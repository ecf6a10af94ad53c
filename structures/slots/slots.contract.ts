import type { Contract } from "../shared/contract.ts";
import type { LinearMemory, Region } from "../shared/layout.ts";
import type { Traits } from "../shared/traits.ts";
import { assertUint32, assertWorkers, type WorkerIdentity } from "../shared/worker-identity.ts";

/**
 * Gives each client that connects one of the slots of an interval, the second in which its heartbeats will come, so that
 * all slots have about as many clients, however many workers admit them.
 *
 * Life: one thread formats `words` words once, before any other may touch them; then every worker attaches and calls its
 * own allocator. Slots are numbered 0 .. slots - 1. Which client has which slot is the caller's to know, and so is that a
 * worker has died: nobody cleans up after one. The slots of its clients stay taken until somebody formats anew; what else
 * is lost with it, each competitor says under Limits. A worker that takes over the seat of one that ended
 * (shared/instance.ts) knows nothing of its clients; it is a worker more to all that is promised for each.
 *
 * **Filling** is a crew that takes and never gives, from the formatted state on. **Churn** is what follows when from then
 * on each worker, again and again, gives back a slot that it has and takes another before it gives the next: every
 * client that leaves is replaced at once, and at rest there are as many clients as before.
 * **At rest** means while no call is under way on any worker and, in churn, no client has been given back that is not
 * yet replaced.
 * **Coming and going** is when clients arrive and leave as they like. No spread is claimed for it, because no placement
 * helps where clients stay away; but clients are spread no worse than as many at random slots, in all three. Nor are
 * those worse who come once all have left, in whatever order: an outage takes clients away slot by slot.
 */
export interface SlotsCompetitor extends Traits {
  /** The most by which the clients of two slots differ at rest after filling; Infinity where nothing is promised. */
  spreadWhenFilling(workers: number): number;
  /** The most by which the clients of two slots differ at rest during churn; Infinity where nothing is promised. */
  spreadUnderChurn(workers: number): number;
  /**
   * Whether a take looks at how many clients slots have. If so, it spreads clients with less than half the variance of
   * random slots, in filling and in churn: half, because who gains less need not look.
   */
  readonly readsLoads: boolean;
  /** Size in int32 words, for 1 .. MOST_SLOTS slots; 0 where all memory is private. Throws a RangeError for others. */
  words(slots: number, workers: number): number;
  /** `seed` is a uint32 that may decide where filling begins. Throws a RangeError as `assertSetup` does. */
  format(memory: Region, slots: number, workers: number, seed: number): void;
  /**
   * `slots` is what the memory was formatted for, and so is the crew that `worker` belongs to. `linear` is the Memory that
   * it views, where it `needsLinear`.
   */
  attach(memory: Region, slots: number, worker: WorkerIdentity, linear?: LinearMemory): SlotAllocator;
  /**
   * Reads back what the shared words say was done since format. Only at rest. An allocator with shared words reports loads or tickets.
   */
  inspect(memory: Region, slots: number, workers: number, seed: number): SlotsState;
}

/** One worker's handle. Not to be passed to another thread. */
export interface SlotAllocator {
  /** Gives a client a slot: 0 .. slots - 1. */
  take(): number;
  /** The client in `slot` has left. Only by the worker that took it, once for each take: nobody checks that. */
  give(slot: number): void;
  /**
   * Totals since attach, by name. An allocator that hands out tickets says with `reused` how many takes got a slot given back and no
   * ticket, and with `held` how many tickets it has drawn and not used.
   */
  counters?(): Readonly<Record<string, number>>;
}

/** What shared words tell; each is absent where none does. */
export interface SlotsState {
  /** Clients of each slot. */
  readonly loads?: readonly number[];
  /**
   * Tickets drawn, known modulo `modulo`, where their counter is folded back; and the counter's word as it stands, which
   * is no further beyond that than MOST_DRAWN tickets.
   */
  readonly tickets?: { readonly count: number; readonly modulo: number; readonly word: number };
  /** Slots given back and not taken again. */
  readonly holes?: number;
  /** Those of the holes that no take has claimed, where they are counted apart: all of them, at rest. */
  readonly vacant?: number;
}

/** Tickets that one draw takes at most, and so by how many a folded counter may stand beyond its fold at rest. */
export const MOST_DRAWN = 64;

/** About 12 days of seconds. */
export const MOST_SLOTS = 2 ** 20;

/** The checks that `words` and `format` start with; throws the RangeErrors they promise. */
export function assertSetup(slots: number, workers: number, seed = 0): void {
  if (!(Number.isInteger(slots) && slots >= 1 && slots <= MOST_SLOTS))
    throw new RangeError(`slots ${slots} is not an integer in 1 .. ${MOST_SLOTS}`);
  assertWorkers(workers);
  assertUint32("seed", seed);
}

/** Where on the ring of slots a worker begins, so that those of a crew begin as far from each other as they can. */
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
