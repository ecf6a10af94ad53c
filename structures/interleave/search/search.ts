import { LONG, WORD } from "../memory/access.ts";
import { drawn, Priorities } from "./draws.ts";
import type { EventLoop } from "./event-loop.ts";
import { Machine } from "./machine.ts";
import {
  type Bounds,
  type Exploration,
  type Failure,
  type Found,
  type Program,
  ProgramError,
  type TracedStep,
  type Watcher,
} from "./program.ts";
import { Reduction } from "./reduction.ts";
import { Pending } from "./runs.ts";
import { type Choice, written } from "./schedule.ts";
import { isOver, type State } from "./state.ts";
import { StateGraph } from "./state-graph.ts";
import type { Threads } from "./threads.ts";
import * as weakly from "./weak.ts";

/** More states than these are a program that is too large, or never repeats itself. */
const MOST_STATES = 3_000_000;
/** Steps of a schedule at random that goes on for longer than any that makes progress should. */
const MOST_RANDOM_STEPS = 10_000;
/** States between two looks at the clock. */
const STATES_PER_LOOK = 256;
const MS_PER_PROGRESS = 1000;

/**
 * Visits the states of a program.
 *
 * How. The memory that a thread is given is a stand-in. While an exploration runs, the functions of `Atomics` recognize
 * stand-ins and pass other memory through. JavaScript cannot suspend a function. So a thread is run again for each
 * access. Earlier accesses return what they returned then, and the next one ends the run by an exception. What a thread
 * does next is a function of what its accesses returned; it is found out once for each such history and kept. Whatever
 * is private belongs in the thread's function: handles above all. This is how loom checks Rust (tokio-rs/loom), with
 * states that are stored and merged (Holzmann, SPIN) instead of schedules that are repeated.
 *
 * Which schedules. Every access, plain or atomic, is a step of its own. Accesses to words that only one thread uses, or
 * that no thread writes, join the step before: no thread can see the difference, unless this one may die. So do a thread's loads of words that
 * no other thread writes, unless `weak` is set. Such words are found by exploring. Memory is sequentially consistent,
 * as it is for Atomics, unless `weak` says otherwise of plain accesses.
 *
 * Where the ends are all that is asked for, most orders of steps that make no difference to each other are left out; see
 * reduction.ts. A watcher's `state`, `mortal`, `weak`, `preemptions` and `shortestFirst` have every state visited.
 *
 * Waiting. `wait` compares and falls asleep in one step; `notify` wakes the longest sleepers, as ECMAScript orders them
 * (25.4, WaiterList). A wait with a time limit may end at any moment.
 *
 * Spinning. A turn of a loop that a thread makes twice in a row, with the same answers, is made again and again. If the
 * thread leaves the loop by itself, it is followed turn by turn. Else it counts as endless: after the second turn the
 * thread is where it was after the first. Of a bounded loop that only looks, and more often than a few times, the first
 * looks and the last are followed. Both are tested: what comes after a loop has to come after more turns of it as well.
 * Where it does not, `unfollowed` says which thread counts its turns. loops.ts has the numbers. So what is not seen are
 * loops that end after more turns than are tried, and memories of a number of turns that is not tried.
 *
 * A state is the changed words, the sleepers in their order, and every thread's history. A thread may have several
 * parts; each remembers nothing of the earlier ones but the notes. Histories end there, and many states become one.
 */
export class Search<Shared> {
  readonly #machine: Machine<Shared>;
  readonly #bounds: Bounds;
  readonly #watcher: Watcher<Shared>;
  /** Whether a failure comes with its schedule. */
  readonly #shows: boolean;
  /** Whether threads may return promises. */
  readonly #isAsync: boolean;
  readonly #threads: number;
  /** Where not every order of steps has to be visited. */
  readonly #reduction: Reduction | undefined;
  readonly #unfollowed = new Set<string>();
  readonly #began = performance.now();
  #lastProgress = this.#began;

  constructor(
    program: Program<Shared>,
    watcher: Watcher<Shared>,
    bounds: Bounds,
    { shows = true, eventLoop }: { readonly shows?: boolean; readonly eventLoop?: EventLoop } = {},
  ) {
    this.#machine = new Machine(program, bounds, eventLoop);
    this.#watcher = watcher;
    this.#bounds = bounds;
    this.#shows = shows;
    this.#isAsync = eventLoop !== undefined;
    this.#threads = program.threads.length;
    if (isReducible(program, watcher, bounds) && !this.#isAsync)
      this.#reduction = new Reduction(program.threads.length);
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

  /** For Atomics.waitAsync, and for errors that no code handles. */
  get threads(): Pick<Threads<Shared>, "waitAsync" | "takes"> {
    return this.#machine.threads;
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
    const isFine = this.#machine.isFine;
    for (;;)
      try {
        return make();
      } catch (error) {
        if (!(error instanceof Pending)) throw error;
        this.#machine.isFine = isFine;
        yield error;
      }
  }

  /** Finds out all moments that follow this state. */
  *#foresee(state: State): Searching<void> {
    yield* this.#patiently(() => {
      for (const _ of this.#machine.following(state));
    });
  }

  #repeat(choices: readonly Choice[], watched = (state: State) => this.#watched(state)): Found {
    this.#machine.isFine = true;
    const steps: TracedStep[] = [];
    let state = this.#machine.first();
    const failed = () => watched(state);
    let failure = failed();
    for (const [at, choice] of choices.entries()) {
      if (failure !== undefined) break;
      const move = this.#machine.tried(state, choice);
      if (typeof move === "string")
        throw new ProgramError(`the schedule does not fit the program: at its step ${at + 1}, ${move}`);
      steps.push(move.step);
      state = move.state;
      failure = failed();
    }
    const isEnd = isOver(state);
    const isStuck =
      !isEnd &&
      failure === undefined &&
      !this.#leaves(state) &&
      this.#machine.following(state).next().done === true;
    if (isStuck) failure ??= { kind: "deadlock" };
    const counts = { states: steps.length + 1, ends: Number(isEnd), doomed: 0, deadlocks: Number(isStuck) };
    return {
      exploration: { ...counts, depth: steps.length, cut: "replay" },
      ...(failure === undefined ? {} : { failure: { ...failure, steps, schedule: written(choices) } }),
    };
  }

  /** Whether what was visited so far does not hold any more. */
  #hasLearnt(reduction: Reduction | undefined, reduced: number): boolean {
    const isMore = reduction?.learn(this.#machine.threads.moments) === true;
    return this.#machine.hasLearnt || (isMore && reduced > 0);
  }

  /** Undefined where it has learnt of another word that threads contend for: then all has to be visited anew. */
  *#visitAll(): Searching<Found | undefined> {
    this.#machine.hasLearnt = false;
    const { shortestFirst = false, maxStates = MOST_STATES, preemptions } = this.#bounds;
    const graph = new StateGraph();
    const ends: number[] = [];
    const stuck: number[] = [];
    let depth = 0;
    let next = 0;
    const open = [graph.numberOf(this.#machine.save(yield* this.#patiently(() => this.#machine.first())))];
    const left: number[] = [];
    const bounded = preemptions === undefined ? undefined : "preemptions";
    const sofar = (cut: Exploration["cut"] = bounded): Exploration => {
      const counts = { states: graph.size, ends: ends.length, doomed: 0, deadlocks: stuck.length, depth };
      return this.#told(counts, cut);
    };
    const reduction = this.#reduction;
    let reduced = 0;
    let visited = 0;
    for (;;) {
      const number = shortestFirst ? open[next++] : open.pop();
      if (number === undefined) break;
      if (++visited % STATES_PER_LOOK === 0 && this.#isTimeOver(sofar))
        return yield* this.#unlessStuck(graph, stuck, sofar("time"));
      const state = this.#machine.restore(graph.wordsOf(number));
      if (isOver(state)) ends.push(number);
      if (this.#leaves(state)) left.push(number);
      const broken = this.#watched(state);
      if (broken !== undefined)
        return { exploration: sofar(), failure: yield* this.#shownFailure(graph, number, broken) };
      if (this.#isAsync) yield* this.#foresee(state);
      const moves = [...this.#machine.following(state)];
      if (this.#hasLearnt(reduction, reduced)) return undefined;
      const enough = reduction?.enough(moves, state.moments) ?? moves;
      if (enough.length < moves.length) reduced++;
      for (const { state: after } of enough) {
        const { size } = graph;
        const reached = graph.numberOf(this.#machine.save(after));
        graph.step(number, reached);
        if (reached < size) continue;
        depth = Math.max(depth, graph.depthOf(reached));
        if (size === maxStates) return yield* this.#unlessStuck(graph, stuck, sofar("states"));
        open.push(reached);
      }
      if (moves.length === 0 && !isOver(state) && left.at(-1) !== number) stuck.push(number);
    }
    // What comes after a thread that was left may be an end.
    const canEnd = graph.reaching([...ends, ...left]);
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
  *#walk({ schedules, seed, depth }: NonNullable<Bounds["random"]>): Searching<Found> {
    const { maxStates = MOST_STATES } = this.#bounds;
    const random = drawn(seed);
    const priorities = depth === undefined ? undefined : new Priorities(this.#threads, depth, seed);
    const graph = new StateGraph();
    const counts = { ends: 0, deadlocks: 0, depth: 0 };
    const sofar = (cut: Exploration["cut"] = "random"): Exploration => {
      const { missed } = priorities ?? {};
      return this.#told(
        { states: graph.size, doomed: 0, ...counts, ...(missed !== undefined && { missed }) },
        cut,
      );
    };
    for (let schedule = 0; schedule < schedules; ) {
      this.#machine.hasLearnt = false;
      priorities?.begin();
      const way: Choice[] = [];
      let state = yield* this.#patiently(() => this.#machine.first());
      let saved = this.#machine.save(state);
      const shown = (broken: Broken) => this.#patiently(() => this.#accessByAccess(way, broken));
      const failed = function* (broken: Broken): Searching<Found> {
        return { exploration: sofar(), failure: yield* shown(broken) };
      };
      for (let taken = 0; ; taken++) {
        const { size } = graph;
        const number = graph.numberOf(saved);
        counts.depth = Math.max(counts.depth, taken);
        if (isOver(state) && number === size) counts.ends++;
        const broken = number === size ? this.#watched(state) : undefined;
        if (broken !== undefined) return yield* failed(broken);
        if (isOver(state) || this.#leaves(state) || taken === MOST_RANDOM_STEPS) break;
        if (taken % STATES_PER_LOOK === 0 && this.#isTimeOver(sofar)) return { exploration: sofar("time") };
        if (graph.size === maxStates) return { exploration: sofar("states") };
        if (this.#isAsync) yield* this.#foresee(state);
        const moves = [...this.#machine.following(state)];
        // Its steps so far joined accesses to that word: it begins anew.
        if (this.#machine.hasLearnt) break;
        if (moves.length === 0) {
          counts.deadlocks++;
          return yield* failed({ kind: "deadlock" });
        }
        // A thread that polls stays where it is.
        const away = moves.filter(({ state: after }) => !isSameNumbers(this.#machine.save(after), saved));
        if (away.length === 0) return yield* failed({ kind: "livelock" });
        const move = priorities?.chosen(away) ?? away[random.next().value % away.length]!;
        way.push(choiceOf(move));
        state = move.state;
        saved = this.#machine.save(state);
      }
      if (this.#machine.hasLearnt) continue;
      priorities?.end();
      schedule++;
    }
    return { exploration: sofar() };
  }

  /** Whether a thread was not followed any further there. */
  #leaves({ moments }: State): boolean {
    let isLeft = false;
    for (const { left } of moments) {
      if (left === undefined) continue;
      isLeft = true;
      this.#unfollowed.add(left);
    }
    return isLeft;
  }

  /** The counts, with what ended the exploration and what was not followed. */
  #told(counts: Exploration, cut: Exploration["cut"]): Exploration {
    const unfollowed = [...this.#unfollowed, ...this.#machine.threads.remembered];
    if (unfollowed.length === 0) return cut === undefined ? counts : { ...counts, cut };
    const isMore = cut === undefined || cut === "preemptions";
    return { ...counts, cut: isMore ? "turns" : cut, unfollowed };
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

  /** What is wrong with a state: a thread threw, or the watcher says so. */
  #watched(state: State): Broken | undefined {
    const { state: ofState, end, thrown } = this.#watcher;
    const thread = this.#machine.threads.haveThrown ? state.moments.findIndex((moment) => moment.thrown) : -1;
    if (thread >= 0) {
      const { error } = state.moments[thread]!.thrown!;
      if (thrown === undefined) return { kind: "thrown", error, thread };
      try {
        thrown.call(this.#watcher, error, thread);
      } catch (thrownByWatcher) {
        return { kind: "thrown", error: thrownByWatcher, thread };
      }
    }
    try {
      if (ofState !== undefined) ofState.call(this.#watcher, this.#machine.glimpse(state));
      if (end !== undefined && isOver(state)) end.call(this.#watcher, this.#machine.glimpse(state));
    } catch (error) {
      return { kind: "thrown", error };
    }
    return undefined;
  }

  /** A failure in a state, with the schedule that leads there. */
  *#shownFailure(graph: StateGraph, number: number, broken: Broken): Searching<Failure> {
    if (!this.#shows) return { ...broken, steps: [], schedule: "" };
    return yield* this.#patiently(() => this.#failureIn(graph, number, broken));
  }

  #failureIn(graph: StateGraph, number: number, broken: Broken): Failure {
    const way: Choice[] = [];
    const states = graph.wayTo(number);
    for (const [at, to] of states.entries()) {
      if (at === 0) continue;
      const from = this.#machine.restore(graph.wordsOf(states[at - 1]!));
      for (const move of this.#machine.following(from)) {
        if (!isSameNumbers(this.#machine.save(move.state), graph.wordsOf(to))) continue;
        way.push(choiceOf(move));
        break;
      }
    }
    return this.#accessByAccess(way, broken);
  }

  /** A failure at the end of this way, access by access. */
  #accessByAccess(way: readonly Choice[], broken: Broken): Failure {
    const steps: TracedStep[] = [];
    const choices: Choice[] = [];
    let state = this.#machine.first();
    for (const choice of way) {
      const target = this.#machine.moveOf(state, choice)?.state;
      if (target === undefined) throw new ProgramError(`thread ${choice.thread} did not repeat itself`);
      this.#machine.isFine = true;
      do {
        const fine = this.#fineOf(state, choice);
        const move = this.#machine.tried(state, fine);
        if (typeof move === "string") throw new ProgramError(`the program did not repeat itself: ${move}`);
        steps.push(move.step);
        choices.push(fine);
        state = move.state;
        for (const arrival of this.#arrivalsOf(state, move.step)) {
          steps.push(arrival.step);
          choices.push(arrival.choice);
          state = arrival.state;
        }
      } while (!this.#isThere(state, target));
      this.#machine.isFine = false;
    }
    return { ...broken, steps, schedule: written(choices) };
  }

  /** The next step of a thread on the way of a choice: only its access to a contended word may return an older value. */
  #fineOf(state: State, choice: Choice): Choice {
    if (choice.event !== "runs" || choice.nth === undefined) return choice;
    const next = state.moments[choice.thread]!.next!;
    if (next.kind === "read" && this.#machine.isContended(next)) return choice;
    return { thread: choice.thread, event: "runs" };
  }

  /** Where each access is a step, stores to words of one thread are kept back, too: they become visible at once. */
  *#arrivalsOf(from: State, { thread, event, access }: TracedStep) {
    if (from.weak === undefined || event !== "runs" || access?.kind !== "write") return;
    let state = from;
    const words = access.lane === LONG ? [access.word, access.word + 1] : [access.word];
    for (const word of words) {
      if (this.#machine.isContended({ word, lane: WORD })) continue;
      const at = weakly.firstOf(state.weak!, thread, word);
      const choice: Choice = { thread, event: "store arrives", nth: this.#nthArrival(state, at) };
      const move = this.#machine.tried(state, choice);
      if (typeof move === "string") throw new Error("a store did not become visible");
      yield { ...move, choice };
      ({ state } = move);
    }
  }

  #nthArrival({ weak }: State, at: number): number {
    return [...weakly.arrivable(weak!)].findIndex((one) => one.at === at);
  }

  /** Whether a state is that of a step made at once, older values aside: here more threads may still load them. */
  #isThere(state: State, target: State): boolean {
    const plain = ({ weak, ...rest }: State) =>
      weak === undefined ? rest : { ...rest, weak: { buffered: weak.buffered, older: [] } };
    return isSameNumbers(this.#machine.save(plain(state)), this.#machine.save(plain(target)));
  }
}

/**
 * Whether the ends are all that is asked for. Of states in between some are left out, and of preemptions, deaths, shortest
 * ways and weak accesses the reduction knows nothing.
 */
function isReducible<Shared>(
  { mortal }: Program<Shared>,
  { state }: Watcher<Shared>,
  bounds: Bounds,
): boolean {
  const { preemptions, weak = false, shortestFirst = false } = bounds;
  return state === undefined && mortal === undefined && preemptions === undefined && !weak && !shortestFirst;
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
