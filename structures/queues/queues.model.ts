import { isBroken } from "../shared/broken.ts";
import { freeHeldBy } from "../shared/holder-words.ts";
import { allocateRegion, type Region } from "../shared/layout.ts";
import {
  brokenLaws,
  EVERYBODY_FINISHES,
  type Glimpse,
  type Law,
  NOBODY_IS_HELD_UP,
  type Part,
} from "../shared/program-laws.ts";
import { workerIdentity } from "../shared/worker-identity.ts";
import * as handles from "./parts/handles.ts";
import { messagesFor, numberOf } from "./parts/messages.ts";
import { EVENT, Parking } from "./parts/parking.ts";
import { EMPTY, type QueueSetup, type QueuesCompetitor } from "./queues.contract.ts";
import * as laws from "./queues.laws.ts";

/**
 * Every interleaving of two or three workers that each send or receive a few messages, on the queues' own code; and of
 * workers that sleep where they have to, on that of the handles. Where the contract promises that others go on, one of
 * them dies at any access, asleep or awake. The explorer's header says what is followed.
 *
 * What this shows, in every schedule of these workers: nothing is lost, doubled or torn; order, full and empty are as
 * claimed; no wake-up is lost; and a dead worker is in nobody's way.
 */
interface Script {
  /** Messages that producer 0 has sent before. */
  readonly prefilled?: number;
  /** What each thread does: `s` and the number of a producer, `r` and that of a consumer. */
  readonly threads: readonly string[];
  /** Set where no order of these calls finds the queue empty, or full. */
  readonly never?: true;
  /** The thread that may die. */
  readonly mortal?: number;
}

const ONE_TO_ONE: readonly Script[] = [
  { threads: ["s0 s0 s0", "r0 r0 r0"] },
  { threads: ["s0", "r0"], prefilled: 1, never: true },
  { threads: ["s0 s0", "r0 r0"], mortal: 0 },
  { threads: ["s0 s0", "r0 r0"], mortal: 1, prefilled: 1 },
];
const MANY_TO_ONE: readonly Script[] = [
  { threads: ["s0 s0", "s1", "r0 r0"] },
  { threads: ["s0", "s1 r0"], never: true },
  { threads: ["s0", "s1", "r0"], mortal: 0 },
];
const ONE_TO_MANY: readonly Script[] = [
  { threads: ["s0 s0", "r0", "r1"], prefilled: 1 },
  { threads: ["r0", "r1 s0"], prefilled: 2, never: true },
  { threads: ["s0", "r0", "r1"], prefilled: 1, mortal: 1 },
];

/** What may be broken in some schedule. */
export const queuesLaws = [
  ...["nothingIsTorn", "nothingIsDoubled", "nothingIsLost", "orderIsKept", "emptyIsExact", "fullIsExact"],
  ...["othersGoOn", EVERYBODY_FINISHES, NOBODY_IS_HELD_UP],
] as const;
export type QueuesLaw = (typeof queuesLaws)[number];

/** Why a queue cannot be explored, or undefined. */
export function unexplored(competitor: QueuesCompetitor): string | undefined {
  return competitor.share === undefined
    ? undefined
    : "its messages go through objects of the runtime or a package";
}

/** One sentence for each law that is broken in some script. With `until`, ends where it finds that law broken. */
export function exploreQueue(competitor: QueuesCompetitor, until?: QueuesLaw): string[] {
  const broken: string[] = [];
  const { producers, consumers } = competitor;
  const scripts = [
    ...ONE_TO_ONE,
    ...(producers === "many" ? MANY_TO_ONE : []),
    ...(consumers === "many" ? ONE_TO_MANY : []),
  ].filter((script) => isPromised(competitor, script) && !(hasLongCalls(competitor) && isLong(script)));
  for (const script of scripts) {
    broken.push(...exploreScript(competitor, script, until));
    if (until !== undefined && isBroken(until, broken)) return broken;
  }
  return [...broken, ...exploreParked(competitor, until)];
}

/** Whether others go on where this worker dies: else there is nothing to see. */
function isPromised(competitor: QueuesCompetitor, { threads, mortal }: Script): boolean {
  if (mortal === undefined) return true;
  return dieHarmlessly(competitor, threads[mortal]!.startsWith("s"));
}

const hasLongCalls = ({ sleepWord, holders }: QueuesCompetitor) =>
  sleepWord !== undefined || holders !== undefined;
const isLong = ({ threads }: Script) => threads.length > 2 && threads.join(" ").split(" ").length > 4;

function dieHarmlessly(competitor: QueuesCompetitor, isSender: boolean): boolean {
  return competitor[isSender ? "stoppedSender" : "stoppedReceiver"] !== "fatal";
}

/** What a thread notes besides the numbers of what it received. */
const NOTHING = EMPTY;
const REFUSED = -2;
const DIED = -3;
/** Of producer p: SENT - p. */
const SENT = -10;

function setupFor({ messages, producers, consumers }: QueuesCompetitor): QueueSetup {
  return {
    ...(messages === "words" ? { capacity: 2, longest: 2 } : { capacity: 16, longest: 4 }),
    producers: producers === "one" ? 1 : 2,
    consumers: consumers === "one" ? 1 : 2,
  };
}

/** The handles of a queue in these words, without a look at seats. */
function attached(competitor: QueuesCompetitor, setup: QueueSetup, words: Region) {
  const workers = setup.producers + setup.consumers;
  return {
    sender: (producer: number) => competitor.sender(words, setup, workerIdentity(producer, workers, 1)),
    receiver: (consumer: number) =>
      competitor.receiver(words, setup, workerIdentity(setup.producers + consumer, workers, 1)),
  };
}

function exploreScript(competitor: QueuesCompetitor, script: Script, until: QueuesLaw | undefined): string[] {
  const { prefilled = 0, mortal } = script;
  const setup = setupFor(competitor);
  const memory = allocateRegion(competitor.words(setup));
  competitor.format(memory, setup);
  const first = attached(competitor, setup, memory).sender(0);
  for (let nth = 0; nth < prefilled; nth++)
    first.trySend(messagesFor(competitor, setup).make(numberOf(0, nth)));
  first.flush?.();
  const threads = script.threads.map((calls) => [callsOf(competitor, setup, calls.split(" "), prefilled)]);
  const seats = script.threads.map((calls) => seatOf(setup, calls));
  const obituary: Part = (words, { note, thread }) => {
    note(DIED);
    const holders = competitor.holders?.(setup);
    if (holders !== undefined) freeHeldBy(words, holders, seats[thread]!);
  };
  const dying = mortal === undefined ? {} : { mortal, obituary };
  // A consumer that comes late would wait for ever where others are held up.
  const promised = asksToFinish(until) ? [] : lawsOf(competitor, setup, script);
  return brokenLaws({ memory, threads, ...dying, ...boundOf(competitor) }, promised, until);
}

const asksToFinish = (until: QueuesLaw | undefined) =>
  until === EVERYBODY_FINISHES || until === NOBODY_IS_HELD_UP;

/** A worker that waits for a lock may sleep, be woken and be overtaken at each access: many states for each call. */
function boundOf({ sleepWord }: QueuesCompetitor): { readonly preemptions?: number } {
  return sleepWord === undefined ? {} : { preemptions: 2 };
}

const seatOf = ({ producers }: QueueSetup, calls: string) =>
  Number(calls[1]) + (calls.startsWith("s") ? 0 : producers);

/** The part of a thread that makes these calls. */
function callsOf(
  competitor: QueuesCompetitor,
  setup: QueueSetup,
  calls: readonly string[],
  prefilled: number,
): Part {
  return (words, { note }) => {
    const own = attached(competitor, setup, words);
    const messages = messagesFor(competitor, setup);
    const numbers = new Set(calls.map((call) => call[0]));
    const index = (kind: string) => Number(calls.find((call) => call[0] === kind)![1]);
    const sender = numbers.has("s") ? own.sender(index("s")) : undefined;
    const receiver = numbers.has("r") ? own.receiver(index("r")) : undefined;
    let nth = numbers.has("s") && index("s") === 0 ? prefilled : 0;
    for (const call of calls) {
      if (call[0] === "r") {
        const length = receiver!.tryReceive(messages.room);
        note(length === EMPTY ? NOTHING : messages.check(length) + RECEIVED);
        continue;
      }
      const isSent = sender!.trySend(messages.make(numberOf(index("s"), nth)));
      sender!.flush?.();
      note(isSent ? SENT - index("s") : REFUSED);
      if (isSent) nth++;
    }
  };
}

/** Added to the number of a message that was received; TORN is 0 then. */
const RECEIVED = 1;

function lawsOf(competitor: QueuesCompetitor, setup: QueueSetup, script: Script): Law<QueuesLaw>[] {
  const { prefilled = 0, never = false, mortal } = script;
  let ofSeen: laws.Work;
  const deadConsumer = mortal !== undefined && script.threads[mortal]!.startsWith("r");
  const noted = ({ threads }: Glimpse, what: number) => threads.some(({ notes }) => notes.includes(what));
  const promised: Law<QueuesLaw>[] = [
    {
      name: "nothingIsTorn",
      end(seen) {
        ofSeen = workOf(competitor, setup, seen, prefilled);
        return laws.nothingIsTorn(ofSeen);
      },
    },
    { name: "nothingIsDoubled", end: () => laws.nothingIsDoubled(ofSeen) },
    {
      name: "nothingIsLost",
      end: (seen) => laws.nothingIsLost(competitor, ofSeen, deadConsumer && noted(seen, DIED) ? 1 : 0),
    },
    { name: "orderIsKept", end: () => laws.orderIsKept(competitor, ofSeen) },
  ];
  if (mortal !== undefined)
    promised.push({
      name: "othersGoOn",
      end: (seen) => othersGoOn(competitor, setup, seen.memory),
      once: (seen) => noted(seen, DIED),
    });
  const isExact = (exact: boolean) => exact && never && competitor.holds === undefined;
  if (isExact(competitor.exactEmpty))
    promised.push({
      name: "emptyIsExact",
      end: (seen) => (noted(seen, NOTHING) ? "nothing was received, and a message was there" : undefined),
    });
  if (isExact(competitor.exactFull))
    promised.push({
      name: "fullIsExact",
      end: (seen) => (noted(seen, REFUSED) ? "a send was refused, and there was room" : undefined),
    });
  return promised;
}

/** What was sent and received, and what a consumer that comes after all receives. */
function workOf(
  competitor: QueuesCompetitor,
  setup: QueueSetup,
  { threads, memory }: Glimpse,
  prefilled: number,
): laws.Work {
  const sent = Array.from({ length: setup.producers }, (_, producer) => {
    const own = threads.flatMap(({ notes }) => notes.filter((note) => note === SENT - producer)).length;
    return { count: own + (producer === 0 ? prefilled : 0) };
  });
  const received = threads.map(({ notes }) =>
    notes.filter((note) => note >= 0).map((note) => note - RECEIVED),
  );
  const late = drained(competitor, setup, copyOf(memory));
  if (setup.consumers > 1) return { sent, received: [...received, late].map((numbers) => ({ numbers })) };
  return { sent, received: [{ numbers: [...received.flat(), ...late] }] };
}

/** What a law receives of it is there for the next law. */
function copyOf(memory: Region): Region {
  const copy = allocateRegion(memory.length);
  copy.set(memory);
  return copy;
}

/** The numbers of the messages that are there. No more are received than there can be. */
function drained(competitor: QueuesCompetitor, setup: QueueSetup, memory: Region): number[] {
  const receiver = attached(competitor, setup, memory).receiver(0);
  const messages = messagesFor(competitor, setup);
  const numbers: number[] = [];
  for (let left = 2 * setup.capacity; left > 0; left--) {
    const length = receiver.tryReceive(messages.room);
    if (length === EMPTY) break;
    numbers.push(messages.check(length));
  }
  return numbers;
}

/** After a death each producer can send a message, which is received. */
function othersGoOn(competitor: QueuesCompetitor, setup: QueueSetup, memory: Region): string | undefined {
  drained(competitor, setup, memory);
  const messages = messagesFor(competitor, setup);
  for (let producer = 0; producer < setup.producers; producer++) {
    const { sender, receiver } = attached(competitor, setup, memory);
    const number = numberOf(producer, 1000);
    const handle = sender(producer);
    if (!handle.trySend(messages.make(number))) return `producer ${producer} finds no room`;
    handle.flush?.();
    const length = receiver(0).tryReceive(messages.room);
    if (length === EMPTY) return `the message of producer ${producer} is not received`;
  }
  return undefined;
}

/** The code that waits, or a mutant of it. */
export type Waits = Pick<typeof handles, "ParkedSender" | "ParkedReceiver"> & {
  readonly Parking: typeof Parking;
};

interface Crew {
  /** Messages of each producer. */
  readonly sends: readonly number[];
  /** Receives of each consumer; where producers close, the last one finds that. */
  readonly receives: readonly number[];
  readonly closes?: true;
  /** A producer that may die. */
  readonly mortal?: number;
}

const CREWS: readonly Crew[] = [
  { sends: [3], receives: [4], closes: true },
  { sends: [1], receives: [2], closes: true, mortal: 0 },
  { sends: [1, 1], receives: [2] },
  { sends: [2], receives: [1, 1] },
];

/** The same of workers that sleep where the queue is full or empty. */
export function exploreParked(
  competitor: QueuesCompetitor,
  until?: QueuesLaw,
  waits: Waits = { ...handles, Parking },
): string[] {
  const broken: string[] = [];
  for (const crew of CREWS) {
    const { sends, receives, mortal } = crew;
    if (sends.length > 1 && competitor.producers === "one") continue;
    if (receives.length > 1 && competitor.consumers === "one") continue;
    // Each of its calls has many accesses: a few calls are as many states as many calls of others.
    if (hasLongCalls(competitor) && mortal === undefined) continue;
    const { mortal: _, ...living } = crew;
    const isPromised = mortal === undefined || dieHarmlessly(competitor, true);
    broken.push(...exploreCrew(competitor, isPromised ? crew : living, until, waits));
    if (until !== undefined && isBroken(until, broken)) return broken;
  }
  return broken;
}

function exploreCrew(
  competitor: QueuesCompetitor,
  { sends, receives, closes, mortal }: Crew,
  until: QueuesLaw | undefined,
  { Parking, ParkedSender, ParkedReceiver }: Waits,
): string[] {
  const setup = { ...setupFor(competitor), producers: sends.length, consumers: receives.length };
  const { producers } = setup;
  const parking = Parking.words(producers);
  const memory = allocateRegion(parking + competitor.words(setup));
  Parking.format(memory, producers);
  competitor.format(memory.subarray(parking), setup);
  // Each call attaches anew: what handles keep between calls is explored without waiting.
  const senderIn = (words: Region, producer: number) => {
    const core = attached(competitor, setup, words.subarray(parking)).sender(producer);
    return new ParkedSender(core, new Parking(words, producers), producer, [0, 1000]);
  };
  const send =
    (producer: number, nth: number): Part =>
    (words, { note }) => {
      const sender = senderIn(words, producer);
      sender.send(messagesFor(competitor, setup).make(numberOf(producer, nth)));
      sender.flush();
      note(SENT - producer);
    };
  const receive =
    (consumer: number): Part =>
    (words, { note }) => {
      const core = attached(competitor, setup, words.subarray(parking)).receiver(consumer);
      const messages = messagesFor(competitor, setup);
      const length = new ParkedReceiver(core, new Parking(words, producers)).receive(messages.room);
      if (length !== handles.CLOSED) note(messages.check(length) + RECEIVED);
    };
  const times = <Made>(count: number, make: (nth: number) => Made) =>
    Array.from({ length: count }, (_, nth) => make(nth));
  const close =
    (producer: number): Part =>
    (words) =>
      senderIn(words, producer).close();
  const threads = [
    ...sends.map((count, producer): Part[] => [
      ...times(count, (nth) => send(producer, nth)),
      ...(closes ? [close(producer)] : []),
    ]),
    ...receives.map((count, consumer) => times(count, () => receive(consumer))),
  ];
  // As closeQueue and freeSeat do it.
  const obituary: Part = (words, { note, thread }) => {
    note(DIED);
    if (thread < producers) new Parking(words, producers).close(thread);
    const holders = competitor.holders?.(setup);
    if (holders !== undefined) freeHeldBy(words.subarray(parking), holders, thread);
    Atomics.notify(words, EVENT, 1);
  };
  const dying = mortal === undefined ? {} : { mortal, obituary };
  const delivered: Law<QueuesLaw> = {
    name: "nothingIsLost",
    end(seen) {
      const work = workOf(competitor, setup, { ...seen, memory: seen.memory.subarray(parking) }, 0);
      return laws.nothingIsLost(competitor, work);
    },
  };
  const asked = asksToFinish(until) ? [] : [delivered];
  return brokenLaws({ memory, threads, ...dying }, asked, until);
}
