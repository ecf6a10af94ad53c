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
} from "./access.ts";
import type { EventLoop } from "./event-loop.ts";
import { type Words, wordsOf } from "./memory.ts";
import {
  type Bounds,
  type Exploration,
  type Failure,
  type Found,
  type Glimpse,
  type Program,
  ProgramError,
  type TracedAccess,
  type TracedStep,
  type Watcher,
} from "./program.ts";
import { type Choice, written } from "./schedule.ts";
import { drawn } from "./scrambled.ts";
import { StateGraph } from "./state-graph.ts";
import {
  type Alone,
  LIMITED,
  MOST_PLAIN_POLLS,
  type Moment,
  NO_TIME,
  Pending,
  resumption,
  type Step,
  Threads,
} from "./threads.ts";
import {
  addAsyncWaiter,
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

interface State {
  /** By slot: the words that some thread writes, as far as they were known and changed. */
  readonly values: number[];
  readonly moments: Moment[];
  /** The lists of waiters of all words; see waiters.ts. */
  readonly asleep: number[];
  /** Where preemptions are bounded: the thread that ran last, and how many there have been. */
  readonly last?: number;
  readonly preempted?: number;
  /** Where plain accesses are weak. */
  readonly weak?: weakly.Weak;
}

/** What one choice of a schedule leads to. */
interface Move extends Choice {
  readonly state: State;
}

/** More states than these are a program that is too large, or never repeats itself. */
const MOST_STATES = 3_000_000;
/** Steps of a schedule at random that goes on for longer than any that makes progress should. */
const MOST_RANDOM_STEPS = 10_000;
/** States between two looks at the clock. */
const STATES_PER_LOOK = 256;
const MS_PER_PROGRESS = 1000;

/** The states of a program. */
export class Search<Shared> {
  readonly #program: Program<Shared>;
  readonly #threads: Threads<Shared>;
  readonly #words: Words<Shared>;
  readonly #bounds: Bounds;
  readonly #watcher: Watcher<Shared>;
  /** Whether a failure comes with its schedule. */
  readonly #shows: boolean;
  /** Whether threads may return promises. */
  readonly #isAsync: boolean;
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
  /** Whether a word was found to be contended that had not been so far. */
  #hasLearnt = false;
  /** Whether each access is a step of its own, as where a schedule is shown or repeated. */
  #isFine = false;
  /** The access of the step that was made last, where `isFine`. */
  #traced: TracedAccess | undefined;
  /** How many values the plain load of the step made last may return, where plain accesses are weak. */
  #loadable = 1;
  /** The thread whose store is becoming visible. */
  #writer = -1;
  /** What glimpses show, and the words that it is made of. */
  #copy: ReturnType<Words<Shared>["copy"]> | undefined;
  readonly #shown: Int32Array;
  readonly #began = performance.now();
  #lastProgress = this.#began;

  constructor(
    program: Program<Shared>,
    watcher: Watcher<Shared>,
    bounds: Bounds,
    { shows = true, eventLoop }: { readonly shows?: boolean; readonly eventLoop?: EventLoop } = {},
  ) {
    const words = wordsOf(program.memory);
    const { length } = words;
    this.#shows = shows;
    this.#program = program;
    this.#words = words;
    this.#isAsync = eventLoop !== undefined;
    this.#threads = new Threads(program, words.standIns, eventLoop);
    this.#watcher = watcher;
    this.#bounds = bounds;
    this.#mortal = new Set([program.mortal ?? []].flat());
    this.#initial = words.initial;
    this.#shown = Int32Array.from(words.initial);
    this.#users = new Int32Array(length);
    this.#writers = new Int32Array(length);
    this.#contended = new Uint8Array(length);
    this.#plainReaders = new Int32Array(bounds.weak === true ? length : 0);
  }

  run(): Found {
    return atOnce(this.#run());
  }

  runAsync(): Promise<Found> {
    return settled(this.#run());
  }

  /** Follows one schedule, of choices that `written` wrote. */
  repeat(choices: readonly Choice[]): Found {
    return atOnce(this.#patiently(() => this.#repeat(choices)));
  }

  repeatAsync(choices: readonly Choice[]): Promise<Found> {
    return settled(this.#repeatWatched(choices));
  }

  /** A watcher sees each state once, so first all moments are found out. */
  *#repeatWatched(choices: readonly Choice[]): Searching<Found> {
    yield* this.#patiently(() => this.#repeat(choices, () => undefined));
    return this.#repeat(choices);
  }

  /** Who is asked by Atomics.waitAsync, and about errors that no code handles. */
  get threads(): Pick<Threads<Shared>, "waitAsync" | "takes"> {
    return this.#threads;
  }

  *#run(): Searching<Found> {
    if (this.#bounds.random !== undefined) return yield* this.#walk(this.#bounds.random);
    for (;;) {
      const found = yield* this.#visitAll();
      if (found !== undefined) return found;
    }
  }

  /** Does it again for as long as moments are missing. */
  *#patiently<Result>(make: () => Result): Searching<Result> {
    const isFine = this.#isFine;
    for (;;)
      try {
        return make();
      } catch (error) {
        if (!(error instanceof Pending)) throw error;
        this.#isFine = isFine;
        yield error;
      }
  }

  /** Finds out all moments that follow this state. */
  *#foresee(state: State): Searching<void> {
    yield* this.#patiently(() => {
      for (const _ of this.#following(state));
    });
  }

  #repeat(choices: readonly Choice[], watched = (state: State) => this.#watched(state)): Found {
    this.#isFine = true;
    const steps: TracedStep[] = [];
    let state = this.#first();
    const failed = () => watched(state);
    let failure = failed();
    for (const [at, choice] of choices.entries()) {
      if (failure !== undefined) break;
      const move = this.#tried(state, choice);
      if (typeof move === "string")
        throw new ProgramError(`the schedule does not fit the program: at its step ${at + 1}, ${move}`);
      steps.push(move.step);
      state = move.state;
      failure = failed();
    }
    const isEnd = isOver(state);
    const isStuck = !isEnd && failure === undefined && this.#following(state).next().done === true;
    if (isStuck) failure ??= { kind: "deadlock" };
    const counts = { states: steps.length + 1, ends: Number(isEnd), doomed: 0, deadlocks: Number(isStuck) };
    return {
      exploration: { ...counts, depth: steps.length, cut: "replay" },
      ...(failure === undefined ? {} : { failure: { ...failure, steps, schedule: written(choices) } }),
    };
  }

  /** Undefined where it has learnt of another word that threads contend for: then all has to be visited anew. */
  *#visitAll(): Searching<Found | undefined> {
    this.#hasLearnt = false;
    const { shortestFirst = false, maxStates = MOST_STATES, preemptions } = this.#bounds;
    const graph = new StateGraph();
    const ends: number[] = [];
    const stuck: number[] = [];
    let depth = 0;
    let next = 0;
    const open = [graph.numberOf(this.#save(yield* this.#patiently(() => this.#first())))];
    const bounded = preemptions === undefined ? undefined : "preemptions";
    const sofar = (cut: Exploration["cut"] = bounded): Exploration => {
      const counts = { states: graph.size, ends: ends.length, doomed: 0, deadlocks: stuck.length, depth };
      return cut === undefined ? counts : { ...counts, cut };
    };
    let visited = 0;
    for (;;) {
      const number = shortestFirst ? open[next++] : open.pop();
      if (number === undefined) break;
      if (++visited % STATES_PER_LOOK === 0 && this.#isTimeOver(sofar))
        return yield* this.#unlessStuck(graph, stuck, sofar("time"));
      const state = this.#restore(graph.wordsOf(number));
      if (isOver(state)) ends.push(number);
      const broken = this.#watched(state);
      if (broken !== undefined)
        return { exploration: sofar(), failure: yield* this.#shownFailure(graph, number, broken) };
      if (this.#isAsync) yield* this.#foresee(state);
      let moves = 0;
      for (const { state: after } of this.#following(state)) {
        if (this.#hasLearnt) return undefined;
        moves++;
        const { size } = graph;
        const reached = graph.numberOf(this.#save(after));
        graph.step(number, reached);
        if (reached < size) continue;
        depth = Math.max(depth, graph.depthOf(reached));
        if (size === maxStates) return yield* this.#unlessStuck(graph, stuck, sofar("states"));
        open.push(reached);
      }
      if (moves === 0 && !isOver(state)) stuck.push(number);
    }
    const canEnd = graph.reaching(ends);
    const doomed = canEnd.reduce((count, can) => count - can, graph.size);
    const exploration = { ...sofar(), doomed };
    if (stuck.length === 0 && doomed > 0 && preemptions === undefined)
      return {
        exploration,
        failure: yield* this.#shownFailure(graph, canEnd.indexOf(0), { kind: "livelock" }),
      };
    return yield* this.#unlessStuck(graph, stuck, exploration);
  }

  /** The first deadlock, if one was met, is a failure whatever ended the exploration. */
  *#unlessStuck(graph: StateGraph, stuck: readonly number[], exploration: Exploration): Searching<Found> {
    if (stuck.length === 0) return { exploration };
    const first = stuck.reduce((least, number) => Math.min(least, number));
    return { exploration, failure: yield* this.#shownFailure(graph, first, { kind: "deadlock" }) };
  }

  /** Schedules at random. */
  *#walk({ schedules, seed }: NonNullable<Bounds["random"]>): Searching<Found> {
    const { maxStates = MOST_STATES } = this.#bounds;
    const random = drawn(seed);
    const graph = new StateGraph();
    const counts = { ends: 0, deadlocks: 0, depth: 0 };
    const sofar = (cut: Exploration["cut"] = "random"): Exploration => {
      return { states: graph.size, doomed: 0, ...counts, ...(cut === undefined ? {} : { cut }) };
    };
    for (let schedule = 0; schedule < schedules; ) {
      this.#hasLearnt = false;
      const way: Choice[] = [];
      let state = yield* this.#patiently(() => this.#first());
      let saved = this.#save(state);
      const retold = (broken: Broken) => this.#patiently(() => this.#retold(way, broken));
      const failed = function* (broken: Broken): Searching<Found> {
        return { exploration: sofar(), failure: yield* retold(broken) };
      };
      for (let taken = 0; ; taken++) {
        const { size } = graph;
        const number = graph.numberOf(saved);
        counts.depth = Math.max(counts.depth, taken);
        if (isOver(state) && number === size) counts.ends++;
        const broken = number === size ? this.#watched(state) : undefined;
        if (broken !== undefined) return yield* failed(broken);
        if (isOver(state) || taken === MOST_RANDOM_STEPS) break;
        if (taken % STATES_PER_LOOK === 0 && this.#isTimeOver(sofar)) return { exploration: sofar("time") };
        if (graph.size === maxStates) return { exploration: sofar("states") };
        if (this.#isAsync) yield* this.#foresee(state);
        const moves = [...this.#following(state)];
        // Its steps so far joined accesses to that word: it begins anew.
        if (this.#hasLearnt) break;
        if (moves.length === 0) {
          counts.deadlocks++;
          return yield* failed({ kind: "deadlock" });
        }
        // A thread that polls stays where it is.
        const away = moves.filter(({ state: after }) => !isSameNumbers(this.#save(after), saved));
        if (away.length === 0) return yield* failed({ kind: "livelock" });
        const move = away[random.next().value % away.length]!;
        way.push(choiceOf(move));
        state = move.state;
        saved = this.#save(state);
      }
      if (!this.#hasLearnt) schedule++;
    }
    return { exploration: sofar() };
  }

  #isTimeOver(sofar: () => Exploration): boolean {
    const { timeLimitMs, progress } = this.#bounds;
    if (timeLimitMs === undefined && progress === undefined) return false;
    const now = performance.now();
    if (progress !== undefined && now - this.#lastProgress >= MS_PER_PROGRESS) {
      this.#lastProgress = now;
      progress(sofar());
    }
    return timeLimitMs !== undefined && now - this.#began >= timeLimitMs;
  }

  #first(): State {
    const first = { values: [], moments: this.#threads.first(), asleep: [] };
    return this.#bounds.weak === true ? { ...first, weak: weakly.strong() } : first;
  }

  /** What is wrong with a state: a thread threw, or the watcher says so. */
  #watched(state: State): Broken | undefined {
    const { state: ofState, end } = this.#watcher;
    const thread = this.#threads.haveThrown ? state.moments.findIndex(({ thrown }) => thrown) : -1;
    if (thread >= 0) return { kind: "thrown", error: state.moments[thread]!.thrown!.error, thread };
    try {
      if (ofState !== undefined) ofState.call(this.#watcher, this.#glimpse(state));
      if (end !== undefined && isOver(state)) end.call(this.#watcher, this.#glimpse(state));
    } catch (error) {
      return { kind: "thrown", error };
    }
    return undefined;
  }

  /** A failure in a state, with the schedule that leads there. */
  *#shownFailure(graph: StateGraph, number: number, broken: Broken): Searching<Failure> {
    if (!this.#shows) return { ...broken, steps: [], schedule: "" };
    return yield* this.#patiently(() => this.#told(graph, number, broken));
  }

  #told(graph: StateGraph, number: number, broken: Broken): Failure {
    const way: Choice[] = [];
    const states = graph.wayTo(number);
    for (const [at, to] of states.entries()) {
      if (at === 0) continue;
      const from = this.#restore(graph.wordsOf(states[at - 1]!));
      for (const move of this.#following(from)) {
        if (!isSameNumbers(this.#save(move.state), graph.wordsOf(to))) continue;
        way.push(choiceOf(move));
        break;
      }
    }
    return this.#retold(way, broken);
  }

  /** A failure at the end of this way, access by access. */
  #retold(way: readonly Choice[], broken: Broken): Failure {
    const steps: TracedStep[] = [];
    const choices: Choice[] = [];
    let state = this.#first();
    for (const choice of way) {
      const target = this.#moveOf(state, choice)?.state;
      if (target === undefined) throw new ProgramError(`thread ${choice.thread} did not repeat itself`);
      this.#isFine = true;
      do {
        const fine = this.#fineOf(state, choice);
        const move = this.#tried(state, fine);
        if (typeof move === "string") throw new ProgramError(`the program did not repeat itself: ${move}`);
        steps.push(move.step);
        choices.push(fine);
        state = move.state;
        const arrival = this.#arrivalOf(state, move.step);
        if (arrival === undefined) continue;
        steps.push(arrival.step);
        choices.push(arrival.choice);
        state = arrival.state;
      } while (!this.#isThere(state, target));
      this.#isFine = false;
    }
    return { ...broken, steps, schedule: written(choices) };
  }

  /** The next step of a thread on the way of a choice: only its access to a contended word may return an older value. */
  #fineOf(state: State, choice: Choice): Choice {
    if (choice.event !== "runs" || choice.nth === undefined) return choice;
    const next = state.moments[choice.thread]!.next!;
    if (next.kind === "read" && this.#isContended(next)) return choice;
    return { thread: choice.thread, event: "runs" };
  }

  /** Where each access is a step, stores to words of one thread are kept back, too: they become visible at once. */
  #arrivalOf(state: State, { thread, access }: TracedStep) {
    if (state.weak === undefined || access?.kind !== "write" || this.#isContended(access)) return undefined;
    const at = weakly.firstOf(state.weak, thread, access.word);
    const choice: Choice = { thread, event: "store arrives", nth: this.#nthArrival(state, at) };
    const move = this.#tried(state, choice);
    if (typeof move === "string") throw new Error("a store did not become visible");
    return { ...move, choice };
  }

  #nthArrival({ weak }: State, at: number): number {
    return [...weakly.arrivable(weak!)].findIndex((one) => one.at === at);
  }

  /** Whether a state is that of a step made at once, older values aside: here more threads may still load them. */
  #isThere(state: State, target: State): boolean {
    const plain = ({ weak, ...rest }: State) =>
      weak === undefined ? rest : { ...rest, weak: { buffered: weak.buffered, older: [] } };
    return isSameNumbers(this.#save(plain(state)), this.#save(plain(target)));
  }

  /** One step of a schedule that is shown; a sentence where the thread cannot make it. */
  #tried(from: State, choice: Choice): string | { readonly step: TracedStep; readonly state: State } {
    const { thread } = choice;
    this.#traced = undefined;
    const state = this.#moveOf(from, choice)?.state;
    if (state === undefined) return `thread ${thread} cannot do what it says`;
    const { notes } = state.moments[thread]!;
    const access = this.#traced as TracedAccess | undefined;
    return { step: { ...choice, notes, ...(access === undefined ? {} : { access }) }, state };
  }

  #moveOf(state: State, { thread, event, nth = 0 }: Choice): Move | undefined {
    for (const move of this.#following(state))
      if (move.thread === thread && move.event === event && (move.nth ?? 0) === nth) return move;
    return undefined;
  }

  *#following(state: State): Generator<Move> {
    const { last = 0, preempted = 0 } = state;
    const { preemptions } = this.#bounds;
    const canGoOn = state.moments[last]!.next !== undefined && !isAsleep(state, last);
    const counted = (after: State, thread: number, isPreempting: boolean): State =>
      preemptions === undefined
        ? after
        : { ...after, last: thread, preempted: preempted + Number(isPreempting) };
    for (const [thread, { next }] of state.moments.entries()) {
      if (next === undefined) continue;
      const isPreempting =
        preemptions !== undefined && canGoOn && last !== thread && state.last !== undefined;
      if (isPreempting && preempted === preemptions) continue;
      if (this.#mortal.has(thread) && !isDone(next) && !this.#threads.isStopped(state.moments[thread]!))
        yield { thread, event: "stops", state: this.#stop(state, thread) };
      if (!isAsleep(state, thread)) {
        const stepped = this.#step(state, thread, 0);
        yield { thread, event: "runs", state: counted(stepped, thread, isPreempting) };
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
    this.#put(state, word, lane, value);
    const access = { kind: "write", word, lane, operand: value, other: 0 } as const;
    if (this.#isFine) this.#trace(state, access, before, value);
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
    this.#toNote(state, thread, this.#threads.after(state.moments[thread]!, answer));
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
    state.moments[thread] = this.#threads.stopped(state.moments[thread]!);
    return state;
  }

  /** One access to a contended word, with the uncontended accesses before and after it; or up to a note. */
  #step(from: State, thread: number, nth: number): State {
    const state = copyOf(from);
    this.#loadable = 1;
    let hasActed = false;
    for (let accesses = 0; ; accesses++) {
      const moment = state.moments[thread]!;
      const { next: access, part } = moment;
      if (access === undefined) return state;
      if (access.kind === "note") {
        state.moments[thread] = this.#after(state, thread, 0);
        // Where each access is a step, what follows a note is another one: no result is told after its time.
        if (hasActed || this.#isFine) return state;
        continue;
      }
      if (access.kind === "resume") {
        this.#deliver(state, thread);
        if (state.moments[thread] === moment) return state;
        continue;
      }
      this.#learn(thread, access);
      const isAlone = !this.#isFine && this.#isUnseen(state, thread, access);
      if (!isAlone && hasActed) return state;
      if (!isAlone) hasActed = true;
      const before = this.#isFine ? this.#valueOf(state, access.word, access.lane) : 0;
      const answer =
        isAlone || state.weak === undefined
          ? this.#perform(state, thread, access)
          : this.#performWeakly(state, thread, access, nth);
      if (this.#isFine) this.#trace(state, access, before, answer);
      if (answer === undefined) return state;
      const after = this.#after(state, thread, answer);
      state.moments[thread] = after;
      if (this.#isFine && after.before === moment) this.#traced = { ...this.#traced!, times: after.times };
      // It spins on words that no other thread changes, as far as is known.
      if (isAlone && after.part === part && after.before !== moment) return state;
      if (accesses === MOST_PLAIN_POLLS)
        throw new ProgramError(`thread ${thread} goes on for ever by itself`);
    }
  }

  /** Whether no other thread can see the difference when this access joins the step before. */
  #isUnseen({ weak }: State, thread: number, access: Access): boolean {
    if (isOfWaiters(access)) return false;
    if (!this.#isContended(access)) return true;
    const { kind, word } = access;
    const writers = this.#writers[word]! | this.#writers[lastOf(access)]!;
    return weak === undefined && READS_ONLY.has(kind) && (writers & ~(1 << thread)) === 0;
  }

  #isContended(access: Pick<Access, "word" | "lane">): boolean {
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
      weakly.keepBack(weak, thread, word, lane, operand);
      weakly.forget(weak, thread, word);
      if (lane === LONG) weakly.forget(weak, thread, word + 1);
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
    this.#writer = thread;
    return this.#perform(state, thread, access);
  }

  /** Returns the answer, undefined where it falls asleep. */
  #perform(state: State, thread: number, access: Access): Value | undefined {
    const { kind, word, lane, operand, other } = access;
    const { asleep } = state;
    const old = this.#valueOf(state, word, lane);
    if (kind === "wait") {
      if (old !== operand) return NOT_EQUAL;
      asleep.push(sleeperOf(thread), word);
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
    this.#toNote(state, thread, this.#threads.after(state.moments[thread]!, answer));
  }

  /** Up to a note, as every step: others must see what it says. */
  #toNote(state: State, thread: number, woken: Moment): void {
    state.moments[thread] = woken.next?.kind === "note" ? this.#threads.after(woken, 0) : woken;
  }

  /** The moment of a thread after its access was answered so, with others as they are in this state. */
  #after(state: State, thread: number, answer: Value): Moment {
    const moment = state.moments[thread]!;
    return moment.after.get(answer) ?? this.#threads.after(moment, answer, this.#alone(state, thread));
  }

  #alone(state: State, thread: number): Alone | undefined {
    // Where a schedule is shown, a thread that throws does so at its turn.
    if (this.#isFine) return undefined;
    let copy: State | undefined;
    return (access) => {
      if (access.kind === "note") return 0;
      if (access.kind === "resume" || isOfWaiters(access)) return undefined;
      if (state.weak !== undefined && (access.kind === "read" || access.kind === "write")) return undefined;
      copy ??= copyOf(state);
      return this.#perform(copy, thread, access);
    };
  }

  #learn(thread: number, { kind, word, lane }: Access): void {
    this.#learnOf(thread, kind, word);
    if (lane === LONG) this.#learnOf(thread, kind, word + 1);
  }

  #learnOf(thread: number, kind: Access["kind"], word: number): void {
    if (kind === "read" && this.#bounds.weak === true && (this.#plainReaders[word]! & (1 << thread)) === 0) {
      this.#plainReaders[word]! |= 1 << thread;
      this.#hasLearnt ||= this.#contended[word] === 1;
    }
    this.#users[word]! |= 1 << thread;
    const users = this.#users[word]!;
    const writers = this.#writers[word]!;
    if (!READS_ONLY.has(kind)) this.#writers[word]! |= 1 << thread;
    const isContended = this.#writers[word] !== 0 && (users & (users - 1)) !== 0;
    // A second writer of a word: loads of the first were not steps of their own so far.
    if (!isContended || (this.#contended[word] === 1 && writers === this.#writers[word])) return;
    this.#contended[word] = 1;
    this.#hasLearnt = true;
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
    const readers = this.#isFine ? -1 : this.#plainReaders[word]!;
    for (let thread = 0; thread < this.#program.threads.length; thread++)
      if (thread !== this.#writer && (readers & (1 << thread)) !== 0)
        weakly.remember(weak, thread, word, old);
  }

  #glimpse(state: State): Glimpse<Shared> {
    const memory = () => {
      this.#copy ??= this.#words.copy();
      const { values } = state;
      for (let slot = 0; slot < values.length; slot++) this.#shown[this.#written[slot]!] = values[slot]!;
      this.#copy.write(this.#shown);
      for (let slot = 0; slot < values.length; slot++) {
        const word = this.#written[slot]!;
        this.#shown[word] = this.#initial[word]!;
      }
      return this.#copy.memory;
    };
    return {
      get memory() {
        return memory();
      },
      threads: state.moments.map(({ notes, rests, next }, thread) => ({
        notes,
        rests,
        done: isDone(next),
        isAsleep: !isDone(next) && isAsleep(state, thread) && !canWakeByItself(state, thread),
      })),
    };
  }

  /**
   * A state in numbers: how many values, the thread that ran last and its preemptions, where plain accesses are weak how
   * many numbers stand for stores kept back and for older values; then all these, moments, sleepers.
   */
  #save({ values, moments, asleep, last = -1, preempted = 0, weak }: State): number[] {
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

  #restore(saved: Int32Array): State {
    const [length, last, preempted] = [saved[0]!, saved[1]!, saved[2]!];
    let at = 3;
    const take = (count: number): number[] => {
      const numbers: number[] = [];
      for (const end = at + count; at < end; at++) numbers.push(saved[at]!);
      return numbers;
    };
    const [buffers = 0, olders = 0] = this.#bounds.weak === true ? take(2) : [];
    const values = take(length);
    const weak = { buffered: take(buffers), older: take(olders) };
    const moments = this.#program.threads.map(() => this.#threads.moments[saved[at++]!]!);
    const asleep = take(saved.length - at);
    const state = last < 0 ? { values, moments, asleep } : { values, moments, asleep, last, preempted };
    return this.#bounds.weak === true ? { ...state, weak } : state;
  }
}

/** A step without the state that it leads to. */
function choiceOf({ thread, event, nth }: Choice): Choice {
  return nth === undefined ? { thread, event } : { thread, event, nth };
}

type Broken = Pick<Failure, "kind" | "error" | "thread">;

function isSameNumbers(one: ArrayLike<number>, other: ArrayLike<number>): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return true;
}

function copyOf({ values, moments, asleep, weak }: State): State {
  const copy = { values: [...values], moments: [...moments], asleep: [...asleep] };
  return weak === undefined ? copy : { ...copy, weak: weakly.copyOfWeak(weak) };
}

/** Whether all threads are done, and nothing is left that will go on with promises they have left behind. */
function isOver({ asleep, moments, weak }: State): boolean {
  if (weak !== undefined && weak.buffered.length > 0) return false;
  return (
    moments.every(({ next }) => isDone(next)) &&
    asleep.every((_, at) => at % 2 === 1 || !(isTimed(asleep, at) || isNotified(asleep, at)))
  );
}

function isDone(next: Step | undefined): boolean {
  return next === undefined || (next.kind === "resume" && next.operand === 1);
}

/** Whether a thread can do nothing by itself: it sleeps, or awaits promises. */
function isAsleep({ asleep, moments }: State, thread: number): boolean {
  return moments[thread]!.next?.kind === "resume" || placeOf(asleep, sleeperOf(thread)) >= 0;
}

/** Whether a limit ends the wait of a thread that is asleep, or a promise is to be resolved. */
function canWakeByItself({ asleep, moments }: State, thread: number): boolean {
  const next = moments[thread]!.next!;
  if (next.kind !== "resume") return next.other === LIMITED;
  return asleep.some(
    (sleeper, at) =>
      at % 2 === 0 && threadOf(sleeper) === thread && (isTimed(asleep, at) || isNotified(asleep, at)),
  );
}

/** The last word that an access touches. */
function lastOf({ word, lane }: Pick<Access, "word" | "lane">): number {
  return lane === LONG ? word + 1 : word;
}

function isOfWaiters({ kind }: Access): boolean {
  return kind === "wait" || kind === "waitAsync" || kind === "notify";
}

/** A search, which has to wait where it yields. */
type Searching<Result> = Generator<Pending, Result, void>;

function atOnce<Result>(searching: Searching<Result>): Result {
  return searching.next().value as Result;
}

async function settled<Result>(searching: Searching<Result>): Promise<Result> {
  for (;;) {
    const { done, value } = searching.next();
    if (done === true) return value;
    await value.settle();
  }
}
