import type { Region } from "./layout.ts";
import {
  type Access,
  changed,
  NOT_EQUAL,
  OK,
  type Perform,
  READS_ONLY,
  replaceAtomics,
  standIn,
  TIMED_OUT,
  WRITES_ONLY,
} from "./shared-words.ts";
import { StateGraph } from "./state-graph.ts";

/**
 * Visits every state that a few threads can bring a structure into, one access to its shared words at a time. Real
 * threads meet rare interleavings by luck; this meets them all, for as many threads and calls as fit into memory. The
 * threads run the structure's own code: nothing is transcribed. For example, two threads that take two tickets each:
 *
 *     const taker: Part = (words, { note }) => {
 *       for (let round = 0; round < 2; round++) note(Atomics.add(words, 0, 1));
 *     };
 *     const { doomed } = explore({ memory: allocateRegion(1), threads: [[taker], [taker]] }, {
 *       end({ threads }) {
 *         const tickets = threads.flatMap(({ notes }) => notes);
 *         assert.deepEqual(tickets.toSorted(), [0, 1, 2, 3]);
 *       },
 *     });
 *
 * How. The words that a thread is given are a proxy. While an exploration runs, the functions of `Atomics` recognize
 * such proxies and pass other memory through. JavaScript cannot suspend a function. So a thread is run again for each
 * access. Earlier accesses return what they returned then, and the next one ends the run by an exception. What a thread
 * does next is a function of what its accesses returned; it is found out once for each such history and kept. Whatever
 * is private belongs in the thread's function, `attach` above all. This is how loom checks Rust (tokio-rs/loom), with
 * states that are stored and merged (Holzmann, SPIN) instead of schedules that are repeated.
 *
 * 64-bit words. A BigInt64Array over the words that a thread is given is a proxy, too, and each of its elements is one
 * word of a state. The elements may hold what 32 bits hold, and any other value ends the exploration. So a program has
 * to begin with small numbers.
 *
 * Which schedules. Every access, plain or atomic, is a step of its own. Accesses to words that only one thread uses, or
 * that no thread writes, join the step before: no thread can see the difference. Such words are found by exploring.
 * Memory is sequentially consistent, as it is for Atomics: a plain load that returns an older value or comes out of
 * order is not explored.
 *
 * Waiting. `wait` compares and falls asleep in one step; `notify` wakes the longest sleepers, as ECMAScript orders them
 * (25.4, WaiterList). A wait with a time limit may end at any moment.
 *
 * Spinning. A thread whose last accesses repeat those before, with the same answers and without a change, is where it
 * was before them. Where the same load is repeated a bounded number of times, the thread is also followed to where it
 * gives up. If the word changes on a turn in between, it is taken to do what it does on the first or second.
 *
 * A state is the changed words, the sleepers in their order, and every thread's history. A thread may have several
 * parts; each remembers nothing of the earlier ones but the notes. Histories end there, and many states become one.
 */
export interface Program {
  /** Formatted. Stays as it is. */
  readonly memory: Region;
  readonly threads: readonly (readonly Part[])[];
  /** A thread that may stop for ever before any of its accesses, and while it sleeps; or several such. */
  readonly mortal?: number | readonly number[];
  /** What is done, sooner or later, once a mortal thread has stopped. Its notes follow those of the thread. */
  readonly obituary?: Part;
  /**
   * How often at most a thread is left that could go on (Musuvathi & Qadeer, CHESS, 2007); any number if absent. What an
   * exploration so bounded says of doomed states means nothing: leaving a thread that spins counts as well.
   */
  readonly preemptions?: number;
}

/** A stretch of a thread. Must do the same when it is given the same answers. */
export type Part = (memory: Region, self: Self) => void;

export interface Self {
  /** Keeps results: they are part of the state. What follows is another step, so that others see the thread here. */
  readonly note: (...results: number[]) => void;
  /** What this part's accesses have returned; polls that were given up count once. */
  readonly answers: readonly number[];
  /** Its number. */
  readonly thread: number;
}

/** A state as a caller may look at it, until its function returns. */
export interface Glimpse {
  /** The words as they stand, anew each time: what a caller changes in them is gone the next time. */
  readonly memory: Region;
  readonly threads: readonly {
    readonly notes: readonly number[];
    /** Whether it has not begun, is done, or has made no access since its last note. */
    readonly rests: boolean;
    readonly done: boolean;
    /** Whether it sleeps until another thread wakes it. */
    readonly isAsleep: boolean;
  }[];
}

export interface Watcher {
  /** Called for each state that can be reached; for some more than once. */
  state?(state: Glimpse): void;
  /** The same for the states in which every thread is done, after `state`. */
  end?(state: Glimpse): void;
}

export interface Exploration {
  readonly states: number;
  readonly ends: number;
  /** States from which no schedule lets every thread finish: deadlocks, and all that leads nowhere else. */
  readonly doomed: number;
}

/** A promise about the states of a program. */
export interface Law<Name extends string = string> {
  readonly name: Name;
  /** Returns what breaks it in this state, or undefined; the next is asked where all is done. */
  readonly state?: (seen: Glimpse) => string | undefined;
  readonly end?: (seen: Glimpse) => string | undefined;
  /** What must be so in some end: else a structure could keep its promises by doing nothing. */
  readonly once?: (seen: Glimpse) => boolean;
}

/** Laws that every program has. The second applies to the threads that claim it. */
export const EVERYBODY_FINISHES = "everyWorkerFinishes";
export const NOBODY_IS_HELD_UP = "nobodyIsHeldUp";

/**
 * Explores a program and returns one sentence for each broken law, beginning with its name. With `until`, ends where it
 * finds that law broken: a mutant may have far more states than its original.
 */
export function brokenLaws(program: Program, laws: readonly Law[], until?: string): string[] {
  const broken = new Map<string, string>();
  const onces = new Map(laws.flatMap(({ name, once }) => (once === undefined ? [] : [[name, once]])));
  const note = (name: string, what: string | undefined) => {
    if (what === undefined || broken.has(name)) return;
    broken.set(name, `${name}: ${what}`);
    if (name === until) throw new Found();
  };
  const ofStates = laws.flatMap(({ name, state }) => (state === undefined ? [] : [{ name, state }]));
  const state = (seen: Glimpse) => {
    for (const { name, state } of ofStates) note(name, state(seen));
  };
  try {
    const { states, ends, doomed } = explore(program, {
      ...(ofStates.length === 0 ? {} : { state }),
      end(seen) {
        for (const { name, end } of laws) note(name, end?.(seen));
        for (const [name, once] of onces) if (once(seen)) onces.delete(name);
      },
    });
    for (const name of onces.keys()) note(name, `never in ${ends} ends`);
    if (program.preemptions !== undefined) return [...broken.values()];
    const finishing = program.mortal === undefined ? EVERYBODY_FINISHES : NOBODY_IS_HELD_UP;
    note(finishing, doomed === 0 ? undefined : `no way out of ${doomed} of ${states} states`);
  } catch (error) {
    if (!(error instanceof Found)) throw error;
  }
  return [...broken.values()];
}

/** Ends an exploration that has found what it was looking for. */
class Found extends Error {}

/** More states than these are a program that is too large, or never repeats itself. */
const MOST_STATES = 3_000_000;

/** Throws an Error beyond MOST_STATES, where a thread throws one, and where a thread does not repeat itself. */
export function explore(program: Program, watcher: Watcher = {}): Exploration {
  const threads = new Threads(program);
  const search = new Search(program, threads);
  const undo = replaceAtomics();
  try {
    for (;;) {
      const found = search.visitAll(watcher);
      if (found !== undefined) return found;
    }
  } finally {
    undo();
  }
}

/** What a thread does next: an access or a note. Of a wait, `other` is 1 if it has a limit, else 0. */
type Step = Access | (Omit<Access, "kind"> & { readonly kind: "note" });

/** The words as they are explored. How long the limit of a wait is makes no difference. */
function exploredWords(length: number, perform: Perform): Region {
  return standIn(0, length, (kind, word, operand, other) =>
    perform(kind, word, operand, kind === "wait" ? Number(Number.isFinite(other)) : other),
  );
}

/** A thread after a history of answers. */
interface Moment {
  readonly id: number;
  readonly thread: number;
  readonly part: number;
  /** The moment before, and how often its access was made until here, always with this answer. */
  readonly before: Moment | undefined;
  readonly answer: number;
  readonly times: number;
  /** The access that comes next; undefined where the thread is done. */
  readonly next: Step | undefined;
  readonly notes: readonly number[];
  readonly rests: boolean;
  readonly after: Map<number, Moment>;
}

/** Ends the run of a thread. */
const CUT = new Error("cut by the explorer");

/**
 * Repeats of one load after which it counts as unbounded. Plain polls must be bounded, as a compiler may take a plain
 * load out of its loop; atomic ones need not.
 */
const MOST_PLAIN_POLLS = 30_000;
const MOST_ATOMIC_POLLS = 250;
const mostPolls = (kind: Step["kind"]) => (kind === "read" ? MOST_PLAIN_POLLS : MOST_ATOMIC_POLLS);

/** Accesses that a spinning thread repeats, at most. */
const LONGEST_SPIN = 10;

/** What the threads do, found out by running them. */
class Threads {
  readonly moments: Moment[] = [];
  readonly #threads: Program["threads"];
  readonly #obituary: Part | undefined;
  readonly #memory: Region;
  /** First moments of parts, and last ones of threads, by what they remember. */
  readonly #known = new Map<string, Moment>();
  /** The run in progress: whose it is, its history, and how far it is in it. */
  #thread = 0;
  #part = 0;
  #history: Moment[] = [];
  #at = 0;
  #lastAnswer = 0;
  #isPolling = false;
  #alone: Alone | undefined;
  /** The access that is answered now, and how often more. */
  #kind: Step["kind"] = "note";
  #word = 0;
  #answer = 0;
  #left = 0;
  /** The first moment after the history. */
  #found: Moment | undefined;
  #isCut = false;
  #notes: number[] = [];
  #answers: number[] = [];

  constructor({ memory, threads, obituary }: Program) {
    this.#threads = threads;
    this.#obituary = obituary;
    this.#memory = exploredWords(memory.length, (...step) => this.#perform(...step));
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

  #partOf(thread: number, part: number): Part | undefined {
    return part === this.#obituaryOf(thread) ? this.#obituary : this.#threads[thread]![part];
  }

  /**
   * The moment after its access was answered. If nothing else is known, `alone` answers from there on as if no other
   * thread intervened. Everything found out on the way is kept, which saves most runs.
   */
  after(moment: Moment, answer: number, alone: Alone): Moment {
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
    readonly answer: number;
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
      this.#perform("note", -1);
      this.#notes.push(...results.map((result) => result | 0));
    };
    this.#thread = thread;
    this.#part = part;
    try {
      this.#partOf(thread, part)!(this.#memory, { note, answers: this.#answers, thread });
    } catch (error) {
      // On the way out of a cut a structure may throw, in a finally block.
      if (!this.#isCut) throw error;
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

  #perform(kind: Step["kind"], word: number, operand = 0, other = 0): number {
    // Before all else, because it is called once for each of many thousand polls.
    if (this.#left > 0 && kind === this.#kind && word === this.#word) {
      this.#left--;
      return this.#answer;
    }
    if (this.#isCut) throw CUT;
    const access: Step = { kind, word, operand, other };
    if (this.#left > 0) {
      const polled = this.#history.at(-1)!.next!;
      if (!this.#isPolling || this.#at < this.#history.length || isSame(access, polled))
        throw new Error(`a thread made another access than before: ${kind} of word ${word}`);
      this.#find(access, mostPolls(polled.kind) - this.#left);
      return this.#cut();
    }
    if (this.#at === this.#history.length) this.#goOn(access);
    this.#answerNext(kind);
    return this.#perform(kind, word, operand, other);
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
      after: new Map<number, Moment>(),
      ...moment,
      id: this.moments.length,
    };
    this.moments.push(added);
    return added;
  }
}

/** How an access would be answered now; undefined where that takes another thread. */
type Alone = (access: Step) => number | undefined;

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
function spinOf(moment: Moment, answer: number, next: Step): Moment | undefined {
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
    one.operand === other.operand &&
    one.other === other.other
  );
}

/** Whether an access that was answered so changed nothing and woke no thread. */
function isIdle(access: Step, answer: number): boolean {
  if (access.kind === "wait") return answer !== OK;
  if (access.kind === "notify") return answer === 0;
  if (access.kind === "note" || WRITES_ONLY.has(access.kind)) return false;
  return changed(answer, access) === answer;
}

interface State {
  /** By slot: the words that some thread writes, as far as they were known and changed. */
  readonly values: number[];
  readonly moments: Moment[];
  /** Threads asleep, in the order of falling asleep, each followed by its word. */
  readonly asleep: number[];
  /** Where preemptions are bounded: the thread that ran last, and how many there have been. */
  readonly last?: number;
  readonly preempted?: number;
}

/** The states of a program. */
class Search {
  readonly #program: Program;
  readonly #threads: Threads;
  readonly #mortal: ReadonlySet<number>;
  readonly #initial: Int32Array;
  /** The words that are written, and the place of each in a state. */
  readonly #written: number[] = [];
  readonly #slots = new Map<number, number>();
  /**
   * By word: the threads that use it and that write it, as bits, and whether several threads use it and one of them
   *   writes.
   */
  readonly #users: Int32Array;
  readonly #writers: Int32Array;
  readonly #contended: Uint8Array;
  /** Whether a word was found to be contended that had not been so far. */
  #hasLearnt = false;

  constructor(program: Program, threads: Threads) {
    const { length } = program.memory;
    this.#program = program;
    this.#threads = threads;
    this.#mortal = new Set([program.mortal ?? []].flat());
    this.#initial = Int32Array.from(program.memory);
    this.#users = new Int32Array(length);
    this.#writers = new Int32Array(length);
    this.#contended = new Uint8Array(length);
  }

  /** Undefined where it has learnt of another word that threads contend for: then all has to be visited anew. */
  visitAll(watcher: Watcher): Exploration | undefined {
    this.#hasLearnt = false;
    const graph = new StateGraph();
    const ends: number[] = [];
    const open = [graph.numberOf(this.#save({ values: [], moments: this.#threads.first(), asleep: [] }))];
    for (let number = open.pop(); number !== undefined; number = open.pop()) {
      const state = this.#restore(graph.wordsOf(number));
      const isEnd = state.asleep.length === 0 && state.moments.every(({ next }) => next === undefined);
      if (watcher.state !== undefined) watcher.state(this.#glimpse(state));
      if (isEnd) {
        ends.push(number);
        if (watcher.end !== undefined) watcher.end(this.#glimpse(state));
      }
      for (const next of this.#following(state)) {
        if (this.#hasLearnt) return undefined;
        const { size } = graph;
        const reached = graph.numberOf(this.#save(next));
        graph.step(number, reached);
        if (reached < size) continue;
        if (size === MOST_STATES) throw new Error(`the program has more than ${MOST_STATES} states`);
        open.push(reached);
      }
    }
    return { states: graph.size, ends: ends.length, doomed: graph.size - graph.reaching(ends) };
  }

  *#following(state: State): Generator<State> {
    const { last = 0, preempted = 0 } = state;
    const { preemptions } = this.#program;
    const canGoOn = state.moments[last]!.next !== undefined && !isAsleep(state, last);
    for (const [thread, { next }] of state.moments.entries()) {
      if (next === undefined) continue;
      const isPreempting =
        preemptions !== undefined && canGoOn && last !== thread && state.last !== undefined;
      if (isPreempting && preempted === preemptions) continue;
      if (this.#mortal.has(thread) && !this.#threads.isStopped(state.moments[thread]!))
        yield this.#stop(state, thread);
      if (!isAsleep(state, thread)) {
        const stepped = this.#step(state, thread);
        yield preemptions === undefined
          ? stepped
          : { ...stepped, last: thread, preempted: preempted + Number(isPreempting) };
      } else if (next.other === 1) {
        const woken = copyOf(state);
        this.#wake(woken, thread, TIMED_OUT);
        yield preemptions === undefined
          ? woken
          : { ...woken, last: thread, preempted: preempted + Number(isPreempting) };
      }
    }
  }

  #stop(from: State, thread: number): State {
    const state = copyOf(from);
    if (isAsleep(state, thread)) state.asleep.splice(placeOf(state, thread), 2);
    state.moments[thread] = this.#threads.stopped(state.moments[thread]!);
    return state;
  }

  /** One access to a contended word, with the uncontended accesses before and after it; or up to a note. */
  #step(from: State, thread: number): State {
    const state = copyOf(from);
    let hasActed = false;
    for (let accesses = 0; ; accesses++) {
      const moment = state.moments[thread]!;
      const access = moment.next;
      if (access === undefined) return state;
      if (access.kind === "note") {
        state.moments[thread] = this.#after(state, thread, 0);
        if (hasActed) return state;
        continue;
      }
      this.#learn(thread, access);
      const isAlone =
        access.kind !== "wait" && access.kind !== "notify" && this.#contended[access.word] === 0;
      if (!isAlone && hasActed) return state;
      if (!isAlone) hasActed = true;
      const answer = this.#perform(state, thread, access);
      if (answer === undefined) return state;
      state.moments[thread] = this.#after(state, thread, answer);
      if (state.moments[thread] === moment && isAlone) return state;
      if (accesses === MOST_PLAIN_POLLS) throw new Error(`thread ${thread} goes on for ever by itself`);
    }
  }

  /** Returns the answer, undefined where it falls asleep. */
  #perform(state: State, thread: number, access: Access): number | undefined {
    const { kind, word, operand } = access;
    const old = this.#valueOf(state, word);
    if (kind === "wait") {
      if (old !== operand) return NOT_EQUAL;
      state.asleep.push(thread, word);
      return undefined;
    }
    if (kind === "notify") {
      let woken = 0;
      for (let at = 0; at < state.asleep.length && woken < operand; ) {
        if (state.asleep[at + 1] === word) {
          this.#wake(state, state.asleep[at]!, OK);
          woken++;
        } else at += 2;
      }
      return woken;
    }
    const value = changed(old, access);
    if (value !== old) this.#put(state, word, value);
    return WRITES_ONLY.has(kind) ? operand : old;
  }

  #wake(state: State, thread: number, answer: number): void {
    state.asleep.splice(placeOf(state, thread), 2);
    const woken = this.#threads.after(state.moments[thread]!, answer, () => undefined);
    // Up to a note, as every step: others must see what it says.
    const isNoting = woken.next?.kind === "note";
    state.moments[thread] = isNoting ? this.#threads.after(woken, 0, () => undefined) : woken;
  }

  /** The moment of a thread after its access was answered so, with others as they are in this state. */
  #after(state: State, thread: number, answer: number): Moment {
    const moment = state.moments[thread]!;
    return moment.after.get(answer) ?? this.#threads.after(moment, answer, this.#alone(state, thread));
  }

  #alone(state: State, thread: number): Alone {
    let copy: State | undefined;
    return (access) => {
      if (access.kind === "note") return 0;
      if (access.kind === "wait" || access.kind === "notify") return undefined;
      copy ??= copyOf(state);
      return this.#perform(copy, thread, access);
    };
  }

  #learn(thread: number, { kind, word }: Access): void {
    this.#users[word]! |= 1 << thread;
    const users = this.#users[word]!;
    if (!READS_ONLY.has(kind)) this.#writers[word]! |= 1 << thread;
    const isContended = this.#writers[word] !== 0 && (users & (users - 1)) !== 0;
    if (!isContended || this.#contended[word] === 1) return;
    this.#contended[word] = 1;
    this.#hasLearnt = true;
  }

  #valueOf({ values }: State, word: number): number {
    const slot = this.#slots.get(word);
    return (slot === undefined ? undefined : values[slot]) ?? this.#initial[word]!;
  }

  #put({ values }: State, word: number, value: number): void {
    let slot = this.#slots.get(word);
    if (slot === undefined) {
      slot = this.#written.length;
      this.#slots.set(word, slot);
      this.#written.push(word);
    }
    for (let at = values.length; at < slot; at++) values.push(this.#initial[this.#written[at]!]!);
    values[slot] = value;
  }

  #glimpse(state: State): Glimpse {
    const alone = (): Perform => {
      const copy = copyOf(state);
      return (kind, word, operand = 0, other = 0) => {
        const answer = this.#perform(copy, -1, { kind, word, operand, other });
        if (answer === undefined && other === 0)
          throw new Error("a thread that is alone would sleep for ever");
        return answer ?? TIMED_OUT;
      };
    };
    const { length } = this.#initial;
    return {
      get memory() {
        return exploredWords(length, alone());
      },
      threads: state.moments.map(({ notes, rests, next }, thread) => ({
        notes,
        rests,
        done: next === undefined,
        isAsleep: isAsleep(state, thread) && next!.other === 0,
      })),
    };
  }

  /** A state in numbers: how many values, the thread that ran last and its preemptions, values, moments, sleepers. */
  #save({ values, moments, asleep, last = -1, preempted = 0 }: State): number[] {
    let length = values.length;
    while (length > 0 && values[length - 1] === this.#initial[this.#written[length - 1]!]) length--;
    const saved = [length, last, preempted];
    for (let slot = 0; slot < length; slot++) saved.push(values[slot]!);
    for (const { id } of moments) saved.push(id);
    for (const number of asleep) saved.push(number);
    return saved;
  }

  #restore(saved: Int32Array): State {
    const [length, last, preempted] = [saved[0]!, saved[1]!, saved[2]!];
    let at = 3;
    const values: number[] = [];
    while (values.length < length) values.push(saved[at++]!);
    const moments = this.#program.threads.map(() => this.#threads.moments[saved[at++]!]!);
    const asleep: number[] = [];
    while (at < saved.length) asleep.push(saved[at++]!);
    return last < 0 ? { values, moments, asleep } : { values, moments, asleep, last, preempted };
  }
}

function copyOf({ values, moments, asleep }: State): State {
  return { values: [...values], moments: [...moments], asleep: [...asleep] };
}

function isAsleep(state: State, thread: number): boolean {
  return placeOf(state, thread) >= 0;
}

/** Where a thread stands among those asleep; -1 if it is awake. */
function placeOf({ asleep }: State, thread: number): number {
  return asleep.findIndex((sleeper, at) => at % 2 === 0 && sleeper === thread);
}
