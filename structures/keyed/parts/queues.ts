import type { Body, Key, Keyed, KeyedCompetitor } from "../keyed.contract.ts";

/** Runs what it is given one at a time, in the order in which it came. */
export type Queue = <Result>(work: () => Result | PromiseLike<Result>) => Promise<Result>;

/** All of a competitor of one thread that has a queue for each key in use, but its description. */
export function queues(make: () => Queue) {
  return {
    progress: "blocking",
    reach: "thread",
    order: "own",
    deadHolder: "dies",
    nested: "waits",
    aborts: false,
    blocks: false,
    words: () => 0,
    format() {},
    attach: (): Keyed => new Queues(make),
  } satisfies Omit<KeyedCompetitor, "summary" | "source">;
}

/** Forgets the queue of a key that nobody holds or waits for, or it would keep those of all keys there ever were. */
class Queues implements Keyed {
  readonly #make: () => Queue;
  readonly #queues = new Map<Key, { readonly queue: Queue; requests: number }>();

  constructor(make: () => Queue) {
    this.#make = make;
  }

  async request<Result>(
    key: Key,
    { ifAvailable }: { readonly ifAvailable?: boolean | undefined },
    body: Body<Result>,
  ): Promise<Result> {
    const inUse = this.#queues.get(key);
    if (ifAvailable && inUse !== undefined) return body(null);
    const entry = inUse ?? { queue: this.#make(), requests: 0 };
    if (inUse === undefined) this.#queues.set(key, entry);
    entry.requests++;
    try {
      return await entry.queue(() => body({ name: key, mode: "exclusive" }));
    } finally {
      if (--entry.requests === 0) this.#queues.delete(key);
    }
  }
}
