import type { Lane, Perform, Value } from "../memory/access.ts";
import type { EventLoop } from "./event-loop.ts";
import {
  isPoll,
  type Loop,
  looksOf,
  MOST_COUNTED_LOOKS,
  MOST_COUNTED_TURNS,
  moreTurnsOf,
  mostTurns,
  signatureOf,
  TRIALS,
  type Turn,
  turnTo,
} from "./loops.ts";
import { isSame, type Line, linesTo, type Moment, type Step } from "./moments.ts";
import { type Program, ProgramError } from "./program.ts";
import { type Answer, type Ending, type Finding, Runs, type Script, type ScriptLine } from "./runs.ts";

/** How an access would be answered now; undefined where that takes another thread. */
export type Alone = (access: Step) => Value | undefined;

/** Accesses that a run finds out at once, at most: a thread may go on for ever. */
const MOST_AHEAD = 1_000;

/**
 * Accesses of a part after which a loop that counts is not followed any further: those that other threads may notice, and
 * all. It is looked for after each `LOOKED_OVER`.
 */
const MOST_CONTENDED = 500;
const MOST_OF_A_PART = 30_000;
const LOOKED_OVER = 500;
const isLookedOver = (depth: number) => depth > 0 && depth % LOOKED_OVER === 0;

type Found = Partial<Moment> & Pick<Moment, "thread" | "part" | "notes" | "rests">;

/** A thread that has looked more often than this is tried once, as each trial takes as long. */
const MOST_LOOKS_OF_TRIALS = 500;
/** How many accesses after a loop are compared to test it. */
const MOST_TESTED = 200;

/** What comes after the last look of a loop that has a bound. */
interface Exit {
  readonly turns: number;
  readonly access: Step | undefined;
  readonly ending: Ending;
}

/** What the threads do, found out by running them. */
export class Threads<Shared> {
  readonly moments: Moment[] = [];
  /** Whether some code has thrown. */
  haveThrown = false;
  /**
   * Whether one schedule is followed: then a loop that has no bound is followed turn by turn, and what is known of loops
   * stays as it is.
   */
  isFollowing = false;
  /** In words, what threads remember of bounded loops that were not followed look by look. */
  readonly remembered = new Set<string>();
  readonly #runs: Runs<Shared>;
  /** Called where a loop is found not to lead back to where it began: what was found so far does not hold any more. */
  readonly #onLearnt: () => void;
  /** Whether other threads may notice an access to a word, as far as is known. */
  readonly #isContended: (access: Step) => boolean;
  /** First moments of parts by what they remember. */
  readonly #beginnings = new Map<string, Moment>();
  /** Endless loops, and what threads do in those of them whose turns they count. */
  readonly #endless: Loop[] = [];
  readonly #counted = new Set<string>();

  /** `standIns` makes the memory that the threads are given. */
  constructor(
    program: Program<Shared>,
    standIns: (perform: Perform) => Shared,
    { onLearnt, isContended }: { onLearnt: () => void; isContended: (access: Step) => boolean },
    eventLoop?: EventLoop,
  ) {
    this.#runs = new Runs(program, standIns, eventLoop);
    this.#onLearnt = onLearnt;
    this.#isContended = isContended;
  }

  /** Atomics.waitAsync. */
  waitAsync(word: number, lane: Lane, expected: Value, limitMs: number): unknown {
    return this.#runs.waitAsync(word, lane, expected, limitMs);
  }

  /** Whether an error that no code handles is one of a run in progress. */
  takes(error: unknown): boolean {
    return this.#runs.takes(error);
  }

  first(): Moment[] {
    return Array.from({ length: this.#runs.threads }, (_, thread) => this.#beginning(thread, 0, []));
  }

  /** The moment after a thread has stopped for ever. Where no thread learns of it, nothing is left of the thread. */
  stopped({ thread, notes }: Moment): Moment {
    return this.#beginning(thread, this.#runs.obituaryOf(thread), this.#runs.hasObituary ? notes : []);
  }

  isStopped({ thread, part }: Moment): boolean {
    return part >= this.#runs.obituaryOf(thread);
  }

  /**
   * The moment after its access was answered. If nothing else is known, `alone` answers from there on as if no other
   * thread intervened. Everything found out on the way is kept, which saves most runs.
   */
  after(moment: Moment, answer: Value, alone?: Alone): Moment {
    const next =
      moment.after.get(answer) ??
      this.#runs.now(`${moment.id} ${answer} ${alone === undefined}`, this.#follow(moment, answer, alone));
    if (!isLookedOver(next.depth) || next.left !== undefined || !this.#isTooLong(next)) return next;
    const why = `thread ${moment.thread} goes on after ${said(next.depth)} accesses`;
    const left = this.#leave(moment, answer, why);
    moment.after.set(answer, left);
    return left;
  }

  #beginning(thread: number, part: number, notes: readonly number[]): Moment {
    const key = keyOf(thread, part, notes);
    return this.#beginnings.get(key) ?? this.#runs.now(key, this.#begin(thread, part, notes));
  }

  *#begin(thread: number, part: number, notes: readonly number[]): Finding<Moment> {
    const key = keyOf(thread, part, notes);
    const known = this.#beginnings.get(key);
    if (known !== undefined) return known;
    const first = yield* this.#firstOf(thread, part, notes);
    this.#beginnings.set(key, first);
    return first;
  }

  *#firstOf(thread: number, part: number, notes: readonly number[]): Finding<Moment> {
    const here = { thread, part, notes: [...notes], rests: true };
    if (!this.#runs.hasPart(thread, part)) return this.#add(here);
    let next: Step | undefined;
    const ending = yield* this.#runs.run({ thread, part, notes, lines: [] }, (access) => {
      next = access;
      return undefined;
    });
    if (next !== undefined) return this.#add({ ...here, next });
    if (ending.kind === "thrown")
      return this.#threw({ ...here, notes: ending.notes, rests: false }, ending.error);
    return yield* this.#begin(thread, (ending as { next: number }).next, ending.notes);
  }

  *#follow(moment: Moment, answer: Value, alone: Alone | undefined): Finding<Moment> {
    const known = moment.after.get(answer);
    if (known !== undefined) return known;
    const next = yield* this.#found(moment, answer, alone);
    const loops = moment.loops.length;
    const judged = next.before === moment ? yield* this.#judged(moment, answer, next) : next;
    moment.after.set(answer, judged);
    if (this.isFollowing) return judged;
    const isBack = judged.next !== undefined && judged.depth <= moment.depth && judged.before !== undefined;
    if (isBack) yield* this.#testAll(judged.loops.at(-1)!);
    else if (moment.loops.length > loops) yield* this.#testAll(moment.loops.at(-1)!);
    for (const way of waysFrom(moment, answer)) yield* this.#testWay(way);
    return judged;
  }

  /** Runs on to the next moment, and as far as `alone` answers. Returns the first moment found. */
  *#found(moment: Moment, answer: Value, alone: Alone | undefined): Finding<Moment> {
    const script = scriptOf(moment, answer);
    const ahead: Moment[] = [];
    let last = moment;
    let lastAnswer = answer;
    const goOn: Answer = (access, notes) => {
      const isTurning = turnTo(last, lastAnswer, access) !== undefined;
      // Of a thread that may be in a loop only the first moment is wanted, until the loop is judged.
      if (isTurning && ahead.length > 0) return undefined;
      const here = this.#find(last, lastAnswer, { next: access, notes: [...notes] });
      if (ahead.length > 0) last.after.set(lastAnswer, here);
      ahead.push(here);
      const isFar = ahead.length > MOST_AHEAD || isLookedOver(here.depth + 1);
      const own = isTurning || isFar ? undefined : alone?.(access);
      if (own === undefined) return undefined;
      last = here;
      lastAnswer = own;
      return { answer: own, times: 1 };
    };
    const ending = yield* this.#runs.run(script, goOn);
    refuseStraying(moment, ending);
    if (ending.kind === "cut") return ahead[0]!;
    const end = yield* this.#endOf(last, lastAnswer, 1, ending);
    if (ahead.length === 0) return end;
    last.after.set(lastAnswer, end);
    return ahead[0]!;
  }

  /** The moment after a run that was not cut. */
  *#endOf(last: Moment, answer: Value, times: number, ending: Ending): Finding<Moment> {
    if (ending.kind === "over") return yield* this.#begin(last.thread, ending.next, ending.notes);
    const here = { ...placeOf(last, answer), times, notes: [...ending.notes], rests: false };
    return this.#threw(here, (ending as { error: unknown }).error);
  }

  /** Where a thread is that may have made a turn of a loop. */
  *#judged(moment: Moment, answer: Value, next: Moment): Finding<Moment> {
    if (next.next === undefined) return next;
    const turn = turnTo(moment, answer, next.next);
    if (turn === undefined) return next;
    const exit = yield* this.#exitOf(moment, answer, turn);
    if (exit !== undefined) return yield* this.#pastLooks(moment, answer, next, turn, exit);
    if (isPoll(turn) && turn.lines[0]!.access.kind === "read") throw this.#pollsPlainly(moment);
    if (this.isFollowing) return next;
    if (this.#counted.has(signatureOf(turn))) {
      if (turn.repeats <= MOST_COUNTED_TURNS) return next;
      return this.#leave(moment, answer, `thread ${moment.thread} remembers how often it went round a loop`);
    }
    const loop = { ...turn, last: moment, bound: undefined };
    this.#endless.push(loop);
    turn.head.loops.push(loop);
    return turn.head;
  }

  /** Whether a thread has gone round a loop so often that it may do so for ever. */
  #isTooLong(moment: Moment): boolean {
    if (this.isFollowing || !goesRound(moment)) return false;
    if (moment.depth >= MOST_OF_A_PART) return true;
    let contended = 0;
    for (let at = moment.before; at !== undefined; at = at.before)
      if (at.next!.word >= 0 && this.#isContended(at.next!)) contended++;
    return contended >= MOST_CONTENDED;
  }

  #pollsPlainly({ thread, next }: Moment): ProgramError {
    return new ProgramError(`thread ${thread} polls word ${next!.word} plainly and without bound`);
  }

  /** The moment after the last look of a loop of one access; after the next one where the looks are few. */
  *#pastLooks(moment: Moment, answer: Value, next: Moment, turn: Turn, exit: Exit): Finding<Moment> {
    if (!isPoll(turn) || turn.repeats + exit.turns <= MOST_COUNTED_LOOKS) return next;
    const times = exit.turns + 1;
    moment.loops.push({ ...turn, last: moment, bound: times });
    if (exit.access === undefined) return yield* this.#endOf(moment, answer, times, exit.ending);
    return this.#find(moment, answer, { next: exit.access, notes: [...exit.ending.notes], times });
  }

  /** How the thread leaves a loop by itself, if it does. */
  *#exitOf(moment: Moment, answer: Value, turn: Turn): Finding<Exit | undefined> {
    const { lines } = turn;
    const most = mostTurns(turn) * lines.length;
    let made = 0;
    let left: Step | undefined;
    const goRound: Answer = (access, _notes, unused) => {
      if (lines.length === 1) made -= unused;
      if (made === most) return undefined;
      const line = lines[made % lines.length]!;
      if (!isSame(access, line.access)) {
        left = access;
        return undefined;
      }
      if (lines.length > 1) {
        made++;
        return line;
      }
      made = most;
      return { answer: line.answer, times: most };
    };
    const ending = yield* this.#runs.run(scriptOf(moment, answer), goRound);
    refuseStraying(moment, ending);
    if (ending.kind === "cut" && left === undefined) return undefined;
    if (ending.kind !== "cut" && lines.length === 1) made -= ending.unused;
    return { turns: made / lines.length, access: left, ending };
  }

  /** Tests a new loop with all that was found behind its head. */
  *#testAll(loop: Loop): Finding<void> {
    for (const answer of [...loop.head.after.keys()])
      for (const way of waysFrom(loop.head, answer)) yield* this.#test(way, [loop]);
  }

  /** Tests the loops that a new way leads through. */
  *#testWay(way: Way): Finding<void> {
    const loops: Loop[] = [];
    for (let at: Moment | undefined = way.from; at !== undefined; at = at.before) loops.push(...at.loops);
    if (yield* this.#test(way, loops)) return;
    let isOne = false;
    for (const loop of loops) isOne = !(yield* this.#test(way, [loop])) || isOne;
    if (!isOne) for (const loop of loops) this.#refute(loop);
  }

  /**
   * Makes more turns of loops, each another number of them, and looks whether the thread does the same after them. Says
   * whether it does.
   */
  *#test(way: Way, loops: readonly Loop[]): Finding<boolean> {
    if (way.to.left !== undefined) return true;
    const lines = linesOf(way);
    const tested = loops.filter((loop) => !this.#isCounted(loop) && isBehind(lines, loop));
    if (tested.length === 0) return true;
    const trials = looksOf(linesTo(way.from)) > MOST_LOOKS_OF_TRIALS ? 1 : TRIALS;
    for (let trial = 0; trial < trials; trial++) {
      const longer = [...lines];
      // From the last one to the first, so that each is in its place.
      for (const [at, loop] of tested.entries())
        longer.splice(loop.head.depth, 0, ...repeated(loop.lines, moreTurnsOf(loop, trial + at)));
      const isLike = yield* this.#leadsTo(way.to, { ...scriptOf(way.from, way.answer), lines: longer });
      if (isLike) continue;
      if (tested.length === 1) this.#refute(tested[0]!);
      return false;
    }
    return true;
  }

  #isCounted(loop: Loop): boolean {
    return loop.bound === undefined && this.#counted.has(signatureOf(loop));
  }

  *#leadsTo(moment: Moment, script: Script): Finding<boolean> {
    let next: Step | undefined;
    const ending = yield* this.#runs.run(script, (access) => {
      next = access;
      return undefined;
    });
    if (ending.kind === "strayed" || String(ending.notes) !== String(moment.notes)) return false;
    if (ending.kind === "over")
      return (yield* this.#begin(moment.thread, ending.next, ending.notes)) === moment;
    if (ending.kind === "thrown") return isSameError(ending.error, moment.thrown?.error);
    return next !== undefined && moment.next !== undefined && isSame(next, moment.next);
  }

  /** The thread remembers how often it went round this loop. */
  #refute(loop: Loop): void {
    const { thread, next } = loop.head;
    if (loop.bound !== undefined) {
      this.remembered.add(
        `thread ${thread} remembers how often it looked at word ${next!.word}, up to ${loop.bound} times`,
      );
      return;
    }
    const signature = signatureOf(loop);
    this.#counted.add(signature);
    for (const other of this.#endless) {
      if (signatureOf(other) !== signature) continue;
      other.head.loops.splice(other.head.loops.indexOf(other), 1);
      other.last.after.delete(other.lines.at(-1)!.answer);
    }
    this.#onLearnt();
  }

  #find(before: Moment, answer: Value, found: Omit<Found, "thread" | "part" | "rests">): Moment {
    return this.#add({ ...placeOf(before, answer), rests: before.next!.kind === "note", ...found });
  }

  #threw(place: Found, error: unknown): Moment {
    this.haveThrown = true;
    return this.#add({ ...place, thrown: { error } });
  }

  /** The thread is not followed any further. */
  #leave(before: Moment, answer: Value, left: string): Moment {
    const { notes } = before;
    return this.#add({ ...placeOf(before, answer), notes, rests: false, left });
  }

  #add(moment: Found): Moment {
    const added: Moment = {
      before: undefined,
      answer: 0,
      times: 1,
      depth: 0,
      next: undefined,
      thrown: undefined,
      left: undefined,
      seen: undefined,
      after: new Map<Value, Moment>(),
      loops: [],
      ...moment,
      id: this.moments.length,
    };
    this.moments.push(added);
    return added;
  }
}

/** An answer by which a thread came to another moment. */
interface Way {
  readonly from: Moment;
  readonly answer: Value;
  readonly to: Moment;
}

/** The ways with which all that is known to come after an answer ends. */
function* waysFrom(from: Moment, answer: Value): Generator<Way> {
  const to = from.after.get(answer);
  if (to === undefined) return;
  if (to.before !== from || to.after.size === 0) yield { from, answer, to };
  else for (const next of [...to.after.keys()]) yield* waysFrom(to, next);
}

const keyOf = (thread: number, part: number, notes: readonly number[]) => `${thread} ${part} ${notes}`;

const placeOf = (before: Moment, answer: Value) => {
  const { thread, part, depth } = before;
  return { thread, part, before, answer, depth: depth + 1 };
};

/** What a thread has done until its access was answered. */
function scriptOf(moment: Moment, answer: Value): Script {
  const { thread, part, next } = moment;
  let first = moment;
  while (first.before !== undefined) first = first.before;
  const lines = [...linesTo(moment), { access: next!, answer, times: 1 }];
  return { thread, part, notes: first.notes, lines };
}

/** The same, where the looks of a bounded loop may be more or less. */
function linesOf({ from, answer, to }: Way): ScriptLine[] {
  const bound = from.loops.find(
    (loop) => loop.bound !== undefined && loop.lines[0]!.answer === answer,
  )?.bound;
  const times = to.before === from ? to.times : (bound ?? 1);
  const lines: Line[] = [...linesTo(from), { access: from.next!, answer, times }];
  return lines.map((line) => (line.times === 1 ? line : { ...line, times: MOST_LOOKS, isLoose: true }));
}

/** More than any loop makes that has a bound. */
const MOST_LOOKS = 2 ** 20;

/** Whether these lines lead out of a loop, and not too far: within the loop they have been tried. */
function isBehind(lines: readonly Line[], { head, lines: turn }: Loop): boolean {
  const length = lines.length - head.depth;
  if (length > MOST_TESTED) return false;
  if (length > turn.length) return true;
  return turn.slice(0, length).some(({ access, answer }, at) => {
    const line = lines[head.depth + at]!;
    return !isSame(access, line.access) || answer !== line.answer;
  });
}

function repeated(lines: readonly Line[], times: number): Line[] {
  if (lines.length === 1) return [{ ...lines[0]!, times }];
  return Array.from({ length: times }, () => lines).flat();
}

function isSameError(one: unknown, other: unknown): boolean {
  return String(one) === String(other);
}

function refuseStraying({ thread }: Moment, ending: Ending): void {
  if (ending.kind !== "strayed") return;
  const { access } = ending;
  const what =
    access === undefined
      ? "it did not make the accesses that it made before"
      : `it made another access than before, ${access.kind} of word ${access.word}`;
  throw new ProgramError(`thread ${thread} did not repeat itself: ${what}`);
}

/** Whether the last accesses are the same few again and again, whatever they were answered. */
function goesRound(moment: Moment): boolean {
  const made: string[] = [];
  for (let at = moment.before; at !== undefined && made.length < LOOKED_OVER; at = at.before)
    made.push(`${at.next!.kind} ${at.next!.word} ${at.next!.lane}`);
  for (let period = 1; period <= LONGEST_PERIOD; period++)
    if (made.every((access, at) => at < period || access === made[at - period])) return true;
  return false;
}

const LONGEST_PERIOD = 64;
const said = (count: number) => count.toLocaleString("en-US");
