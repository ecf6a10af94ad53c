import {
  assertResource,
  assertTime,
  type Capacity,
  type ChangeLog,
  NO_EVIDENCE,
  NOBODY,
} from "../ownership.contract.ts";

/** One change, as it was heard. */
export interface Heard {
  readonly resource: number;
  /** Or NOBODY. */
  readonly owner: number;
  readonly at: number;
  readonly arrivedAt: number;
}

/** From `at` until the next entry of its resource, the resource belongs to `owner`, or to NOBODY. */
export interface Entry {
  at: number;
  owner: number;
}

/** What the private logs claim of themselves alike. */
export const historyClaims = {
  progress: "wait-free",
  hears: "changes",
  // Two changes for each range, each put into a place of its own.
  mostRanges: 1_000_000,
  words: () => 0,
  format() {},
} as const;

/** A Map from resource to an array of entries sorted by `at`; a rule says when and where a change is entered. */
export abstract class History implements ChangeLog {
  readonly #capacity: Capacity;
  readonly #logs = new Map<number, Entry[]>();
  #watermark = 0;
  #lastArrivedAt = 0;

  constructor(capacity: Capacity) {
    this.#capacity = capacity;
  }

  change(resource: number, owner: number, at: number, arrivedAt: number): boolean {
    assertChange(this.#capacity, resource, owner, at, arrivedAt);
    if (arrivedAt < this.#lastArrivedAt)
      throw new RangeError(`arrivedAt ${arrivedAt} goes back: a change arrived at ${this.#lastArrivedAt}`);
    this.#lastArrivedAt = arrivedAt;
    return this.hear({ resource, owner, at, arrivedAt });
  }

  ownerAt(resource: number, t: number): number {
    assertResource(this.#capacity, resource);
    // Nothing ends what the last entry says, so that infinity has to be turned away; NaN fails the comparison.
    if (!(t >= this.#watermark) || t === Number.POSITIVE_INFINITY) return NO_EVIDENCE;
    const log = this.#logs.get(resource);
    return log?.[inForceAt(log, t)]?.owner ?? NOBODY;
  }

  trim(watermark: number): void {
    assertTime("watermark", watermark);
    if (watermark <= this.#watermark) return;
    this.#watermark = watermark;
    for (const log of this.#logs.values()) {
      // What is in force at the watermark is also what later changes are measured by; so no log becomes empty.
      const forgotten = inForceAt(log, watermark);
      if (forgotten > 0) log.splice(0, forgotten);
    }
  }

  /** Applies the rule to one change, which is valid; false if the rule already knows better. */
  protected abstract hear(change: Heard): boolean;

  protected get watermark(): number {
    return this.#watermark;
  }

  /** The entries of a resource, to be changed in place. */
  protected logOf(resource: number): Entry[] {
    let log = this.#logs.get(resource);
    if (log === undefined) {
      log = [];
      this.#logs.set(resource, log);
    }
    return log;
  }
}

/** Index of the last entry with at <= t, -1 if there is none. */
export function inForceAt(log: readonly Entry[], t: number): number {
  let low = 0;
  let high = log.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (log[middle]!.at <= t) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function assertChange(
  capacity: Capacity,
  resource: number,
  owner: number,
  at: number,
  arrivedAt: number,
): void {
  assertResource(capacity, resource);
  if (!(Number.isInteger(owner) && owner >= NOBODY && owner < capacity.owners))
    throw new RangeError(`owner ${owner} is neither NOBODY nor an integer in 0 .. ${capacity.owners - 1}`);
  assertTime("at", at);
  assertTime("arrivedAt", arrivedAt);
}
