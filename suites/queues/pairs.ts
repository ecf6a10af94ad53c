import {
  EMPTY,
  type QueueSetup,
  type QueuesCompetitor,
  type Receiver,
  type Sender,
} from "../../structures/queues/queues.contract.ts";
import { type Allocation, allocateFor } from "../../structures/shared/layout.ts";
import type { WorkerIdentity } from "../../structures/shared/worker-identity.ts";
import { type Runner, race, type Setup, type WorkDone } from "../engine/race.ts";
import { Payload, Received, type Shape, sumBelow } from "./payload.ts";

interface Params extends Shape {
  readonly capacity: number;
}

interface Described {
  readonly scenario: string;
  readonly title: string;
  readonly headline?: true;
  /** For a worker that has nobody beside it. */
  readonly isAlone?: true;
}

/**
 * What each worker has sent before the race, so that no receive finds the message of the send before it. Of many workers each
 * sends less: if the queue were full, all would wait for room, and nobody would receive.
 */
const aheadOf = ({ params, workers }: Setup<Params>) =>
  Math.min(64, Math.floor(params.capacity / (2 * workers)));

/**
 * Every worker sends a message and then receives one, as in Michael & Scott, "Simple, Fast, and Practical Non-Blocking and
 * Blocking Concurrent Queue Algorithms" (PODC 1996). So nobody ever waits for a worker that rests, and each operation is
 * work that was done. Workers that only send, or only receive, would wait for the other side at the end of each slice.
 *
 * From a queue that is otherwise empty a worker takes back what it has just sent. So the queue holds messages of all from the
 * beginning, and a worker has the receiver's seat of the worker behind it. A column says how many messages came from another.
 */
export function pairs({ isAlone, ...described }: Described, params: Params) {
  return race<QueuesCompetitor, Params, Allocation>({
    headline: false,
    ...described,
    ...(isAlone ? { mostWorkers: 1 } : { minWorkers: 2 }),
    alike: "pairs",
    baseline: "locked-ring",
    operation: "send and receive",
    params: { full: params, smoke: params },
    columns: {
      misses: { title: "Full or empty", unit: "per op", reduce: "per-op" },
      crossed: { title: "From another", unit: "per op", reduce: "per-op" },
    },
    absent,

    prepare(competitor, setup) {
      const queue = queueOf(setup);
      const allocation = allocateFor(competitor, competitor.words(queue));
      competitor.format(allocation.memory, queue);
      return allocation;
    },

    attach: (competitor, setup, allocation, worker) => new Pairs(competitor, allocation, setup, worker),
    law: (_competitor, setup, _shared, work) => broken(work, aheadOf(setup) * work.length),
  });
}

/** Each worker has two seats. */
function queueOf({ params, workers }: Setup<Params>): QueueSetup {
  return { capacity: params.capacity, longest: params.length, producers: workers, consumers: workers };
}

function absent(competitor: QueuesCompetitor, asked: Params): string | undefined {
  const { messages, producers, consumers, full, share } = competitor;
  if (messages !== asked.messages) return `its messages are ${messages}`;
  if (share !== undefined) return "its ends move to their threads, which a race cannot have: see flood";
  if (full !== "refuses") return "it has no bound, or drops what was sent";
  if (producers === "one") return "it has one producer: see flood";
  return consumers === "one" ? "it has one consumer: see flood" : undefined;
}

/** One worker's batches. */
class Pairs implements Runner {
  readonly #sender: Sender;
  readonly #receiver: Receiver;
  readonly #sent: Payload;
  readonly #taken: Payload;
  readonly #index: number;
  readonly #received: readonly Received[];
  #number = 0;
  #misses = 0;
  #wrong = 0;

  constructor(
    competitor: QueuesCompetitor,
    { memory, ...linear }: Allocation,
    setup: Setup<Params>,
    worker: WorkerIdentity,
  ) {
    const queue = { ...queueOf(setup), ...linear };
    this.#sender = competitor.sender(memory, queue, worker);
    const behind = (worker.index + 1) % queue.consumers;
    this.#receiver = competitor.receiver(memory, queue, { ...worker, index: queue.producers + behind });
    this.#sent = new Payload(setup.params);
    this.#taken = new Payload(setup.params);
    this.#index = worker.index;
    this.#received = Array.from({ length: queue.producers }, () => new Received());
    for (let left = aheadOf(setup); left > 0; left--) this.#send();
  }

  /** The checksum is the number of messages received. */
  run(operations: number): number {
    const { message } = this.#taken;
    let received = 0;
    for (let left = operations; left > 0; left--) {
      this.#send();
      while (this.#receiver.tryReceive(message) === EMPTY) this.#misses++;
      this.#take();
      received++;
    }
    return received;
  }

  counters(): Readonly<Record<string, number>> {
    const of = (name: string, value: (received: Received) => number) =>
      this.#received.map((received, producer): [string, number] => [`${name} ${producer}`, value(received)]);
    return {
      sent: this.#number,
      misses: this.#misses,
      crossed: this.#received.reduce((sum, { count }, of) => sum + (of === this.#index ? 0 : count), 0),
      wrong: this.#wrong,
      ...Object.fromEntries([
        ...of("count", ({ count }) => count),
        ...of("sum", ({ sum }) => sum),
        ...of("unordered", ({ inOrder }) => (inOrder ? 0 : 1)),
      ]),
    };
  }

  #send(): void {
    this.#sent.write(this.#index, this.#number);
    // There is room: the queue holds what was sent ahead, and one more of each worker. Where full and empty are not exact, a
    // worker that is in the middle of a call may be in the way.
    while (!this.#sender.trySend(this.#sent.message)) this.#misses++;
    this.#number = (this.#number + 1) | 0;
  }

  #take(): void {
    const producer = this.#taken.producerOf(this.#received.length);
    if (producer === -1) this.#wrong++;
    else this.#received[producer]!.add(this.#taken.number);
  }
}

/**
 * All that was sent but what was sent ahead was received, whole, once, and in its producer's order: the first messages of each
 * producer came, and as many are left as were sent ahead.
 */
function broken(work: readonly WorkDone[], ahead: number): string | undefined {
  const sum = (name: string) => work.reduce((total, { counters }) => total + counters[name]!, 0);
  if (work.some(({ operations, checksum }) => (operations | 0) !== checksum))
    return "passed: a worker has not received what its batches say";
  if (sum("wrong") > 0) return `whole: ${sum("wrong")} messages were none that was sent`;
  let left = sum("sent");
  for (const producer of work.keys()) {
    const count = sum(`count ${producer}`);
    left -= count;
    if ((sum(`sum ${producer}`) | 0) !== sumBelow(count))
      return `once: of producer ${producer} ${count} messages came, which are not its first, each once`;
    if (sum(`unordered ${producer}`) > 0)
      return `inOrder: messages of producer ${producer} came out of their order`;
  }
  return left === ahead ? undefined : `once: ${left} messages did not come, and ${ahead} were sent ahead`;
}
