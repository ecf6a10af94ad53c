import { allocateRegion, type Region } from "../../../engine/words/layout.ts";

/**
 * Where workers wait for one another, as often as they like, asleep. Two words: how many have come, all meetings together,
 * and how many meetings are over.
 */
const COME = 0;
const OVER = 1;

export function makeMeeting(): Region {
  return allocateRegion(2);
}

/** Sleeps until all workers have come. */
export function meet(meeting: Region, workers: number): void {
  const over = Atomics.load(meeting, OVER);
  if (Atomics.add(meeting, COME, 1) + 1 === (over + 1) * workers) {
    Atomics.add(meeting, OVER, 1);
    Atomics.notify(meeting, OVER);
    return;
  }
  while (Atomics.load(meeting, OVER) === over) Atomics.wait(meeting, OVER, over);
}
