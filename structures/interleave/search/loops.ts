import type { Value } from "../memory/access.ts";
import { isIdle, isSame, type Line, linesTo, type Moment, type Step } from "./moments.ts";

/** A stretch of accesses that a thread has made at least twice in a row, with the same answers. */
export interface Turn {
  readonly lines: readonly Line[];
  /** The moment before its last repetition. */
  readonly head: Moment;
  /** How often in a row it has been made. */
  readonly repeats: number;
}

/** A turn that counts as made any number of times in a row. */
export interface Loop extends Turn {
  /** The moment before its last access. */
  readonly last: Moment;
  /** How often a bounded loop makes it in a row, at most; undefined where it has no bound. */
  readonly bound: number | undefined;
}

/** Accesses of a turn, at most. */
const LONGEST_TURN = 64;
/** A loop that ends within this number of looks is followed look by look. */
export const MOST_COUNTED_LOOKS = 16;
/** Turns of a loop whose count matters, that are followed where it has no bound. */
export const MOST_COUNTED_TURNS = 4;
/** Turns after which a loop that changes nothing counts as endless, and fewer where each turn has many looks. */
const MOST_IDLE_TURNS = 250;
const LEAST_IDLE_TURNS = 5;
const MOST_LOOKS_OF_TURNS = 5_000;
/** The same of one that awaits promises: each turn takes macrotasks. */
const MOST_AWAITED_TURNS = 100;
/**
 * Accesses after which any other loop does. Plain polls must be bounded, as a compiler may take a plain load out of its
 * loop; atomic ones need not.
 */
const MOST_ACCESSES = 30_000;

/** The turn that a thread has just made again if its last access was answered so and `next` follows. */
export function turnTo(moment: Moment, answer: Value, next: Step): Turn | undefined {
  let head: Moment | undefined = moment;
  for (let length = 1; length <= LONGEST_TURN && head !== undefined; length++) {
    if (head.next!.kind === "note") return undefined;
    if (isSame(next, head.next!) && isMadeTwice(moment, answer, head, length)) {
      const last: Line = { access: moment.next!, answer, times: 1 };
      const lines = length === 1 ? [last] : [...linesTo(moment).slice(1 - length), last];
      return isLoop(lines) ? { lines, head, repeats: 1 + repeatsBefore(lines, head) } : undefined;
    }
    head = head.before;
  }
  return undefined;
}

/** Whether the accesses from `head` on, as many as `length`, are those before it again. */
function isMadeTwice(moment: Moment, answer: Value, head: Moment, length: number): boolean {
  let one: Pick<Moment, "before" | "answer" | "times"> = { before: moment, answer, times: 1 };
  let other = head;
  for (let at = 0; at < length; at++) {
    if (other.before === undefined || one.answer !== other.answer || one.times !== other.times) return false;
    if (!isSame(one.before!.next!, other.before.next!)) return false;
    one = one.before!;
    other = other.before;
  }
  return true;
}

function repeatsBefore(lines: readonly Line[], head: Moment): number {
  let repeats = 0;
  for (let at = startOf(lines, head); at !== undefined; at = startOf(lines, at)) repeats++;
  return repeats;
}

/** The moment from which these lines led to another one; undefined where others did. */
function startOf(lines: readonly Line[], end: Moment): Moment | undefined {
  let at = end;
  for (let index = lines.length - 1; index >= 0; index--) {
    const { before, answer, times } = at;
    const line = lines[index]!;
    if (before === undefined || answer !== line.answer || times !== line.times) return undefined;
    if (!isSame(before.next!, line.access)) return undefined;
    at = before;
  }
  return at;
}

/** Plain loads repeated in turn are a loop over words that no other thread changes, not one that waits. */
function isLoop(lines: readonly Line[]): boolean {
  return lines.length === 1 || lines.some(({ access }) => access.kind !== "read");
}

const isAwaited = (lines: readonly Line[]) => lines.some(({ access }) => access.kind === "resume");

export const looksOf = (lines: readonly Line[]): number => lines.reduce((sum, { times }) => sum + times, 0);

/** How often at most a turn is tried in a row. */
export function mostTurns({ lines }: Turn): number {
  if (isAwaited(lines)) return MOST_AWAITED_TURNS;
  const isPlainPoll = lines.length === 1 && lines[0]!.access.kind === "read";
  if (!lines.every(isIdle) || isPlainPoll)
    return Math.max(LEAST_IDLE_TURNS, Math.ceil(MOST_ACCESSES / looksOf(lines)));
  return Math.min(
    MOST_IDLE_TURNS,
    Math.max(LEAST_IDLE_TURNS, Math.floor(MOST_LOOKS_OF_TURNS / looksOf(lines))),
  );
}

/** Whether the turn is one access that changes nothing. */
export function isPoll({ lines }: Turn): boolean {
  return lines.length === 1 && isIdle(lines[0]!);
}

/** Of what the thread does in the turn, whatever it is answered. */
export function signatureOf({ head, lines }: Turn): string {
  const accesses = lines.map(({ access }) => `${access.kind} ${access.word} ${access.lane}`);
  return `${head.thread} ${head.part} ${accesses}`;
}

/** How often more a loop is turned in each trial, to see whether what comes after it depends on that. */
const MORE_TURNS = [1, 2, 3, 64];
export const TRIALS = MORE_TURNS.length;

export function moreTurnsOf({ bound, lines }: Loop, trial: number): number {
  const more = MORE_TURNS[trial % TRIALS]!;
  if (bound !== undefined) return Math.min(more, bound >> 1);
  return Math.min(more, 1 + Math.floor(MOST_LOOKS_OF_TURNS / looksOf(lines)));
}
