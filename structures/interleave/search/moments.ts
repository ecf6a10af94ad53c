import { type Access, changedIn, OK, type Value, WRITES_ONLY } from "../memory/access.ts";
import type { Loop } from "./loops.ts";
import type { Glimpse } from "./program.ts";

/**
 * What a thread does next: an access, a note, or a `resume`: it has nothing to do until a promise of Atomics.waitAsync is
 * resolved. Of a wait, `other` is one of the limits below. Of a resume, `operand` is 1 if the thread is done but for
 * what it does with promises that it has left behind, else 0.
 */
export type Step = Access | NoAccess<"note"> | NoAccess<"resume">;
type NoAccess<Kind> = Omit<Access, "kind"> & { readonly kind: Kind };

/** Whether a wait has a limit, and whether it is 0 ms for a waitAsync. */
export const UNLIMITED = 0;
export const LIMITED = 1;
export const NO_TIME = 2;

/** How a thread resumes: the number of the waiter whose promise is resolved, and whether it timed out. */
export const resumption = (waiter: number, isTimedOut: boolean): number => 2 * waiter + Number(isTimedOut);

/** A thread after a history of answers. */
export interface Moment {
  readonly id: number;
  readonly thread: number;
  readonly part: number;
  /** The moment before, and how often its access was made until here, always with this answer. */
  readonly before: Moment | undefined;
  readonly answer: Value;
  readonly times: number;
  /** Moments of the part before this one. */
  readonly depth: number;
  /** The access that comes next; undefined where the thread is done. */
  readonly next: Step | undefined;
  readonly notes: readonly number[];
  readonly rests: boolean;
  /** What its code threw here. */
  readonly thrown: { readonly error: unknown } | undefined;
  /** Why the thread is not followed any further. */
  readonly left: string | undefined;
  readonly after: Map<Value, Moment>;
  /** The loops that lead back to here. */
  readonly loops: Loop[];
  /** What a watcher sees of the thread here, unless it sleeps. */
  seen: Glimpse<unknown>["threads"][number] | undefined;
}

/** One access of a history, its answer, and how often it was made in a row. */
export interface Line {
  readonly access: Step;
  readonly answer: Value;
  readonly times: number;
}

/** The accesses of a part up to this moment. */
export function linesTo(moment: Moment): Line[] {
  const lines: Line[] = [];
  for (let { before, answer, times } = moment; before !== undefined; { before, answer, times } = before)
    lines.push({ access: before.next!, answer, times });
  return lines.reverse();
}

export function isSame(one: Step, other: Step): boolean {
  return (
    one.kind === other.kind &&
    one.word === other.word &&
    one.lane === other.lane &&
    one.operand === other.operand &&
    one.other === other.other
  );
}

/** Whether an access that was answered so changed nothing and woke no thread. */
export function isIdle({ access, answer }: Line): boolean {
  if (access.kind === "wait") return answer !== OK;
  // A waiter that was added counts as idle, as only its end by time leaves all as it was.
  if (access.kind === "waitAsync") return true;
  if (access.kind === "resume") return (answer as number) % 2 === 1;
  if (access.kind === "notify") return answer === 0;
  if (access.kind === "note" || WRITES_ONLY.has(access.kind)) return false;
  return changedIn(access.lane, answer, access.kind, access.operand, access.other) === answer;
}
