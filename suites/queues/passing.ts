import type {
  QueueSetup,
  QueuesCompetitor,
  Receiver,
  Sender,
} from "../../structures/queues/queues.contract.ts";
import { EMPTY } from "../../structures/queues/queues.contract.ts";
import {
  type Allocation,
  allocateFor,
  allocateRegion,
  type Region,
  STRIDE_WORDS,
} from "../../structures/shared/layout.ts";
import { type Runner, race, type Setup, type WorkDone } from "../engine/race.ts";
import { Payload, Received, type Shape, sumBelow } from "./payload.ts";

interface Params extends Shape {
  readonly capacity: number;
}

/** The largest crew of the lab's own accord. */
const MOST_WORKERS = 8;

interface Shared extends Allocation {
  /** A stride for each worker: 1 while it is in a batch, atomically, by itself; and a word that it naps on. */
  readonly inside: Region;
}

/** A ring that is full and empty in turn, within the operations of a test; a power of two. */
const SMOKE_PLACES = 64;
const LARGE_BYTES = 100_000;

const PRODUCER = "producer";
const CONSUMER = "consumer";

interface Described extends Params {
  readonly scenario: string;
  readonly title: string;
  readonly baseline: string;
  readonly headline?: true;
  readonly contenders?: readonly string[];
  readonly alike: string;
  readonly mostWorkers?: number;
  /** How many of a crew's workers are producers; the others are consumers. */
  producersOf(workers: number): number;
}

/**
 * Producers that send as fast as they can, and consumers that take what there is; one operation is a message sent or received.
 * A worker that finds the queue full or empty tries again, and naps after a while: on more workers than cores another needs
 * the core.
 *
 * Workers begin and end their batches at different times. One whose other side is in no batch would wait for ever: the rest of its
 * batch is idle then, and is counted as such. That happens before a slice and after it, and not while all run.
 */
export function passing({ producersOf, capacity, messages, length, ...described }: Described) {
  const params = { capacity, messages, length };
  const mostWorkers = described.mostWorkers ?? MOST_WORKERS;
  const largest = { producers: producersOf(mostWorkers), consumers: mostWorkers - producersOf(mostWorkers) };
  return race<QueuesCompetitor, Params, Shared>({
    headline: false,
    ...described,
    operation: "send or receive",
    minWorkers: 2,
    params: {
      full: params,
      smoke: { ...params, capacity: Math.min(capacity, SMOKE_PLACES * params.length) },
    },
    isLarge: (asked) => asked.capacity > LARGE_BYTES,
    columns: {
      idle: { title: "Idle", unit: "per op", reduce: "per-op" },
      misses: { title: "Full or empty", unit: "per op", reduce: "per-op" },
    },
    role: (index, workers) => (index < producersOf(workers) ? PRODUCER : CONSUMER),
    absent: (competitor, asked) => absence(competitor, asked, largest),

    prepare(competitor, setup) {
      const queue = queueOf(setup, producersOf);
      const allocation = allocateFor(competitor, competitor.words(queue));
      competitor.format(allocation.memory, queue);
      return { ...allocation, inside: allocateRegion(setup.workers * STRIDE_WORDS) };
    },

    attach(competitor, setup, { memory, inside }, worker) {
      const queue = queueOf(setup, producersOf);
      const others = { inside, index: worker.index, producers: queue.producers, workers: setup.workers };
      return worker.role === PRODUCER
        ? new Sending(competitor.sender(memory, queue, worker), setup.params, others)
        : new Receiving(competitor.receiver(memory, queue, worker), setup.params, others);
    },

    law: (competitor, setup, _shared, work) =>
      broken(competitor, queueOf(setup, producersOf), setup.params, work),
  });
}

function queueOf({ params, workers }: Setup<Params>, producersOf: Described["producersOf"]): QueueSetup {
  const producers = producersOf(workers);
  const { capacity, length: longest } = params;
  return { capacity, longest, producers, consumers: workers - producers };
}

function absence(
  { messages, producers, consumers, full, order, share }: QueuesCompetitor,
  asked: Params,
  most: Pick<QueueSetup, "producers" | "consumers">,
): string | undefined {
  if (messages !== asked.messages) return `its messages are ${messages}`;
  if (share !== undefined) return "its ends move to their threads, which a race cannot have: see flood";
  if (full !== "refuses") return "it has no bound, or drops what was sent";
  if (order === "none") return "it keeps no order by which a lost message shows";
  if (producers === "one" && most.producers > 1) return "it has one producer";
  if (consumers === "one" && most.consumers > 1) return "it has one consumer";
  return undefined;
}

interface Others {
  readonly inside: Region;
  readonly index: number;
  readonly producers: number;
  readonly workers: number;
}

/** Tries between two looks at whether the other side is there, and before a nap. */
const LOOK_AFTER = 64;
const NAP_AFTER = 1024;
const NAP_MS = 0.05;

/** One side's batches. */
abstract class Side implements Runner {
  #idle = 0;
  #misses = 0;
  protected passed = 0;
  readonly #inside: Region;
  readonly #own: number;
  /** The other side's workers, by their words. */
  readonly #others: readonly number[];

  constructor({ inside, index, producers, workers }: Others) {
    this.#inside = inside;
    this.#own = index * STRIDE_WORDS;
    const [first, end] = index < producers ? [producers, workers] : [0, producers];
    this.#others = Array.from({ length: end - first }, (_, other) => (first + other) * STRIDE_WORDS);
  }

  protected abstract pass(): boolean;
  protected settle(): void {}

  /** The checksum is the number of messages that were passed. */
  run(operations: number): number {
    Atomics.store(this.#inside, this.#own, 1);
    let left = operations;
    for (let tries = 0; left > 0; ) {
      if (this.pass()) {
        left--;
        tries = 0;
        continue;
      }
      this.#misses++;
      if (++tries % LOOK_AFTER === 0 && !this.#isWorthATry(tries)) break;
    }
    this.settle();
    Atomics.store(this.#inside, this.#own, 0);
    this.#idle += left;
    this.passed += operations - left;
    return operations - left;
  }

  counters(): Readonly<Record<string, number>> {
    return { idle: this.#idle, misses: this.#misses, passed: this.passed };
  }

  #isWorthATry(tries: number): boolean {
    this.settle();
    if (!this.#others.some((word) => Atomics.load(this.#inside, word) === 1)) return false;
    if (tries % NAP_AFTER === 0) Atomics.wait(this.#inside, this.#own + 1, 0, NAP_MS);
    return true;
  }
}

class Sending extends Side {
  readonly #sender: Sender;
  readonly #payload: Payload;
  readonly #producer: number;
  #sent = 0;

  constructor(sender: Sender, shape: Shape, others: Others) {
    super(others);
    this.#sender = sender;
    this.#payload = new Payload(shape);
    this.#producer = others.index;
    this.#payload.write(this.#producer, 0);
  }

  protected pass(): boolean {
    if (!this.#sender.trySend(this.#payload.message)) return false;
    this.#payload.write(this.#producer, ++this.#sent | 0);
    return true;
  }

  protected override settle(): void {
    this.#sender.flush?.();
  }
}

class Receiving extends Side {
  readonly #receiver: Receiver;
  readonly #payload: Payload;
  readonly #received: readonly Received[];
  #length: number;
  #torn = 0;

  constructor(receiver: Receiver, shape: Shape, others: Others) {
    super(others);
    this.#receiver = receiver;
    this.#payload = new Payload(shape);
    this.#length = shape.length;
    this.#received = Array.from({ length: others.producers }, () => new Received());
  }

  protected pass(): boolean {
    const length = this.#receiver.tryReceive(this.#payload.message);
    if (length === EMPTY) return false;
    const producer = this.#payload.producerOf(this.#received.length);
    if (length !== this.#length || producer === -1) this.#torn++;
    else this.#received[producer]!.add(this.#payload.number);
    return true;
  }

  override counters(): Readonly<Record<string, number>> {
    const of = (name: string, value: (received: Received) => number) =>
      this.#received.map((received, producer): [string, number] => [`${name} ${producer}`, value(received)]);
    return {
      ...super.counters(),
      torn: this.#torn,
      ...Object.fromEntries([
        ...of("count", ({ count }) => count),
        ...of("sum", ({ sum }) => sum),
        ...of("unordered", ({ inOrder }) => (inOrder ? 0 : 1)),
      ]),
    };
  }
}

/**
 * Each message arrives once, whole, and in its producer's order. What a producer sent first is received first, so that what has
 * arrived of it are its numbers from 0 on, without a gap; what has not is in the queue.
 */
function broken(
  { exactFull }: QueuesCompetitor,
  { producers, capacity, longest }: QueueSetup,
  { messages }: Params,
  work: readonly WorkDone[],
): string | undefined {
  const sum = (name: string) => work.reduce((total, { counters }) => total + (counters[name] ?? 0), 0);
  const miscounted = work.find(({ operations, checksum, counters }) => {
    const { passed, idle } = counters as { passed: number; idle: number };
    return passed + idle !== operations || (passed | 0) !== checksum;
  });
  if (miscounted !== undefined) return "passed: a worker has not passed what its batches say";
  if (sum("torn") > 0) return `whole: ${sum("torn")} messages are none that was sent`;
  let left = 0;
  for (let producer = 0; producer < producers; producer++) {
    const [sent, count] = [work[producer]!.counters.passed!, sum(`count ${producer}`)];
    if (count > sent || (sum(`sum ${producer}`) | 0) !== sumBelow(count))
      return `once: of ${sent} messages of producer ${producer}, ${count} came, and not each of the first once`;
    if (sum(`unordered ${producer}`) > 0)
      return `inOrder: messages of producer ${producer} came out of their order`;
    left += sent - count;
  }
  const most = messages === "words" ? capacity : capacity / longest;
  return exactFull && left > most ? `bounded: ${left} messages are left in a queue for ${most}` : undefined;
}
