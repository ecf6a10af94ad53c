import { check, type ModelCoverage, type Promised } from "../interleave/model.ts";
import { allocateRegion, type Region } from "../shared/layout.ts";
import { workerIdentity } from "../shared/worker-identity.ts";
import { EMPTY, type Message, type QueueSetup, type QueuesCompetitor } from "./queues.contract.ts";

/**
 * Two threads that send and receive a few messages, on the queue's own code, in every interleaving: their calls are
 * linearizable, and the queue is an array (interleave-shared). A call that may be refused too early says nothing.
 *
 * Where many send or receive, both threads do. Of a queue that keeps the order of each producer only, one sends.
 */
const CAPACITY = 2;
/** Bytes of frames: room for two, if none wraps. */
const FRAME_CAPACITY = 16;
const LONGEST = 2;
/** Of each queue, in a second or two; those with a lock have many states for each call. */
const SCENARIOS = 12;
const MOST_STATES = 10_000;

/**
 * Throws an InterleavingError that shows how the queue is none. With `weak`, plain accesses are as weak as ECMAScript allows,
 * and the calls sequentially consistent: to look at their order would order the accesses, too.
 */
export function checkQueue(competitor: QueuesCompetitor, weak: boolean): ModelCoverage {
  const isOrdered = competitor.order === "global";
  const setup: QueueSetup = {
    capacity: competitor.messages === "words" ? CAPACITY : FRAME_CAPACITY,
    longest: LONGEST,
    producers: isOrdered && competitor.producers === "many" ? 2 : 1,
    consumers: isOrdered && competitor.consumers === "many" ? 2 : 1,
  };
  const memory = allocateRegion(competitor.words(setup));
  competitor.format(memory, setup);
  const promised: Promised<Region, Ends> = {
    model: arrayFor(competitor),
    shared: memory,
    attach: (words, thread) => new Ends(competitor, words, setup, thread),
    operations: {
      send: {
        by: setup.producers === 1 ? 0 : [0, 1],
        args: ({ nth }) => [nth],
        inVain: competitor.exactFull ? [] : [false],
      },
      receive: {
        by: setup.consumers === 1 ? 1 : [0, 1],
        inVain: competitor.exactEmpty ? [] : [EMPTY],
      },
    },
    threads: 2,
    calls: 3,
    order: weak ? "sequentially consistent" : "linearizable",
  };
  return check(promised, { scenarios: SCENARIOS, maxStates: MOST_STATES, weak });
}

function arrayFor({ full, holds = CAPACITY }: QueuesCompetitor) {
  return {
    there: [] as number[],
    send(value: number): boolean {
      if (full === "refuses" && this.there.length === holds) return false;
      if (full === "drops-oldest" && this.there.length === holds) this.there.shift();
      this.there.push(value);
      return true;
    },
    receive(): unknown {
      return this.there.shift() ?? EMPTY;
    },
  };
}

/** What a thread has of the queue: a seat to send from, one to receive at, or both. */
class Ends {
  readonly #send: (message: Message) => boolean;
  readonly #receive: (into: Message) => number;
  readonly #message: () => Message;

  constructor(competitor: QueuesCompetitor, words: Region, setup: QueueSetup, thread: number) {
    const { producers, consumers } = setup;
    const seat = (index: number) => workerIdentity(index, producers + consumers, 1);
    const sender = thread < producers ? competitor.sender(words, setup, seat(thread)) : undefined;
    const first = producers + (consumers === 1 ? 0 : thread);
    const isReceiver = consumers === 2 || thread === 1;
    const receiver = isReceiver ? competitor.receiver(words, setup, seat(first)) : undefined;
    this.#message = () => new (competitor.messages === "words" ? Int32Array : Uint8Array)(LONGEST);
    this.#send = (message) => {
      const isSent = sender!.trySend(message);
      sender!.flush?.();
      return isSent;
    };
    this.#receive = (into) => receiver!.tryReceive(into);
  }

  send(value: number): boolean {
    return this.#send(this.#message().fill(value));
  }

  /** What stands in all of the message; else all that stands there. */
  receive(): unknown {
    const into = this.#message();
    if (this.#receive(into) === EMPTY) return EMPTY;
    const [first, ...rest] = into;
    return rest.every((one) => one === first) ? first : [...into];
  }
}
