/** Below this multiple of an empty task's time, the loop takes most of a time, and a ratio says little of the task. */
const FLOORS_OF_A_RATIO = 3;

/**
 * Why a row has no ratio, in words for its table, where its time is near that of a task that does nothing; undefined where
 * it is not. Both in ns.
 */
export function floorNote(timeNs: number, emptyNs: number): string | undefined {
  return timeNs < FLOORS_OF_A_RATIO * emptyNs
    ? "at the floor of the loop: may have been optimised away"
    : undefined;
}
