import type { Piscina } from "piscina";
import type { Examination } from "../shared/contract.ts";
import { examined, threadsOf } from "../shared/examination.ts";
import { allocateRegion, type Region } from "../shared/layout.ts";
import { Random } from "../shared/sfc32.ts";
import { messagesFor, nthOf, numberOf } from "./parts/messages.ts";
import {
  contract,
  EMPTY,
  FRAME_HEADER,
  type Message,
  type QueueSetup,
  type QueuesCompetitor,
} from "./queues.contract.ts";
import {
  attachReceiver,
  attachSender,
  endsOf,
  formatQueue,
  makeQueue,
  type QueueInstance,
} from "./queues.instance.ts";
import * as laws from "./queues.laws.ts";

/**
 * Every law of queues applied to one competitor. First in one thread that has all handles, beside a plain array: there
 * full and empty are known. Then under workers that sleep where they have to.
 */

/** What one worker of an examination is asked to do. */
export interface QueuesTask {
  readonly url: string;
  readonly instance: QueueInstance;
  readonly end: unknown;
  /** Its seat. */
  readonly index: number;
  /** Messages of each producer. */
  readonly messages: number;
  /** A word in which the workers count themselves in, and one that counts the sends of all. */
  readonly gate: Region;
}

/** What a worker noted; a producer has received nothing. */
export type QueuesReport = laws.Produced & laws.Consumed;

export const examination = {
  tries: "one thread beside an array at six setups, and crews of 1 to 4 workers that fill and drain it",
  /** `limitMs`: after how long a crew is stuck. `threads`: of `examinationThreads`; its own where there are none. */
  examine: (url: string, limitMs = STUCK_MS, threads?: Piscina) =>
    examined(url, contract, async (competitor: QueuesCompetitor) => {
      const broken: (string | undefined)[] = [];
      for (const setup of setupsFor(competitor)) broken.push(...(await besideArray(competitor, setup)));
      return broken.some((sentence) => sentence !== undefined)
        ? broken
        : await lawsUnderWorkers(competitor, url, limitMs, threads);
    }),
} satisfies Examination;

/** In ms. The time that a crew may take for its share. It needs only a small part of it, even on a busy machine. */
const STUCK_MS = 20_000;

/** The setups of one thread: the fewest places, more, long messages, and as many workers as may be. */
export function setupsFor(
  competitor: Pick<QueuesCompetitor, "messages" | "producers" | "consumers">,
): QueueSetup[] {
  const isWords = competitor.messages === "words";
  const producers = competitor.producers === "one" ? 1 : 3;
  const consumers = competitor.consumers === "one" ? 1 : 2;
  return [
    { capacity: isWords ? 2 : 16, longest: isWords ? 1 : 4 },
    { capacity: isWords ? 8 : 128, longest: isWords ? 3 : 60 },
    { capacity: isWords ? 64 : 1024, longest: isWords ? 16 : 100 },
  ].flatMap((sizes) => [
    { ...sizes, producers: 1, consumers: 1 },
    { ...sizes, producers, consumers },
  ]);
}

/** In every word before format, which must count on nothing that stood there. */
const LEFTOVER = -7;
/** The last of them are mostly sends. */
const STEPS = 3100;

/** Sends and receives in turn by any handle, beside the messages that must be there. */
export async function besideArray(
  competitor: QueuesCompetitor,
  setup: QueueSetup,
): Promise<(string | undefined)[]> {
  const { senders, receivers } = handlesOf(competitor, setup);
  const messages = messagesFor(competitor, setup);
  const random = new Random(setup.capacity);
  const there = new Reference(competitor, setup);
  const counts = senders.map(() => 0);
  const sentences: (string | undefined)[] = [];
  const receive = () => {
    const length = receivers[random.below(receivers.length)]!.tryReceive(messages.room);
    sentences.push(length === EMPTY ? there.foundEmpty() : there.received(messages.check(length)));
  };
  const send = () => {
    const producer = random.below(senders.length);
    const message = messages.make(numberOf(producer, counts[producer]!));
    const isSent = senders[producer]!.trySend(message);
    senders[producer]!.flush();
    sentences.push(isSent ? there.sent(numberOf(producer, counts[producer]!++), message) : there.foundFull());
  };
  const wakeUps = countedWakeUps(() => {
    // In turn mostly sends and mostly receives, so that it is full and empty now and then.
    for (let step = 0; step < STEPS; step++)
      random.below(8) < (step % 200 < 100 ? 5 : 3) ? send() : receive();
  });
  // The runtime may deliver in a turn of the event loop what is there.
  await new Promise(setImmediate);
  for (let left = STEPS; left > 0; left--) receive();
  const sent = counts.map((count) => ({ count }));
  return [
    ...sentences,
    laws.noneIsWokenInVain(competitor, wakeUps),
    ...allOf(competitor, { sent, received: [there] }),
  ];
}

function handlesOf(competitor: QueuesCompetitor, setup: QueueSetup) {
  const instance = makeQueue(competitor, setup);
  formatQueue(competitor, instance.memory.fill(LEFTOVER), setup);
  const ends = endsOf(competitor, instance);
  const each = <Handle>(count: number, handle: (index: number) => Handle) =>
    Array.from({ length: count }, (_, index) => handle(index));
  return {
    senders: each(setup.producers, (producer) =>
      attachSender(competitor, instance, producer, ends[producer]?.value),
    ),
    receivers: each(setup.consumers, (consumer) =>
      attachReceiver(competitor, instance, consumer, ends[setup.producers + consumer]?.value),
    ),
  };
}

/** How often `work` calls the kernel to wake others. */
function countedWakeUps(work: () => void): number {
  const { notify } = Atomics;
  let calls = 0;
  Atomics.notify = (...of: unknown[]) => {
    calls++;
    return Reflect.apply(notify, Atomics, of);
  };
  try {
    work();
  } finally {
    Atomics.notify = notify;
  }
  return calls;
}

/** What a queue must hold, by its sends and receives in one thread. */
class Reference implements laws.Consumed {
  readonly numbers: number[] = [];
  readonly #competitor: QueuesCompetitor;
  readonly #setup: QueueSetup;
  readonly #there: { readonly number: number; readonly size: number }[] = [];

  constructor(competitor: QueuesCompetitor, setup: QueueSetup) {
    this.#competitor = competitor;
    this.#setup = setup;
  }

  sent(number: number, { length }: Message): string | undefined {
    const { full, messages } = this.#competitor;
    if (full === "drops-oldest" && this.#there.length === this.#holds) this.#there.shift();
    this.#there.push({ number, size: messages === "words" ? 1 : length + FRAME_HEADER });
    const size = this.#there.reduce((sum, message) => sum + message.size, 0);
    // Where each producer has a ring of its own, all of them may be full.
    const most = full === "grows" ? Number.POSITIVE_INFINITY : this.#setup.capacity * this.#setup.producers;
    return size <= most ? undefined : `fullIsExact: ${size} are there, of at most ${most}`;
  }

  received(number: number): string | undefined {
    this.numbers.push(number);
    const at = this.#there.findIndex((message) => message.number === number);
    if (at !== -1) this.#there.splice(at, 1);
    if (at === 0 || this.#competitor.order !== "global") return undefined;
    const law = this.#competitor.full === "drops-oldest" ? "onlyTheOldestGiveWay" : "globalOrderIsKept";
    return `${law}: message ${nthOf(number)} was received before ${at} others that were sent before it`;
  }

  foundEmpty(): string | undefined {
    const { length } = this.#there;
    return length === 0 ? undefined : `emptyIsExact: nothing was received, and ${length} messages are there`;
  }

  foundFull(): string | undefined {
    const { length } = this.#there;
    const fewest = this.#competitor.exactFull ? this.#holds : 1;
    return length >= fewest
      ? undefined
      : `fullIsExact: a send was refused, and ${length} of ${fewest} are there`;
  }

  get #holds(): number {
    return this.#competitor.holds ?? this.#setup.capacity;
  }
}

/** All laws that hold at the end of any work. */
function allOf(competitor: QueuesCompetitor, work: laws.Work): (string | undefined)[] {
  return [
    laws.nothingIsTorn(work),
    laws.nothingIsDoubled(work),
    laws.nothingIsLost(competitor, work),
    laws.orderIsKept(competitor, work),
    laws.globalOrderIsKept(competitor, work),
  ];
}

/** The largest crew of an examination. */
const MOST_WORKERS = 4;
/** Messages of a crew: enough for threads that start one after the other to meet. */
const MESSAGES = 12_000;

/** Threads for any number of examinations, one at a time: to start them takes longer than to examine. Destroy it. */
export function examinationThreads(): Piscina {
  return threadsOf(new URL("./queues.examination.worker.ts", import.meta.url), MOST_WORKERS);
}

async function lawsUnderWorkers(
  competitor: QueuesCompetitor,
  url: string,
  limitMs: number,
  shared: Piscina | undefined,
): Promise<(string | undefined)[]> {
  const threads = shared ?? examinationThreads();
  try {
    const sentences: (string | undefined)[] = [];
    for (const setup of crewsFor(competitor)) {
      const reports = await reportsOf(competitor, url, setup, threads, limitMs);
      const workers = setup.producers + setup.consumers;
      sentences.push(laws.everyWorkerFinishes(workers, reports.length, limitMs));
      // What is missing is no news where a worker is.
      if (reports.length < workers) break;
      const work = { sent: reports.slice(0, setup.producers), received: reports.slice(setup.producers) };
      sentences.push(...allOf(competitor, work));
    }
    return sentences;
  } finally {
    if (shared === undefined) await threads.destroy();
  }
}

/** Small and middling queues, so that they are full and empty again and again. */
function crewsFor({ messages, producers, consumers }: QueuesCompetitor): QueueSetup[] {
  const [few, more] = messages === "words" ? [2, 64] : [64, 1024];
  const [some, long] = messages === "words" ? [3, 1] : [20, 100];
  const counts = (side: "one" | "many") => (side === "one" ? [1] : [1, 2]);
  return counts(producers).flatMap((producers) =>
    counts(consumers).flatMap((consumers) => [
      { capacity: few!, longest: some!, producers, consumers },
      { capacity: more!, longest: long!, producers, consumers },
    ]),
  );
}

/** The reports of the workers that return, those of producers first. Threads that are stuck are ended. */
async function reportsOf(
  competitor: QueuesCompetitor,
  url: string,
  setup: QueueSetup,
  threads: Piscina,
  limitMs: number,
): Promise<QueuesReport[]> {
  const instance = makeQueue(competitor, setup);
  const ends = endsOf(competitor, instance);
  const gate = allocateRegion(2);
  const messages = Math.floor(MESSAGES / setup.producers);
  const stuck = new AbortController();
  const limit = setTimeout(() => stuck.abort(), limitMs);
  const runs = Array.from({ length: setup.producers + setup.consumers }, async (_, index) => {
    const { value: end, transfer = [] } = ends[index] ?? {};
    try {
      const task: QueuesTask = { url, instance, end, index, messages, gate };
      const options = { signal: stuck.signal, transferList: transfer as never };
      return (await threads.run(task, options)) as QueuesReport;
    } catch (error) {
      // A worker that throws leaves the others waiting.
      stuck.abort();
      throw error;
    }
  });
  const ended = await Promise.allSettled(runs);
  clearTimeout(limit);
  for (const end of ended)
    if (end.status === "rejected" && end.reason.name !== "AbortError") throw end.reason;
  return ended.flatMap((end) => (end.status === "fulfilled" ? [end.value] : []));
}
