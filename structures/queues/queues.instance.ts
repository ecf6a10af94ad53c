import { assertOptions, type OptionKinds, shown } from "../shared/arguments.ts";
import {
  assertMadeBy,
  assertUsable,
  indexIn,
  type Kind,
  type Reading,
  type Stamped,
  seated,
  stampOf,
} from "../shared/instance.ts";
import { allocateFor, type Region } from "../shared/layout.ts";
import { ParkedReceiver, ParkedSender } from "./parts/handles.ts";
import { EVENT, Parking } from "./parts/parking.ts";
import { assertSetup, type End, type QueueSetup, type QueuesCompetitor } from "./queues.contract.ts";

/** A queue's formatted memory, and what it was formatted for: plain data, which crosses to workers as it is. */
export interface QueueInstance extends QueueSetup, Stamped {}

const QUEUE: Kind = { what: "queue", module: "hotpath-lab/queues/spsc-ring", mark: "stoppedSender" };
const OPTIONS: OptionKinds<Omit<QueueSetup, "linear">> = {
  capacity: "any",
  longest: "any",
  producers: "any",
  consumers: "any",
};
const READING: Reading<QueueInstance> = { counts: countsOf, seed: () => 0, kind: QUEUE };

/** Throws a RangeError for a setup that is outside its ranges, a TypeError for options that there are not. */
export function makeQueue(competitor: QueuesCompetitor, setup: QueueSetup): QueueInstance {
  assertUsable(competitor, QUEUE);
  assertOptions("makeQueue", setup, OPTIONS);
  assertSetup(competitor, setup);
  const parking = Parking.words(setup.producers);
  const { memory, ...linear } = allocateFor(competitor, parking + competitor.words(setup));
  formatQueue(competitor, memory, setup);
  const holders = competitor.holders?.(setup);
  const holderWords =
    holders === undefined ? {} : { holderWords: { ...holders, first: parking + holders.first } };
  const { capacity, longest, producers, consumers } = setup;
  const stamp = stampOf({ summary: competitor.summary, sleepWord: EVENT, ...holderWords }, countsOf(setup));
  return { memory, ...linear, capacity, longest, producers, consumers, stamp };
}

/** Formats the words of a queue, those of its parking first. */
export function formatQueue(competitor: QueuesCompetitor, memory: Region, setup: QueueSetup): void {
  Parking.format(memory, setup.producers);
  competitor.format(memory.subarray(Parking.words(setup.producers)), setup);
}

/**
 * What the workers are handed besides the instance, one for each seat, made anew at each call: call it once. Give each
 * worker its `value`, with `transfer` in the transfer list. Empty where the memory is everything.
 */
export function endsOf(competitor: QueuesCompetitor, instance: QueueInstance): readonly End[] {
  assertMadeBy(competitor, instance, READING);
  return competitor.share?.(instance) ?? [];
}

/**
 * The handle of this producer, 0 .. producers - 1, which has the seat of that number. Called in its thread. A seat has
 * one holder: another attaches after `freeSeat`. `end` is the `value` that `endsOf` made for the seat. Throws, in one
 * line, for a value that this competitor's makeQueue did not return, for a number that is no producer's, and for a seat
 * that is taken.
 */
export function attachSender(
  competitor: QueuesCompetitor,
  instance: QueueInstance,
  producer: number,
  end?: unknown,
): ParkedSender {
  assertMadeBy(competitor, instance, READING);
  return seated(competitor, instance, within("producer", producer, instance.producers), READING, (worker) => {
    const { memory, producers } = instance;
    const core = competitor.sender(memory.subarray(Parking.words(producers)), instance, worker, end);
    return new ParkedSender(core, new Parking(memory, producers), producer, limitsOf(competitor, instance));
  });
}

/** The same for this consumer, 0 .. consumers - 1. Its seat has the number `producers + consumer`. */
export function attachReceiver(
  competitor: QueuesCompetitor,
  instance: QueueInstance,
  consumer: number,
  end?: unknown,
): ParkedReceiver {
  assertMadeBy(competitor, instance, READING);
  const seat = instance.producers + within("consumer", consumer, instance.consumers);
  return seated(competitor, instance, seat, READING, (worker) => {
    const { memory, producers } = instance;
    const core = competitor.receiver(memory.subarray(Parking.words(producers)), instance, worker, end);
    return new ParkedReceiver(core, new Parking(memory, producers), instance.longest);
  });
}

/**
 * Closes the queue from outside, for all producers or for one that has ended: call it before its seat is freed. A send
 * that is in progress returns false or "closed", and its message may be received or not; so may what is not flushed.
 * Throws a TypeError for a value that is no queue, a RangeError for a number that is no producer's.
 */
export function closeQueue(instance: QueueInstance, producer?: number): void {
  indexIn(instance, 0);
  const parking = new Parking(instance.memory, instance.producers);
  if (producer !== undefined) parking.close(within("producer", producer, instance.producers));
  else for (let each = 0; each < instance.producers; each++) parking.close(each);
}

function within(name: string, index: number, count: number): number {
  if (Number.isInteger(index) && index >= 0 && index < count) return index;
  throw new RangeError(`${name} ${shown(index)} is not an integer in 0 .. ${count - 1}`);
}

/** Fewest and most elements of the array that a send is given. */
function limitsOf({ messages }: QueuesCompetitor, { longest }: QueueSetup): readonly [number, number] {
  return messages === "words" ? [longest, Number.POSITIVE_INFINITY] : [0, longest];
}

function countsOf({ capacity, longest, producers, consumers }: QueueSetup) {
  return { workers: producers + consumers, capacity, longest, producers, consumers };
}
