import { check, type ModelCoverage, type Promised, WAITS } from "../interleave/model.ts";
import { freeHeldBy } from "../shared/holder-words.ts";
import { allocateRegion, type Region } from "../shared/layout.ts";
import { brokenLaws, type Glimpse, type Part } from "../shared/program-laws.ts";
import { workerIdentity } from "../shared/worker-identity.ts";
import * as handles from "./parts/handles.ts";
import { EVENT, Parking } from "./parts/parking.ts";
import { EMPTY, type Message, type QueueSetup, type QueuesCompetitor } from "./queues.contract.ts";

/**
 * Two threads that send and receive a few messages, on the queue's own code, in every interleaving: their calls are
 * linearizable, and the queue is an array (interleave-shared). So nothing is lost, doubled or torn, and order, full and empty
 * are as claimed. A call that may be refused too early says nothing.
 *
 * `tries`: calls that return at once. `weak`: the same where plain accesses are as weak as ECMAScript allows; the calls are
 * sequentially consistent, as to look at their order would order the accesses, too. `dies`: as `tries`, but threads whose death
 * the others outlive die at any access. `waits`: calls that sleep where they have to, and producers that close. `waitsForRoom`:
 * the same where a message is there before.
 *
 * Where many send or receive, both threads do. Of a queue that keeps the order of each producer only, one sends: its producers
 * share nothing.
 */
const ways = ["tries", "weak", "dies", "waits", "waitsForRoom"] as const;
export type Way = (typeof ways)[number];

/** What may be broken in some schedule: the calls are those of no array, or a call never ends. */
export const queuesLaws = ["callsAreExplained", "everyWorkerFinishes", "othersGoOn"] as const;
export type QueuesLaw = (typeof queuesLaws)[number];

/** The code that waits, or a mutant of it. */
export type Waits = Pick<typeof handles, "ParkedSender" | "ParkedReceiver"> & {
  readonly Parking: typeof Parking;
};

/** Why a queue cannot be explored, or undefined. */
export function unexplored(competitor: QueuesCompetitor): string | undefined {
  if (competitor.needsLinear) return "its accesses are made by WebAssembly";
  return competitor.share && "its messages go through objects of the runtime or a package";
}

const CAPACITY = 2;
/** Bytes of frames: room for two, if none wraps. */
const FRAME_CAPACITY = 16;
const LONGEST = 2;
/** Of each queue, in a second or two; those with a lock have many states for each call. */
const SCENARIOS = 9;
const MOST_STATES = 10_000;

/** The ways to look at a queue; no thread dies where the others would not outlive it. */
export function waysOf(competitor: QueuesCompetitor): Way[] {
  return ways.filter((way) => way !== "dies" || mortalIn(competitor, setupFor(competitor, way)).length > 0);
}

/** Throws an InterleavingError that shows how the queue is none. */
export function checkQueue(
  competitor: QueuesCompetitor,
  way: Way,
  waits: Waits = { ...handles, Parking },
): ModelCoverage {
  const setup = setupFor(competitor, way);
  const dies = way === "dies" ? mortalIn(competitor, setup) : undefined;
  const isParked = way === "waits" || way === "waitsForRoom";
  const first = way === "waitsForRoom" ? [0] : [];
  const isWeak = way === "weak";
  const promised: Promised<Region, Ends> = {
    model: isParked ? arrayThatWaits(competitor, setup, first) : arrayFor(competitor),
    shared: formatted(competitor, setup, first),
    attach: (words, thread) =>
      isParked
        ? parkedEnds(competitor, setup, words, thread, waits)
        : tryingEnds(competitor, setup, words, thread),
    operations: operationsFor(competitor, setup, isParked),
    threads: 2,
    calls: dies === undefined ? 3 : 2,
    order: isWeak ? "sequentially consistent" : "linearizable",
    ...(dies && { dies, afterDeath: (own) => own.bury() }),
  };
  return check(promised, { scenarios: SCENARIOS, maxStates: MOST_STATES, weak: isWeak });
}

function setupFor(competitor: QueuesCompetitor, way: Way): QueueSetup {
  const { messages, order, producers, consumers, stoppedSender } = competitor;
  // A thread that dies must be in nobody's way in any of its seats.
  const sendsOnly = way === "dies" && stoppedSender === "fatal";
  return {
    capacity: messages === "words" ? CAPACITY : FRAME_CAPACITY,
    longest: LONGEST,
    producers: producers === "many" && order === "global" && !sendsOnly ? 2 : 1,
    consumers: consumers === "many" ? 2 : 1,
  };
}

/** The words of a queue with these messages in it. */
function formatted(competitor: QueuesCompetitor, setup: QueueSetup, there: readonly number[] = []): Region {
  const parking = Parking.words(setup.producers);
  const memory = allocateRegion(parking + competitor.words(setup));
  Parking.format(memory, setup.producers);
  competitor.format(memory.subarray(parking), setup);
  for (const value of there) tryingEnds(competitor, setup, memory, 0).send(value);
  return memory;
}

const THREADS = [0, 1];
const sends = ({ producers }: QueueSetup, thread: number) => thread < producers;
const receives = ({ consumers }: QueueSetup, thread: number) => consumers === 2 || thread === 1;

/** The threads whose death the others outlive, in each of their seats. */
function mortalIn({ stoppedSender, stoppedReceiver }: QueuesCompetitor, setup: QueueSetup): number[] {
  return THREADS.filter(
    (thread) =>
      (stoppedSender !== "fatal" || !sends(setup, thread)) &&
      (stoppedReceiver !== "fatal" || !receives(setup, thread)),
  );
}

function operationsFor(
  { exactFull, exactEmpty }: QueuesCompetitor,
  setup: QueueSetup,
  isParked: boolean,
): Promised<Region, Ends>["operations"] {
  const senders = THREADS.filter((thread) => sends(setup, thread));
  const receivers = THREADS.filter((thread) => receives(setup, thread));
  if (!isParked)
    return {
      send: { by: senders, args: ({ nth }) => [nth], inVain: exactFull ? [] : [false] },
      receive: { by: receivers, inVain: exactEmpty ? [] : [EMPTY] },
    };
  return {
    send: { by: senders, args: ({ nth, thread }) => [nth, thread] },
    receive: { by: receivers },
    close: { by: senders, args: ({ thread }) => [thread] },
  };
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

function arrayThatWaits(competitor: QueuesCompetitor, { producers }: QueueSetup, first: readonly number[]) {
  return {
    there: [...first],
    trySend: arrayFor(competitor).send,
    closed: [] as number[],
    send(value: number, producer: number): unknown {
      if (this.closed.includes(producer)) return "closed";
      return this.trySend(value) ? "sent" : WAITS;
    },
    receive(): unknown {
      return this.there.shift() ?? (this.closed.length === producers ? handles.CLOSED : WAITS);
    },
    close(producer: number): void {
      if (!this.closed.includes(producer)) this.closed.push(producer);
    },
  };
}

/** What a thread has of the queue: a seat to send from, one to receive at, or both. It attaches with its first call. */
interface Ends {
  send(value: number): unknown;
  receive(): unknown;
  close?(): void;
  /** Frees the seats of a dead thread, as its owner does. */
  bury(): void;
}

function tryingEnds(competitor: QueuesCompetitor, setup: QueueSetup, words: Region, thread: number): Ends {
  const seats = seatsIn(competitor, setup, words, thread);
  const sender = once(seats.sender);
  const receiver = once(seats.receiver);
  return {
    send(value) {
      const isSent = sender().trySend(messageOf(competitor).fill(value));
      sender().flush?.();
      return isSent;
    },
    receive: () => taken(competitor, (into) => receiver().tryReceive(into)),
    bury: seats.free,
  };
}

function parkedEnds(
  competitor: QueuesCompetitor,
  setup: QueueSetup,
  words: Region,
  thread: number,
  { Parking, ParkedSender, ParkedReceiver }: Waits,
): Ends {
  const seats = seatsIn(competitor, setup, words, thread);
  const parking = new Parking(words, setup.producers);
  const sender = once(() => new ParkedSender(seats.sender(), parking, thread, [LONGEST, LONGEST]));
  const receiver = once(() => new ParkedReceiver(seats.receiver(), parking, LONGEST));
  return {
    send(value) {
      const ended = sender().send(messageOf(competitor).fill(value));
      sender().flush();
      return ended;
    },
    receive: () => taken(competitor, (into) => receiver().receive(into)),
    close: () => sender().close(),
    // As closeQueue and freeSeat do it.
    bury() {
      if (sends(setup, thread)) parking.close(thread);
      seats.free();
      Atomics.notify(words, EVENT);
    },
  };
}

/** The seats of a thread in a queue of these words, without a look at who has them. */
function seatsIn(competitor: QueuesCompetitor, setup: QueueSetup, words: Region, thread: number) {
  const { producers, consumers } = setup;
  const core = words.subarray(Parking.words(producers));
  const receiverSeat = producers + (consumers === 2 ? thread : 0);
  const worker = (seat: number) => workerIdentity(seat, producers + consumers, 1);
  return {
    sender: () => competitor.sender(core, setup, worker(thread)),
    receiver: () => competitor.receiver(core, setup, worker(receiverSeat)),
    free() {
      const holders = competitor.holders?.(setup);
      if (holders === undefined) return;
      if (sends(setup, thread)) freeHeldBy(core, holders, thread);
      if (receives(setup, thread)) freeHeldBy(core, holders, receiverSeat);
    },
  };
}

function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => (made ??= make());
}

const messageOf = ({ messages }: QueuesCompetitor): Message =>
  new (messages === "words" ? Int32Array : Uint8Array)(LONGEST);

/** What stands in all of the message; else all that stands there, or what `receive` returned for none. */
function taken(competitor: QueuesCompetitor, receive: (into: Message) => number): unknown {
  const into = messageOf(competitor);
  const length = receive(into);
  if (length < 0) return length;
  const [first, ...rest] = into;
  return rest.every((one) => one === first) ? first : [...into];
}

/**
 * A producer that sends and closes and a consumer, which sleep where they have to. One dies at any access, asleep or awake: the
 * other ends, and its successor in the seat can go on. Returns a sentence for each law that is broken.
 */
export function exploreSuccessors(competitor: QueuesCompetitor): string[] {
  const setup = { ...setupFor(competitor, "dies"), producers: 1, consumers: 1 };
  const own = (words: Region, thread: number) =>
    parkedEnds(competitor, setup, words, thread, { ...handles, Parking });
  const send: Part = (words) => void own(words, 0).send(1);
  const close: Part = (words) => own(words, 0).close!();
  const receive: Part = (words) => void own(words, 1).receive();
  const threads = [
    [send, close],
    [receive, receive],
  ];
  const goesOn = ({ memory }: Glimpse) => canGoOn(competitor, setup, memory);
  return mortalIn(competitor, setup).flatMap((mortal) => {
    const obituary: Part = (words) => own(words, mortal).bury();
    const program = { memory: formatted(competitor, setup), threads, mortal, obituary };
    return brokenLaws(program, [{ name: "othersGoOn" satisfies QueuesLaw, end: goesOn }]);
  });
}

/** A message is sent and received once all that is there was received. */
function canGoOn(competitor: QueuesCompetitor, setup: QueueSetup, memory: Region): string | undefined {
  const { send } = tryingEnds(competitor, setup, memory, 0);
  const { receive } = tryingEnds(competitor, setup, memory, 1);
  try {
    for (let left = 2 * CAPACITY; left > 0; left--) receive();
    if (send(2) !== true) return "a successor finds no room";
    return receive() === 2 ? undefined : "the message of a successor is not received";
  } catch (error) {
    return `a successor's call fails: ${error}`;
  }
}
