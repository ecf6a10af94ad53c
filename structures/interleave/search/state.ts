import type { Access } from "../memory/access.ts";
import { LIMITED, type Moment, type Step } from "./moments.ts";
import type { Choice } from "./schedule.ts";
import { isNotified, isTimed, placeOf, sleeperOf, threadOf } from "./waiters.ts";
import { copyOfWeak, type Weak } from "./weak.ts";

/** A state of a program. */
export interface State {
  /** By slot: the words that some thread writes, as far as they were known and changed. */
  readonly values: number[];
  readonly moments: Moment[];
  /** The lists of waiters of all words; see waiters.ts. */
  readonly asleep: number[];
  /** Where preemptions are bounded: the thread that ran last, and how many there have been. */
  readonly last?: number;
  readonly preempted?: number;
  /** Where plain accesses are weak. */
  readonly weak?: Weak;
}

/** What one choice of a schedule leads to. */
export interface Move extends Choice {
  readonly state: State;
  /** Its access that other threads may notice. */
  readonly access?: Access;
}

export function copyOf({ values, moments, asleep, weak }: State): State {
  const copy = { values: [...values], moments: [...moments], asleep: [...asleep] };
  return weak === undefined ? copy : { ...copy, weak: copyOfWeak(weak) };
}

/** Whether all threads are done, and nothing is left that will go on with promises they have left behind. */
export function isOver({ asleep, moments, weak }: State): boolean {
  if (weak !== undefined && weak.buffered.length > 0) return false;
  return (
    moments.every(({ next, thrown, left }) => isDone(next) && thrown === undefined && left === undefined) &&
    asleep.every((_, at) => at % 2 === 1 || !(isTimed(asleep, at) || isNotified(asleep, at)))
  );
}

export function isDone(next: Step | undefined): boolean {
  return next === undefined || (next.kind === "resume" && next.operand === 1);
}

/** Whether a thread can do nothing by itself: it sleeps, or awaits promises. */
export function isAsleep({ asleep, moments }: State, thread: number): boolean {
  return moments[thread]!.next?.kind === "resume" || placeOf(asleep, sleeperOf(thread)) >= 0;
}

/** Whether a limit ends the wait of a thread that is asleep, or a promise is to be resolved. */
export function canWakeByItself({ asleep, moments }: State, thread: number): boolean {
  const next = moments[thread]!.next!;
  if (next.kind !== "resume") return next.other === LIMITED;
  return asleep.some(
    (sleeper, at) =>
      at % 2 === 0 && threadOf(sleeper) === thread && (isTimed(asleep, at) || isNotified(asleep, at)),
  );
}
