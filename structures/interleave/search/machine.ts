import {
  type Access,
  changedIn,
  highOf,
  type Lane,
  LONG,
  longOf,
  lowOf,
  NOT_EQUAL,
  OK,
  partOf,
  READS_ONLY,
  TIMED_OUT,
  type Value,
  WAITING,
  WORD,
  WRITES_ONLY,
  withPart,
} from "../memory/access.ts";
import { type Words, wordsOf } from "../memory/memory.ts";
import type { EventLoop } from "./event-loop.ts";
import { LIMITED, type Moment, NO_TIME, resumption } from "./moments.ts";
import type { Bounds, Glimpse, Program, TracedAccess, TracedStep } from "./program.ts";
import type { Choice } from "./schedule.ts";
import { canWakeByItself, copyOf, isAsleep, isDone, type Move, type State } from "./state.ts";
import { type Alone, Threads } from "./threads.ts";
import {
  addAsyncWaiter,
  addSleeper,
  isAwaited,
  isNotified,
  isTimed,
  notify,
  numberOf,
  placeOf,
  sleeperOf,
  threadOf,
  withoutWaiters,
} from "./waiters.ts";
import * as weakly from "./weak.ts";

/** Accesses in one step, at most. */
const MOST_JOINED = 30_000;

/**
 * A program, as it goes from state to state. It learns as it goes which words threads contend for: what it has said of
 * steps until then does not hold any more.
 */
export class Machine<Shared> {
  readonly threads: Threads<Shared>;
  /** Whether a word was found to be contended that had not been so far, or a loop not to be endless. */
  hasLearnt = false;
  #isFine = false;
  readonly #count: number;
  readonly #words: Words<Shared>;
  readonly #preemptions: number | undefined;
  readonly #isWeak: boolean;
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
  /** By word: the threads that load it plainly, as bits, where plain accesses are weak. */
  readonly #plainReaders: Int32Array;
  /** The access of the step that was made last, where `isFine`. */
  #traced: TracedAccess | undefined;
  /** The access of the step made last that other threads may notice. */
  #acted: Access | undefined;
  /** How many values the plain load of the step made last may return, where plain accesses are weak. */
  #loadable = 1;
  /** The thread that makes the step, or whose store becomes visible. */
  #writer = -1;
  /** What glimpses show, and the words that it is made of. */
  #copy: ReturnType<Words<Shared>["copy"]> | undefined;
  readonly #shown: Int32Array;

  constructor(program: Program<Shared>, { preemptions, weak = false }: Bounds, eventLoop?: EventLoop) {
    const words = wordsOf(program.memory);
    const { length } = words;
    const onLearnt = () => {
      this.hasLearnt = true;
    };
    const isContended = (access: Pick<Access, "word" | "lane">) => this.isContended(access);
    this.threads = new Threads(program, words.standIns, { onLearnt, isContended }, eventLoop);
    this.#count = program.threads.length;
    this.#words = words;
    this.#preemptions = preemptions;
    this.#isWeak = weak;
    this.#mortal = new Set([program.mortal ?? []].flat());
    this.#initial = words.initial;
    this.#shown = Int32Array.from(words.initial);
    this.#users = new Int32Array(length);
    this.#writers = new Int32Array(length);
    this.#contended = new Uint8Array(length);
    this.#plainReaders = new Int32Array(weak ? length : 0);
  }

  /** Whether each access is a step of its own, as where a schedule is shown or repeated. */
  get isFine(): boolean {
    return this.#isFine;
  }

  set isFine(isFine: boolean) {
    this.#isFine = isFine;
    this.threads.isFollowing = isFine;
  }

  first(): State {
    const first = { values: [], moments: this.threads.first(), asleep: [] };
    return this.#isWeak ? { ...first, weak: weakly.strong() } : first;
  }

  /** One step of a schedule that is shown; a sentence where the thread cannot make it. */
  tried(from: State, choice: Choice): string | { readonly step: TracedStep; readonly state: State } {
    const { thread } = choice;
    const state = this.moveOf(from, choice)?.state;
    if (state === undefined) return `thread ${thread} cannot do what it says`;
    const { notes } = state.moments[thread]!;
    const access = this.#traced as TracedAccess | undefined;
    return { step: { ...choice, notes, ...(access === undefined ? {} : { access }) }, state };
  }

  moveOf(state: State, { thread, event, nth = 0 }: Choice): Move | undefined {
    for (const move of this.following(state))
      if (move.thread === thread && move.event === event && (move.nth ?? 0) === nth) return move;
    return undefined;
  }

  *following(state: State): Generator<Move> {
    const { last = 0, preempted = 0 } = state;
    const preemptions = this.#preemptions;
    const canGoOn = state.moments[last]!.next !== undefined && !isAsleep(state, last);
    const counted = (after: State, thread: number, isPreempting: boolean): State =>
      preemptions === undefined
        ? after
        : { ...after, last: thread, preempted: preempted + Number(isPreempting) };
    for (const [thread, { next }] of state.moments.entries()) {
      if (next === undefined) continue;
      this.#traced = undefined;
      const isPreempting =
        preemptions !== undefined && canGoOn && last !== thread && state.last !== undefined;
      if (isPreempting && preempted === preemptions) continue;
      if (this.#mortal.has(thread) && !isDone(next) && !this.threads.isStopped(state.moments[thread]!))
        yield { thread, event: "stops", state: this.#stop(state, thread) };
      if (!isAsleep(state, thread)) {
        const stepped = this.#step(state, thread, 0);
        const access = this.#acted === undefined ? {} : { access: this.#acted };
        yield { thread, event: "runs", state: counted(stepped, thread, isPreempting), ...access };
        for (let nth = 1; nth < this.#loadable; nth++) {
          const otherwise = this.#step(state, thread, nth);
          yield { thread, event: "runs", nth, state: counted(otherwise, thread, isPreempting) };
        }
      } else if (next.kind === "resume") {
        for (const { state: resumed, ...choice } of this.#resuming(state, thread))
          yield { ...choice, state: counted(resumed, thread, isPreempting) };
      } else if (next.other === LIMITED) {
        const woken = copyOf(state);
        this.#wake(woken, thread, TIMED_OUT);
        yield { thread, event: "times out", state: counted(woken, thread, isPreempting) };
      }
    }
    if (state.weak !== undefined) yield* this.#arrivals(state);
  }

  *#arrivals(state: State): Generator<Move> {
    let nth = 0;
    for (const { thread, at } of weakly.arrivable(state.weak!)) {
      const arrived: State = { ...state, ...copyOf(state) };
      this.#arrive(arrived, thread, at);
      yield { thread, event: "store arrives", nth: nth++, state: arrived };
    }
  }

  #arrive(state: State, thread: number, at: number): void {
    const { word, lane, value } = weakly.taken(state.weak!, at);
    const before = this.#valueOf(state, word, lane);
    this.#writer = thread;
    if (value !== before) this.#put(state, word, lane, value);
    weakly.forget(state.weak!, thread, word);
    const access = { kind: "write", word, lane, operand: value, other: 0 } as const;
    if (this.isFine) this.#trace(state, access, before, value);
  }

  /** What ends the wait of a thread that awaits promises. */
  *#resuming(state: State, thread: number): Generator<Move> {
    const { asleep } = state;
    const notified = asleep.findIndex((_, at) => isNotified(asleep, at) && threadOf(asleep[at]!) === thread);
    if (notified >= 0) {
      const resumed = this.#resumed(state, thread, notified, OK);
      yield { thread, event: "resumes", state: resumed };
    }
    let nth = 0;
    for (let at = 0; at < asleep.length; at += 2) {
      if (threadOf(asleep[at]!) !== thread || !isTimed(asleep, at)) continue;
      const choice: Choice = { thread, event: "times out", ...(nth === 0 ? {} : { nth }) };
      nth++;
      const resumed = this.#resumed(state, thread, at, TIMED_OUT);
      yield { ...choice, state: resumed };
    }
  }

  #resumed(from: State, thread: number, place: number, ended: number): State {
    const state = copyOf(from);
    this.#resume(state, thread, place, ended);
    return state;
  }

  /** Takes a waiter out of the lists and resolves its promise. */
  #resume(state: State, thread: number, place: number, ended: number): void {
    if (state.weak !== undefined) weakly.forget(state.weak, thread);
    const [sleeper] = state.asleep.splice(place, 2);
    const answer = resumption(numberOf(sleeper!), ended === TIMED_OUT);
    this.#toNote(state, thread, this.threads.after(state.moments[thread]!, answer));
  }

  /**
   * Resolves the promises of a thread's waiters that were notified. It is no step of its own, as no other thread can
   * tell, unless a limit may end another wait of the thread first.
   */
  #deliver(state: State, thread: number): void {
    const { asleep } = state;
    while (state.moments[thread]!.next?.kind === "resume") {
      let place = -1;
      for (let at = asleep.length - 2; at >= 0; at -= 2) {
        if (threadOf(asleep[at]!) !== thread) continue;
        if (isTimed(asleep, at)) return;
        if (isNotified(asleep, at)) place = at;
      }
      if (place < 0) return;
      this.#resume(state, thread, place, OK);
    }
  }

  #stop(from: State, thread: number): State {
    const state = copyOf(from);
    withoutWaiters(state.asleep, thread);
    state.moments[thread] = this.threads.stopped(state.moments[thread]!);
    return state;
  }

  /** One access to a contended word, with the uncontended accesses before and after it; or up to a note. */
  #step(from: State, thread: number, nth: number): State {
    const state = copyOf(from);
    this.#loadable = 1;
    this.#writer = thread;
    const mayDie = this.#mortal.has(thread) && !this.threads.isStopped(state.moments[thread]!);
    let hasActed = false;
    this.#acted = undefined;
    for (let accesses = 0; ; accesses++) {
      const moment = state.moments[thread]!;
      const { next: access, part } = moment;
      if (access === undefined) return state;
      if (access.kind === "note") {
        state.moments[thread] = this.#after(state, thread, 0);
        // Where each access is a step, what follows a note is another one: no result is noted after its time.
        if (hasActed || mayDie || this.isFine) return state;
        continue;
      }
      if (access.kind === "resume") {
        this.#deliver(state, thread);
        if (state.moments[thread] === moment) return state;
        continue;
      }
      this.#learn(thread, access);
      // Before each access it may die, and what it has written and noted until then is seen.
      const isAlone = !this.isFine && !mayDie && this.#isUnseen(state, thread, access);
      if (!isAlone && hasActed) return state;
      const isStrong = state.weak === undefined || (isAlone && isPlain(access));
      // What orders later loads joins none of them: stores may become visible in between.
      if (!isAlone || !isStrong) hasActed = true;
      if (!isAlone) this.#acted = access;
      const before = this.isFine ? this.#valueOf(state, access.word, access.lane) : 0;
      const answer = isStrong
        ? this.#perform(state, thread, access)
        : this.#performWeakly(state, thread, access, nth);
      if (this.isFine) this.#trace(state, access, before, answer);
      if (answer === undefined) return state;
      const after = this.#after(state, thread, answer);
      state.moments[thread] = after;
      if (this.isFine && after.before === moment) this.#traced = { ...this.#traced!, times: after.times };
      // It spins on words that no other thread changes, as far as is known.
      if (isAlone && after.part === part && after.before !== moment) return state;
      // It may go on for ever.
      if (accesses === MOST_JOINED) return state;
    }
  }

  /** Whether no other thread can see the difference when this access joins the step before. */
  #isUnseen({ weak }: State, thread: number, access: Access): boolean {
    if (isOfWaiters(access)) return false;
    const { kind, word } = access;
    if (!this.isContended(access))
      return (
        weak === undefined || READS_ONLY.has(kind) || isPlain(access) || weakly.firstOf(weak, thread) < 0
      );
    const writers = this.#writers[word]! | this.#writers[lastOf(access)]!;
    return weak === undefined && READS_ONLY.has(kind) && (writers & ~(1 << thread)) === 0;
  }

  isContended(access: Pick<Access, "word" | "lane">): boolean {
    return this.#contended[access.word] === 1 || this.#contended[lastOf(access)] === 1;
  }

  #trace(state: State, access: Access, before: Value, answer: Value | undefined): void {
    const after = this.#valueOf(state, access.word, access.lane);
    this.#traced = { ...access, before, after, answer, times: 1 };
  }

  /** The same where plain accesses are weak; a plain load returns the nth of the values that it may. */
  #performWeakly(state: State, thread: number, access: Access, nth: number): Value | undefined {
    const { kind, word, lane, operand } = access;
    const weak = state.weak!;
    if (kind === "write") {
      if (lane === LONG) {
        this.#keepBack(state, thread, word, WORD, lowOf(operand as bigint));
        this.#keepBack(state, thread, word + 1, WORD, highOf(operand as bigint));
      } else this.#keepBack(state, thread, word, lane, operand as number);
      return operand;
    }
    if (kind === "read") {
      const values = weakly.loadable(weak, thread, word, lane, (one) => this.#wordOf(state, one));
      this.#loadable = values.length;
      return values[nth]!;
    }
    const writes = kind !== "load";
    for (const one of writes ? [undefined] : lane === LONG ? [word, word + 1] : [word])
      for (let at = weakly.firstOf(weak, thread, one); at >= 0; at = weakly.firstOf(weak, thread, one))
        this.#arrive(state, thread, at);
    if (kind !== "store") weakly.forget(weak, thread);
    const answer = this.#perform(state, thread, access);
    if (kind === "store") for (const one of [word, lastOf(access)]) weakly.forget(weak, thread, one);
    return answer;
  }

  /** The half of a 64-bit store that no other thread uses is visible at once. */
  #keepBack(state: State, thread: number, word: number, lane: Lane, value: number): void {
    if (this.isFine || this.#contended[word] === 1) weakly.keepBack(state.weak!, thread, word, lane, value);
    else this.#put(state, word, lane, value);
  }

  /** Returns the answer, undefined where it falls asleep. */
  #perform(state: State, thread: number, access: Access): Value | undefined {
    const { kind, word, lane, operand, other } = access;
    const { asleep } = state;
    const old = this.#valueOf(state, word, lane);
    if (kind === "wait") {
      if (old !== operand) return NOT_EQUAL;
      addSleeper(asleep, thread, word);
      return undefined;
    }
    if (kind === "waitAsync") {
      if (old !== operand) return NOT_EQUAL;
      return other === NO_TIME
        ? TIMED_OUT
        : WAITING + addAsyncWaiter(asleep, thread, word, other === LIMITED);
    }
    if (kind === "notify") {
      let woken = 0;
      for (let at = 0; at < asleep.length && woken < (operand as number); ) {
        if (asleep[at + 1] !== word) {
          at += 2;
          continue;
        }
        const waiting = threadOf(asleep[at]!);
        if (isAwaited(asleep[at]!)) {
          notify(asleep, at);
          if (waiting !== thread) this.#deliver(state, waiting);
        } else this.#wake(state, waiting, OK);
        woken++;
      }
      return woken;
    }
    const value = changedIn(lane, old, kind, operand, other);
    if (value !== old) this.#put(state, word, lane, value);
    return WRITES_ONLY.has(kind) ? operand : old;
  }

  #wake(state: State, thread: number, answer: number): void {
    if (state.weak !== undefined) weakly.forget(state.weak, thread);
    state.asleep.splice(placeOf(state.asleep, sleeperOf(thread)), 2);
    this.#toNote(state, thread, this.threads.after(state.moments[thread]!, answer));
  }

  /** Up to a note, as every step: others must see what it says. */
  #toNote(state: State, thread: number, woken: Moment): void {
    state.moments[thread] = woken.next?.kind === "note" ? this.threads.after(woken, 0) : woken;
  }

  /** The moment of a thread after its access was answered so, with others as they are in this state. */
  #after(state: State, thread: number, answer: Value): Moment {
    const moment = state.moments[thread]!;
    return this.threads.after(moment, answer, this.#alone(state, thread));
  }

  #alone(state: State, thread: number): Alone | undefined {
    // Where a schedule is shown, a thread that throws does so at its turn.
    if (this.isFine) return undefined;
    let copy: State | undefined;
    return (access) => {
      if (access.kind === "note") return 0;
      if (access.kind === "resume" || isOfWaiters(access)) return undefined;
      if (state.weak !== undefined && isPlain(access)) return undefined;
      copy ??= copyOf(state);
      return this.#perform(copy, thread, access);
    };
  }

  #learn(thread: number, { kind, word, lane }: Access): void {
    this.#learnOf(thread, kind, word);
    if (lane === LONG) this.#learnOf(thread, kind, word + 1);
  }

  #learnOf(thread: number, kind: Access["kind"], word: number): void {
    if (kind === "read" && this.#isWeak && (this.#plainReaders[word]! & (1 << thread)) === 0) {
      this.#plainReaders[word]! |= 1 << thread;
      this.hasLearnt ||= this.#contended[word] === 1;
    }
    this.#users[word]! |= 1 << thread;
    const users = this.#users[word]!;
    const writers = this.#writers[word]!;
    if (!READS_ONLY.has(kind)) this.#writers[word]! |= 1 << thread;
    const isContended = this.#writers[word] !== 0 && (users & (users - 1)) !== 0;
    // A second writer of a word: loads of the first were not steps of their own so far.
    if (!isContended || (this.#contended[word] === 1 && writers === this.#writers[word])) return;
    this.#contended[word] = 1;
    this.hasLearnt = true;
  }

  #valueOf(state: State, word: number, lane: Lane): Value {
    const whole = this.#wordOf(state, word);
    if (lane === WORD) return whole;
    return lane === LONG ? longOf(whole, this.#wordOf(state, word + 1)) : partOf(whole, lane);
  }

  #wordOf({ values }: State, word: number): number {
    const slot = this.#slots.get(word);
    return (slot === undefined ? undefined : values[slot]) ?? this.#initial[word]!;
  }

  #put(state: State, word: number, lane: Lane, value: Value): void {
    if (lane === WORD) this.#putWord(state, word, value as number);
    else if (lane === LONG) {
      this.#putWord(state, word, lowOf(value as bigint));
      this.#putWord(state, word + 1, highOf(value as bigint));
    } else this.#putWord(state, word, withPart(this.#wordOf(state, word), lane, value as number));
  }

  #putWord(state: State, word: number, value: number): void {
    const { values, weak } = state;
    if (weak !== undefined) this.#remember(weak, word, this.#wordOf(state, word));
    let slot = this.#slots.get(word);
    if (slot === undefined) {
      slot = this.#written.length;
      this.#slots.set(word, slot);
      this.#written.push(word);
    }
    for (let at = values.length; at < slot; at++) values.push(this.#initial[this.#written[at]!]!);
    values[slot] = value;
  }

  /** Threads that may load the word plainly, other than the writer, may still load what it held. */
  #remember(weak: weakly.Weak, word: number, old: number): void {
    const readers = this.isFine ? -1 : this.#plainReaders[word]!;
    for (let thread = 0; thread < this.#count; thread++)
      if (thread !== this.#writer && (readers & (1 << thread)) !== 0)
        weakly.remember(weak, thread, word, old);
  }

  glimpse(state: State): Glimpse<Shared> {
    const machine = this;
    return {
      get memory() {
        return machine.#memoryOf(state);
      },
      threads: state.moments.map((moment, thread) => this.#seen(state, moment, thread)),
    };
  }

  #memoryOf({ values }: State): Shared {
    this.#copy ??= this.#words.copy();
    for (let slot = 0; slot < values.length; slot++) this.#shown[this.#written[slot]!] = values[slot]!;
    this.#copy.write(this.#shown);
    for (let slot = 0; slot < values.length; slot++) {
      const word = this.#written[slot]!;
      this.#shown[word] = this.#initial[word]!;
    }
    return this.#copy.memory;
  }

  /** Kept for each moment, as watchers see most of them many times. */
  #seen(state: State, moment: Moment, thread: number): Glimpse<unknown>["threads"][number] {
    const { notes, rests, next } = moment;
    const done = isDone(next) && moment.left === undefined;
    const isAwake = state.asleep.length === 0 || done || !isAsleep(state, thread);
    if (!isAwake && !canWakeByItself(state, thread)) return { notes, rests, done, isAsleep: true };
    moment.seen ??= { notes, rests, done, isAsleep: false };
    return moment.seen;
  }

  /**
   * A state in numbers: how many values, the thread that ran last and its preemptions, where plain accesses are weak how
   * many numbers stand for stores kept back and for older values; then all these, moments, sleepers.
   */
  save({ values, moments, asleep, last = -1, preempted = 0, weak }: State): number[] {
    let length = values.length;
    while (length > 0 && values[length - 1] === this.#initial[this.#written[length - 1]!]) length--;
    const saved = [length, last, preempted];
    if (weak !== undefined) saved.push(weak.buffered.length, weak.older.length);
    for (let slot = 0; slot < length; slot++) saved.push(values[slot]!);
    if (weak !== undefined) saved.push(...weak.buffered, ...weakly.sortedOlder(weak));
    for (const { id } of moments) saved.push(id);
    for (const number of asleep) saved.push(number);
    return saved;
  }

  restore(saved: Int32Array): State {
    const [length, last, preempted] = [saved[0]!, saved[1]!, saved[2]!];
    let at = 3;
    const take = (count: number): number[] => {
      const numbers: number[] = [];
      for (const end = at + count; at < end; at++) numbers.push(saved[at]!);
      return numbers;
    };
    const [buffers = 0, olders = 0] = this.#isWeak ? take(2) : [];
    const values = take(length);
    const weak = { buffered: take(buffers), older: take(olders) };
    const moments = take(this.#count).map((id) => this.threads.moments[id]!);
    const asleep = take(saved.length - at);
    const state = last < 0 ? { values, moments, asleep } : { values, moments, asleep, last, preempted };
    return this.#isWeak ? { ...state, weak } : state;
  }
}

/** The last word that an access touches. */
function lastOf({ word, lane }: Pick<Access, "word" | "lane">): number {
  return lane === LONG ? word + 1 : word;
}

const isPlain = ({ kind }: Access): boolean => kind === "read" || kind === "write";

function isOfWaiters({ kind }: Access): boolean {
  return kind === "wait" || kind === "waitAsync" || kind === "notify";
}
