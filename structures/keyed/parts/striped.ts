import { AsyncLocalStorage } from "node:async_hooks";
import { assertFunction, assertOptions, type OptionKinds } from "../../shared/arguments.ts";
import type { HolderWords } from "../../shared/holder-words.ts";
import type { Region } from "../../shared/layout.ts";
import type { WorkerIdentity } from "../../shared/worker-identity.ts";
import type {
  Body,
  HeldKey,
  Key,
  Keyed,
  KeyedCompetitor,
  KeyedSetup,
  RequestOptions,
} from "../keyed.contract.ts";
import { hashOf } from "./key.ts";
import { Stripe, type StripeLock, stripeWords } from "./stripe.ts";

/** All of a competitor whose keys share `setup.stripes` locks, but its description. */
export function striped(lock: StripeLock) {
  const wordsOf = ({ workers }: KeyedSetup) => stripeWords(lock, workers);
  const lockAt = (memory: Region, setup: KeyedSetup, stripe: number) =>
    memory.subarray(stripe * wordsOf(setup), stripe * wordsOf(setup) + lock.words(setup.workers));
  return {
    reach: "workers",
    deadHolder: "recovers",
    nested: "refused",
    aborts: true,
    blocks: true,

    words: (setup: KeyedSetup) => setup.stripes * wordsOf(setup) + (setup.suspects ?? 0),

    format(memory: Region, setup: KeyedSetup) {
      memory.fill(0);
      for (let stripe = 0; stripe < setup.stripes; stripe++)
        lock.format(lockAt(memory, setup, stripe), setup.workers);
    },

    workerExited(memory: Region, setup: KeyedSetup, index: number) {
      for (let stripe = 0; stripe < setup.stripes; stripe++)
        lock.workerExited(lockAt(memory, setup, stripe), index);
    },

    /** What the stamp of an instance says of them, for `freeSeat`. */
    holderWordsOf: (setup: KeyedSetup): HolderWords => ({
      first: 0,
      count: setup.stripes,
      strideWords: wordsOf(setup),
      ...(lock.hasTickets && { tickets: setup.workers }),
    }),

    attach: (memory: Region, setup: KeyedSetup, worker: WorkerIdentity, habits?: Habits) =>
      new StripedLocks(lock, memory, setup, worker, habits),
  } satisfies Omit<KeyedCompetitor, "summary" | "source" | "progress" | "order"> & {
    holderWordsOf(setup: KeyedSetup): HolderWords;
  };
}

export interface Nesting {
  /**
   * Whether requests inside the body of another are refused after its first `await`, too: true if absent. It needs an
   * AsyncLocalStorage. Before Node 24 one that is in use makes every promise of the thread slower.
   */
  readonly checksNesting?: boolean | undefined;
}

/** How a handle treats what its requests do not say. */
export interface Habits extends Nesting {
  /** For requests without a `mend` of their own. */
  readonly mend?: RequestOptions["mend"];
}

/** A body that runs, as what is called in it sees it. */
interface Running {
  isOpen: boolean;
}

/** One worker's handle. Of a stripe that it never uses it makes nothing. */
export class StripedLocks implements Required<Keyed> {
  readonly #lock: StripeLock;
  readonly #memory: Region;
  /** Words for suspects of all stripes. */
  readonly #suspects: Region;
  readonly #worker: WorkerIdentity;
  readonly #stripeWords: number;
  readonly #stripes: (Stripe | undefined)[];
  /** Whether a body of requestSync runs, or the part of another before its first `await`. */
  #isInside = false;
  /** Bodies that have not settled. */
  #open = 0;
  readonly #running: AsyncLocalStorage<Running> | undefined;
  readonly #mend: RequestOptions["mend"];

  constructor(
    lock: StripeLock,
    memory: Region,
    setup: KeyedSetup,
    worker: WorkerIdentity,
    { checksNesting = true, mend }: Habits = {},
  ) {
    this.#lock = lock;
    this.#memory = memory;
    this.#worker = worker;
    this.#stripeWords = stripeWords(lock, setup.workers);
    const first = setup.stripes * this.#stripeWords;
    this.#suspects = memory.subarray(first, first + (setup.suspects ?? 0));
    this.#stripes = new Array<Stripe | undefined>(setup.stripes).fill(undefined);
    this.#running = checksNesting ? new AsyncLocalStorage() : undefined;
    this.#mend = mend;
  }

  async request<Result>(
    key: Key,
    ...[first, second]: [RequestOptions, Body<Result>] | [(key: HeldKey) => Result | PromiseLike<Result>]
  ): Promise<Result> {
    const [options, body] = typeof first === "function" ? [{}, first as Body<Result>] : [first, second];
    assertRequest(options, body);
    const hash = hashOf(key);
    this.#assertOutside("request");
    const stripe = this.#stripeOf(hash);
    const { signal, ifAvailable, mend = this.#mend } = options;
    signal?.throwIfAborted();
    const held = () => this.#inside(() => body({ name: key, mode: "exclusive" }));
    const mending = mend && (() => this.#inside(mend));
    return ifAvailable
      ? stripe.holdIfFree(hash, held, mending, () => body(null))
      : stripe.hold(hash, held, { mend: mending, signal });
  }

  requestSync<Result>(key: Key, body: () => Result, options?: Pick<RequestOptions, "mend">): Result {
    assertFunction("requestSync", "body", body);
    if (options !== undefined) assertOptions("requestSync", options, OF_REQUEST_SYNC);
    const hash = hashOf(key);
    this.#assertOutside("requestSync");
    const stripe = this.#stripeOf(hash);
    this.#isInside = true;
    try {
      return stripe.holdSync(hash, body, options?.mend ?? this.#mend);
    } finally {
      this.#isInside = false;
    }
  }

  #stripeOf(hash: number): Stripe {
    const number = (hash >>> 0) % this.#stripes.length;
    const at = number * this.#stripeWords;
    this.#stripes[number] ??= new Stripe(
      this.#lock,
      this.#memory.subarray(at, at + this.#stripeWords),
      this.#suspects,
      this.#worker,
    );
    return this.#stripes[number];
  }

  /** Calls `body`, so that what it calls is known to be inside until it is settled. */
  async #inside<Result>(body: () => Result | PromiseLike<Result>): Promise<Result> {
    const running: Running = { isOpen: true };
    this.#open++;
    try {
      return await (this.#running === undefined ? this.#beginning(body) : this.#running.run(running, body));
    } finally {
      running.isOpen = false;
      this.#open--;
    }
  }

  #beginning<Result>(body: () => Result): Result {
    this.#isInside = true;
    try {
      return body();
    } finally {
      this.#isInside = false;
    }
  }

  #assertOutside(caller: string): void {
    if (!this.#isInside && (this.#open === 0 || !this.#running?.getStore()?.isOpen)) return;
    throw new Error(
      `${caller}: this task holds a key of the set, and might wait for itself: do it after the outer body, or under one key for both`,
    );
  }
}

/** Refuses what the Web Locks API refuses, and what it has and this has not. */
function assertRequest(options: RequestOptions & Steals, body: unknown): asserts body is Body<never> {
  assertFunction("request", "body", body);
  assertOptions("request", options, OF_REQUEST);
  const { mode = "exclusive", signal, ifAvailable, steal } = options;
  if (mode !== "exclusive" || steal)
    throw notSupported("request: keys are exclusive and cannot be stolen: leave out mode and steal");
  if (ifAvailable && signal !== undefined)
    throw notSupported("request: with ifAvailable it never waits: leave out signal");
}

/** What the Web Locks API throws. */
function notSupported(message: string): DOMException {
  return new DOMException(message, "NotSupportedError");
}

/** Of the Web Locks API alone. */
interface Steals {
  readonly steal?: boolean;
}

const OF_REQUEST_SYNC = { mend: "function" } as const satisfies OptionKinds<Pick<RequestOptions, "mend">>;
const OF_REQUEST: OptionKinds<RequestOptions & Steals> = {
  signal: "signal",
  ifAvailable: "boolean",
  ...OF_REQUEST_SYNC,
  mode: "any",
  steal: "any",
};
