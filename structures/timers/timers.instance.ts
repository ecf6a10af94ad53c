import { assertOptions, type OptionKinds } from "../shared/arguments.ts";
import { assertUsable, type Reading, type Stamped, seated, stampOf } from "../shared/instance.ts";
import { allocateRegion } from "../shared/layout.ts";
import { assertWorkers } from "../shared/worker-identity.ts";
import { assertCapacity } from "./parts/handles.ts";
import { TIMERS, type TimerSet, type TimersCompetitor } from "./timers.contract.ts";

/** The setup of a crew's timers. */
export interface TimersSetup {
  /** Timers of all workers together: 1 .. MAX_CAPACITY. Some sets split it evenly among the workers. */
  readonly capacity: number;
  /** 1 .. MOST_WORKERS. */
  readonly workers: number;
}

/** A crew's formatted timers, and what they were formatted for: plain data, which crosses to workers as it is. */
export interface TimersInstance extends TimersSetup, Stamped {}

/**
 * One set of timers for a crew, with its clock at 0. Throws a RangeError for a setup that is outside its ranges and for a
 * set that serves one caller alone, which privateTimers makes.
 */
export function makeTimers(competitor: TimersCompetitor, setup: TimersSetup): TimersInstance {
  assertUsable(competitor, TIMERS);
  assertOptions("makeTimers", setup, OPTIONS);
  const { capacity, workers } = setup;
  assertCapacity(capacity);
  assertWorkers(workers);
  if (competitor.callers !== "crew")
    throw new RangeError(
      "these timers serve one worker: make them with privateTimers, or take some that serve a crew",
    );
  const memory = allocateRegion(competitor.words(capacity, workers));
  competitor.format(memory, capacity, workers);
  return { memory, capacity, workers, stamp: stampOf(competitor, { capacity, workers }) };
}

/**
 * The timers as worker `index`, 0 .. workers - 1, has them. Called in that worker's thread. A seat has one holder:
 * another attaches after `freeSeat`, and continues with the timers that the former holder set. Throws, in one line, for
 * a value that this competitor's makeTimers did not return, and for an instance made for another capacity or other
 * workers. Throws as well for an invalid index, and a seat that is taken.
 */
export function attachTimers(
  competitor: TimersCompetitor,
  instance: TimersInstance,
  index: number,
): TimerSet {
  return seated(competitor, instance, index, READING, (worker) =>
    competitor.attach(instance.memory, instance.capacity, worker),
  );
}

const OPTIONS: OptionKinds<TimersSetup> = { capacity: "any", workers: "any" };

/** Timers draw no random numbers: any seed will do. */
const READING: Reading<TimersInstance> = {
  counts: ({ capacity, workers }) => ({ capacity, workers }),
  seed: () => 0,
  kind: TIMERS,
};

/** @deprecated Call it `makeTimers`: every primitive has a name of its own for it. */
export const makeInstance = makeTimers;

/** @deprecated Call it `attachTimers`. */
export const attachTo = attachTimers;
