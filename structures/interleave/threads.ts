import {
  type Access,
  changedIn,
  type Lane,
  OK,
  type Perform,
  type Value,
  WORD,
  WRITES_ONLY,
} from "./access.ts";
import type { Part, Program } from "./program.ts";
import { explained } from "./stand-in.ts";

/** What a thread does next: an access or a note. Of a wait, `other` is 1 if it has a limit, else 0. */
export type Step = Access | (Omit<Access, "kind"> & { readonly kind: "note" });

/** A thread after a history of answers. */
export interface Moment {
  readonly id: number;
  readonly thread: number;
  readonly part: number;
  /** The moment before, and how often its access was made until here, always with this answer. */
  readonly before: Moment | undefined;
  readonly answer: Value;
  readonly times: number;
  /** The access that comes next; undefined where the thread is done. */
  readonly next: Step | undefined;
  readonly notes: readonly number[];
  readonly rests: boolean;
  readonly after: Map<Value, Moment>;
}

/** Ends the run of a thread. */
const CUT = new Error("cut by the explorer");

/**
 * Repeats of one load after which it counts as unbounded. Plain polls must be bounded, as a compiler may take a plain
 * load out of its loop; atomic ones need not.
 */
export const MOST_PLAIN_POLLS = 30_000;
const MOST_ATOMIC_POLLS = 250;
const mostPolls = (kind: Step["kind"]) => (kind === "read" ? MOST_PLAIN_POLLS : MOST_ATOMIC_POLLS);

/** Accesses that a spinning thread repeats, at most. */
const LONGEST_SPIN = 10;

/** What the threads do, found out by running them. */
export class Threads<Shared> {
  readonly moments: Moment[] = [];
  readonly #threads: Program<Shared>["threads"];
  readonly #obituary: Part<Shared> | undefined;
  readonly #memory: Shared;
  /** First moments of parts, and last ones of threads, by what they remember. */
  readonly #known = new Map<string, Moment>();
  /** The run in progress: whose it is, its history, and how far it is in it. */
  #thread = 0;
  #part = 0;
  #history: Moment[] = [];
  #at = 0;
  #lastAnswer: Value = 0;
  #isPolling = false;
  #alone: Alone | undefined;
  /** The access that is answered now, and how often more. */
  #kind: Step["kind"] = "note";
  #word = 0;
  #lane = WORD;
  #answer: Value = 0;
  #left = 0;
  /** The first moment after the history. */
  #found: Moment | undefined;
  #isCut = false;
  #notes: number[] = [];
  #answers: Value[] = [];

  /** `standIns` makes the memory that the threads are given. */
  constructor({ threads, obituary }: Program<Shared>, standIns: (perform: Perform) => Shared) {
    this.#threads = threads;
    this.#obituary = obituary;
    this.#memory = standIns((kind, word, operand = 0, other = 0, lane = WORD) =>
      this.#perform(kind, word, operand, other, lane),
    );
  }

  /** How often the thread that ran last made its last access in a row. */
  get polls(): number {
    return this.#isPolling && this.#at === this.#history.length ? mostPolls(this.#kind) - this.#left : 1;
  }

  first(): Moment[] {
    return this.#threads.map((_, thread) => this.#begin(thread, 0, []));
  }

  /** The moment after a thread has stopped for ever. Where no thread learns of it, nothing is left of the thread. */
  stopped({ thread, notes }: Moment): Moment {
    return this.#begin(thread, this.#obituaryOf(thread), this.#obituary === undefined ? [] : notes);
  }

  isStopped({ thread, part }: Moment): boolean {
    return part >= this.#obituaryOf(thread);
  }

  /** The obituary is one more part, after that number which means that all are done. */
  #obituaryOf(thread: number): number {
    return this.#threads[thread]!.length + 1;
  }

  #partOf(thread: number, part: number): Part<Shared> | undefined {
    return part === this.#obituaryOf(thread) ? this.#obituary : this.#threads[thread]![part];
  }

  /**
   * The moment after its access was answered. If nothing else is known, `alone` answers from there on as if no other
   * thread intervened. Everything found out on the way is kept, which saves most runs.
   */
  after(moment: Moment, answer: Value, alone: Alone): Moment {
    const known = moment.after.get(answer);
    if (known !== undefined) return known;
    const history = historyOf(moment);
    const run = { ...moment, history, answer };
    const next = this.#execute({ ...run, alone })!;
    const spin =
      next.before === moment && next.next !== undefined ? spinOf(moment, answer, next.next) : undefined;
    const found =
      spin === moment ? (this.#execute({ ...run, isPolling: true }) ?? this.#polled(moment)) : spin;
    moment.after.set(answer, found ?? next);
    return found ?? next;
  }

  #polled(moment: Moment): Moment {
    if (moment.next!.kind !== "read") return moment;
    throw new Error(`thread ${moment.thread} polls word ${moment.next!.word} plainly and without bound`);
  }

  #begin(thread: number, part: number, notes: readonly number[]): Moment {
    const key = `${thread} ${part} ${notes}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const isDone = this.#partOf(thread, part) === undefined;
    const first = isDone
      ? this.#add({ thread, part, notes, rests: true })
      : this.#execute({ thread, part, notes, history: [], answer: 0 })!;
    this.#known.set(key, first);
    return first;
  }

  /** Runs a part of a thread to the access after its history, or past its polls; undefined where it polls for ever. */
  #execute(run: {
    readonly thread: number;
    readonly part: number;
    /** Of the moment that `history` ends with. */
    readonly notes: readonly number[];
    readonly history: Moment[];
    /** To the last access of the history. */
    readonly answer: Value;
    /** Whether that answer is given for as long as the access is repeated. */
    readonly isPolling?: boolean;
    readonly alone?: Alone;
  }): Moment | undefined {
    const { thread, part, history, answer, isPolling = false, alone } = run;
    this.#history = history;
    this.#at = 0;
    this.#lastAnswer = answer;
    this.#isPolling = isPolling;
    this.#left = 0;
    this.#isCut = false;
    this.#found = undefined;
    this.#alone = alone;
    this.#notes = [...(history[0] ?? run).notes];
    this.#answers = [];
    const note = (...results: number[]) => {
      this.#perform("note", -1, 0, 0, WORD);
      this.#notes.push(...results.map((result) => result | 0));
    };
    this.#thread = thread;
    this.#part = part;
    try {
      this.#partOf(thread, part)!(this.#memory, { note, answers: this.#answers, thread });
    } catch (error) {
      // On the way out of a cut a structure may throw, in a finally block.
      if (!this.#isCut) throw explained(error);
      return this.#found;
    }
    if (this.#at < history.length || (this.#left > 0 && !isPolling))
      throw new Error(`thread ${thread} did not make the accesses that it made before`);
    const found = this.#found;
    const last = this.#history.at(-1);
    const lastAnswer = this.#lastAnswer;
    const end = this.#begin(thread, part + 1, this.#notes);
    if (found === undefined) return end;
    last!.after.set(lastAnswer, end);
    return found;
  }

  #perform(kind: Step["kind"], word: number, operand: Value, other: Value, lane: Lane): Value {
    // Before all else, because it is called once for each of many thousand polls.
    if (this.#left > 0 && kind === this.#kind && word === this.#word && lane === this.#lane) {
      this.#left--;
      return this.#answer;
    }
    if (this.#isCut) throw CUT;
    const access: Step = {
      kind,
      word,
      lane,
      operand,
      other: kind === "wait" ? Number(other !== Number.POSITIVE_INFINITY) : other,
    };
    if (this.#left > 0) {
      const polled = this.#history.at(-1)!.next!;
      if (!this.#isPolling || this.#at < this.#history.length || isSame(access, polled))
        throw new Error(`a thread made another access than before: ${kind} of word ${word}`);
      this.#find(access, mostPolls(polled.kind) - this.#left);
      return this.#cut();
    }
    if (this.#at === this.#history.length) this.#goOn(access);
    this.#answerNext(kind);
    return this.#perform(kind, word, operand, other, lane);
  }

  /** Past the history: makes the access a part of it if no other thread is needed to answer it; else ends the run. */
  #goOn(access: Step): void {
    // Out of patience.
    if (this.#isPolling) this.#cut();
    const last = this.#history.at(-1);
    const isSpinning = last !== undefined && spinOf(last, this.#lastAnswer, access) !== undefined;
    // Of a thread that spins only the first moment is wanted: `after` goes back from it to where the spin began.
    if (isSpinning && this.#found !== undefined) this.#cut();
    const found = this.#find(access, 1);
    const answer = isSpinning ? undefined : this.#alone?.(access);
    if (answer === undefined) this.#cut();
    this.#history.push(found);
    this.#lastAnswer = answer;
  }

  /** Takes the next access of the history as the one that is answered now, as often as it was made there. */
  #answerNext(kind: Step["kind"]): void {
    const moment = this.#history[this.#at++]!;
    const isLast = this.#at === this.#history.length;
    this.#kind = moment.next!.kind;
    this.#word = moment.next!.word;
    this.#lane = moment.next!.lane;
    this.#answer = isLast ? this.#lastAnswer : this.#history[this.#at]!.answer;
    if (isLast) this.#left = this.#isPolling ? mostPolls(kind) : 1;
    else this.#left = this.#history[this.#at]!.times;
    this.#answers.push(this.#answer);
  }

  /** The moment before an access that is not in the history. */
  #find(access: Step, times: number): Moment {
    const before = this.#history.at(-1);
    const moment = this.#add({
      thread: this.#thread,
      part: this.#part,
      before,
      answer: this.#lastAnswer,
      times,
      next: access,
      notes: [...this.#notes],
      rests: before === undefined || before.next!.kind === "note",
    });
    if (this.#found === undefined) this.#found = moment;
    else before!.after.set(this.#lastAnswer, moment);
    return moment;
  }

  #cut(): never {
    this.#isCut = true;
    throw CUT;
  }

  #add(moment: Partial<Moment> & Pick<Moment, "thread" | "part" | "notes" | "rests">): Moment {
    const added = {
      before: undefined,
      answer: 0,
      times: 1,
      next: undefined,
      after: new Map<Value, Moment>(),
      ...moment,
      id: this.moments.length,
    };
    this.moments.push(added);
    return added;
  }
}

/** How an access would be answered now; undefined where that takes another thread. */
export type Alone = (access: Step) => Value | undefined;

/** The moments of a part up to this one, from the first. */
function historyOf(moment: Moment): Moment[] {
  const history: Moment[] = [];
  for (let at: Moment | undefined = moment; at !== undefined; at = at.before) history.push(at);
  return history.reverse();
}

/**
 * The moment to which a thread returns if its access is answered so and `next` follows: its last accesses repeat the
 * earlier ones, and were idle. Undefined where it has made progress.
 */
function spinOf(moment: Moment, answer: Value, next: Step): Moment | undefined {
  if (!isIdle(moment.next!, answer)) return undefined;
  const past = [{ answer, times: 1, before: moment }, ...historyOf(moment).reverse()] as const;
  for (let length = 1; length <= LONGEST_SPIN && 2 * length < past.length; length++) {
    const again = past[length] as Moment;
    if (!isSame(next, again.next!)) continue;
    const isRepeated = past.slice(0, length).every((one, at) => {
      const other = past[at + length]!;
      if (one.answer !== other.answer || one.times !== other.times) return false;
      const access = one.before!.next!;
      return other.before !== undefined && isSame(access, other.before.next!) && isIdle(access, one.answer);
    });
    // Plain loads repeated in turn are a loop over words that no other thread changes, not one that waits.
    if (
      isRepeated &&
      (length === 1 || past.slice(0, length).some(({ before }) => before!.next!.kind !== "read"))
    )
      return again;
  }
  return undefined;
}

function isSame(one: Step, other: Step): boolean {
  return (
    one.kind === other.kind &&
    one.word === other.word &&
    one.lane === other.lane &&
    one.operand === other.operand &&
    one.other === other.other
  );
}

/** Whether an access that was answered so changed nothing and woke no thread. */
function isIdle(access: Step, answer: Value): boolean {
  if (access.kind === "wait") return answer !== OK;
  if (access.kind === "notify") return answer === 0;
  if (access.kind === "note" || WRITES_ONLY.has(access.kind)) return false;
  return changedIn(access.lane, answer, access.kind, access.operand, access.other) === answer;
}
