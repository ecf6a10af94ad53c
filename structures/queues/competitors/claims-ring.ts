import { HOLDER, numberOf } from "../../shared/holder-bits.ts";
import { type Region, STRIDE_WORDS } from "../../shared/layout.ts";
import { copyIn, copyOut } from "../parts/places.ts";
import { EMPTY, type QueueSetup, type QueuesCompetitor } from "../queues.contract.ts";

/**
 * A sequence-ring that outlives its workers: each says which place it is about to claim, so that the others can pass over
 * the place of one that died there.
 *
 * Promise: all messages in one order. Once the seat of a dead worker is freed, the next to find its place in the way passes
 *   over it. Lost is the message that the worker was sending or receiving.
 * Progress: blocking, as sequence-ring, until then.
 * Threads: any number of producers and consumers. The owner of the workers frees the seats of those that end.
 * Cost: that of sequence-ring, and two atomic stores to a line of the worker's own.
 * Memory: that of sequence-ring, and a stride for each worker.
 * Limits: full and empty are not exact. A seat that is not freed may leave the queue in the way of its dead holder.
 * Bet: to outlive any worker costs less than a lock does.
 * Source: Vyukov, "Bounded MPMC queue" (1024cores). Announced operations, as hazard pointers are announced (Michael 2004).
 *
 *     word 0        head   as in sequence-ring
 *     word 32       tail   as in sequence-ring
 *     words 64 ..   for each worker a stride
 *         word 0        alive   a holder word (shared/holder-bits.ts): its worker, or nobody once its seat is freed
 *         word 1        claim   2n + 1 while it may have claimed place n, else 0; written by the worker, atomically
 *     behind them   for each place
 *         word 0        2n where message n may be written, 2n + 1 once it is there, 2(n + capacity) once it was received or
 *                       passed over; atomically
 *         words 1 ..    the message, plain: the store of that number hands it over
 */
export default {
  summary: "ring whose places have numbers, and whose workers say which place they claim",
  source: "Vyukov's bounded MPMC queue, with announced claims",
  progress: "blocking",
  messages: "words",
  producers: "many",
  consumers: "many",
  full: "refuses",
  order: "global",
  exactEmpty: false,
  exactFull: false,
  stoppedSender: "freed",
  stoppedReceiver: "freed",

  words: (setup) => placesAt(setup) + setup.capacity * (1 + setup.longest),

  format(memory, setup) {
    const { capacity, longest } = setup;
    Atomics.store(memory, HEAD, 0);
    Atomics.store(memory, TAIL, 0);
    for (let at = WORKERS; at < placesAt(setup); at += STRIDE_WORDS) {
      Atomics.store(memory, at + ALIVE, 0);
      Atomics.store(memory, at + CLAIM, 0);
    }
    for (let place = 0; place < capacity; place++)
      Atomics.store(memory, placesAt(setup) + place * (1 + longest), 2 * place);
  },

  holders: ({ producers, consumers }) => ({
    first: WORKERS + ALIVE,
    count: producers + consumers,
    strideWords: STRIDE_WORDS,
  }),

  sender(memory, setup, { index }) {
    const { longest } = setup;
    const side = join(memory, setup, index, { counter: TAIL, turn: 0 });
    return {
      trySend(message) {
        const tail = claim(side);
        if (tail === undefined) return false;
        copyIn(memory, side.placeOf(tail) + 1, message, longest);
        release(side, tail, 2 * tail + 1);
        return true;
      },
    };
  },

  receiver(memory, setup, { index }) {
    const { capacity, longest } = setup;
    const side = join(memory, setup, index, { counter: HEAD, turn: 1 });
    return {
      tryReceive(into) {
        const head = claim(side);
        if (head === undefined) return EMPTY;
        copyOut(memory, side.placeOf(head) + 1, into, longest);
        release(side, head, 2 * (head + capacity));
        return longest;
      },
    };
  },
} satisfies QueuesCompetitor;

/** What a worker knows of its side of the ring. */
interface Side {
  readonly memory: Region;
  readonly setup: QueueSetup;
  /** The word that counts the places which its side has claimed. */
  readonly counter: typeof HEAD | typeof TAIL;
  /** What is added to 2n where it is this side's turn. */
  readonly turn: 0 | 1;
  /** Its own claim. */
  readonly mine: number;
  placeOf(n: number): number;
}

function join(memory: Region, setup: QueueSetup, index: number, side: Pick<Side, "counter" | "turn">): Side {
  const own = WORKERS + index * STRIDE_WORDS;
  Atomics.store(memory, own + CLAIM, 0);
  Atomics.store(memory, own + ALIVE, numberOf(index));
  const { capacity, longest } = setup;
  const first = placesAt(setup);
  const placeOf = (n: number) => first + (n & (capacity - 1)) * (1 + longest);
  return { ...side, memory, setup, mine: own + CLAIM, placeOf };
}

/** Claims the next place for this side, and returns its number; undefined where it is not this side's turn there. */
function claim(side: Side): number | undefined {
  const { memory, counter, turn, mine, placeOf } = side;
  let hasClaimed = false;
  let n = Atomics.load(memory, counter);
  for (;;) {
    const place = placeOf(n);
    const number = Atomics.load(memory, place);
    const ahead = (number - (2 * n + turn)) | 0;
    let found = n;
    if (ahead === 0) {
      // Before the place is claimed, so that nobody takes it for one of the dead.
      Atomics.store(memory, mine, 2 * n + 1);
      hasClaimed = true;
      found = Atomics.compareExchange(memory, counter, n, n + 1);
      if (found === n) return n;
    } else if (ahead > 0) {
      found = Atomics.load(memory, counter);
      // Ahead of its side's counter is only what was passed over.
      if (found === n) found = Atomics.compareExchange(memory, counter, n, n + 1);
    } else if (!passOver(side, place, number)) {
      if (hasClaimed) Atomics.store(memory, mine, 0);
      return undefined;
    }
    n = found;
  }
}

/** Hands the place on to whoever is next there. */
function release({ memory, mine, placeOf }: Side, n: number, number: number): void {
  Atomics.store(memory, placeOf(n), number);
  Atomics.store(memory, mine, 0);
}

/**
 * Passes over the place with this number if it was claimed by a worker that is dead: if no living worker of that side says
 * that it may have claimed it. Returns whether another look is worth while.
 */
function passOver({ memory, setup }: Side, place: number, number: number): boolean {
  const isBeingRead = (number & 1) !== 0;
  const claims = Atomics.load(memory, isBeingRead ? HEAD : TAIL);
  if (((2 * claims - (number & ~1)) | 0) <= 0) return false;
  const { producers, consumers, capacity } = setup;
  const first = isBeingRead ? producers : 0;
  const end = isBeingRead ? producers + consumers : producers;
  for (let worker = first; worker < end; worker++) {
    const at = WORKERS + worker * STRIDE_WORDS;
    const isAlive = (Atomics.load(memory, at + ALIVE) & HOLDER) !== 0;
    if (isAlive && Atomics.load(memory, at + CLAIM) === (number | 1)) return false;
  }
  // Where this fails, it was handed on meanwhile.
  Atomics.compareExchange(memory, place, number, ((number & ~1) + 2 * capacity) | 0);
  return true;
}

const HEAD = 0;
const TAIL = STRIDE_WORDS;
const WORKERS = 2 * STRIDE_WORDS;
const ALIVE = 0;
const CLAIM = 1;
const placesAt = ({ producers, consumers }: QueueSetup) => WORKERS + (producers + consumers) * STRIDE_WORDS;
