import { allocateRegion, type Region } from "../../structures/shared/layout.ts";

/**
 * The pass of a thread beside the workers, without which it makes no step. Between two slices the crew holds it, because the
 * slices of other crews are measured then. One word, which all threads access atomically.
 */
const FREE = 0;
/** The thread has it, for one step. */
const STEPPING = 1;
/** The crew has it. */
const HELD = 2;

/** A free one, for a crew that has not run yet or runs without a pause. */
export function makePass(): Region {
  return allocateRegion(1);
}

/** By the thread: makes one step, once the crew does not hold the pass. */
export function stepInPass(pass: Region, step: () => void): void {
  take(pass, STEPPING);
  step();
  give(pass);
}

/** By one worker of a crew at rest: the thread has made its last step when this returns. */
export function holdPass(pass: Region): void {
  take(pass, HELD);
}

/** By the same worker, before its crew runs again. Nothing happens where it does not hold the pass. */
export function releasePass(pass: Region): void {
  if (Atomics.load(pass, 0) === HELD) give(pass);
}

function take(pass: Region, by: number): void {
  const found = () => Atomics.compareExchange(pass, 0, FREE, by);
  for (let holder = found(); holder !== FREE; holder = found()) Atomics.wait(pass, 0, holder);
}

function give(pass: Region): void {
  Atomics.store(pass, 0, FREE);
  Atomics.notify(pass, 0);
}
