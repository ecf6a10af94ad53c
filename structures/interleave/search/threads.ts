import {
  type Access,
  changedIn,
  type Lane,
  NOT_EQUAL,
  OK,
  type Perform,
  TIMED_OUT,
  type Value,
  WAITING,
  WORD,
  WRITES_ONLY,
} from "../memory/access.ts";
import { explained } from "../memory/stand-in.ts";
import type { EventLoop } from "./event-loop.ts";
import { type Glimpse, type Part, type Program, ProgramError, type Self } from "./program.ts";

/**
 * What a thread does next: an access, a note, or a `resume`: it has nothing to do until a promise of Atomics.waitAsync is
 * resolved. Of a wait, `other` is one of the limits below. Of a resume, `operand` is 1 if the thread is done but for
 * what it does with promises that it has left behind, else 0.
 */
export type Step = Access | NoAccess<"note"> | NoAccess<"resume">;
type NoAccess<Kind> = Omit<Access, "kind"> & { readonly kind: Kind };

/** Whether a wait has a limit, and whether it is 0 ms for a waitAsync. */
const UNLIMITED = 0;
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
  /** The access that comes next; undefined where the thread is done. */
  readonly next: Step | undefined;
  readonly notes: readonly number[];
  readonly rests: boolean;
  /** What its code threw here. */
  readonly thrown: { readonly error: unknown } | undefined;
  readonly after: Map<Value, Moment>;
  /** What a watcher sees of the thread here, unless it sleeps. */
  seen: Glimpse<unknown>["threads"][number] | undefined;
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

/** Accesses that a run finds out at once, at most: a thread may go on for ever. */
const MOST_AHEAD = 1_000;

/** Accesses that a spinning thread repeats, at most. */
const LONGEST_SPIN = 10;
/** Turns of a spin of several accesses after the first two, after which it counts as unbounded. */
const MOST_TURNS = 8;

/** Asks for a part to be run until it is over, and returns what was found out so. */
type Finding<Found> = Generator<Call, Found, void>;

interface Call {
  readonly thread: number;
  readonly part: () => unknown;
  /** Whether the same run goes on with another part, even though this one has left promises behind. */
  readonly hasNext: boolean;
}

/** Thrown where threads return promises, and a moment has to be found out first. */
export class Pending {
  /** Finds it out. Never rejects. */
  readonly settle: () => Promise<void>;

  constructor(settle: () => Promise<void>) {
    this.settle = settle;
  }
}

/** A promise of Atomics.waitAsync. */
interface Waiter {
  readonly promise: Promise<string>;
  readonly resolve: (ended: "ok" | "timed-out") => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * What the threads do, found out by running them.
 *
 * Threads that return promises. A run is over when nothing of it is left to do before a macrotask. Code that waits for a
 * waiter then gets the answer that the history has next; so there is one run at a time, and it takes macrotasks. What is
 * asked for here is wanted at once: `Pending` is thrown instead, and the caller asks again when that is settled.
 */
export class Threads<Shared> {
  readonly moments: Moment[] = [];
  readonly #threads: Program<Shared>["threads"];
  readonly #obituary: Part<Shared> | undefined;
  readonly #standIns: (perform: Perform) => Shared;
  #memory: Shared;
  /** Given if threads may return promises. */
  readonly #eventLoop: EventLoop | undefined;
  /** Where threads return promises, what they threw. */
  readonly #thrown = new Map<string, { readonly error: unknown }>();
  /** Promises of the run in progress that are not resolved, by number. */
  readonly #waiters = new Map<number, Waiter>();
  /** Whether some code has thrown. */
  haveThrown = false;
  /** Whether code is awaited; a number for each run; and what code of it threw that no other code of it awaits. */
  #isAwaiting = false;
  #run = 0;
  #dropped: { readonly error: unknown } | undefined;
  /** First moments of parts, and last ones of threads, by what they remember. */
  readonly #known = new Map<string, Moment>();
  /** The run in progress: whose it is, its history, and how far it is in it. */
  #thread = 0;
  #part = 0;
  #history: Moment[] = [];
  /** Accesses of the history that the run began with. */
  #begun = 0;
  #at = 0;
  #lastAnswer: Value = 0;
  #isPolling = false;
  #alone: Alone | undefined;
  #turn: readonly Turn[] | undefined;
  #turned = 0;
  /** The access that is answered now, and how often more. */
  #kind: Step["kind"] = "note";
  #word = 0;
  #lane = WORD;
  #operand: Value = 0;
  #answer: Value = 0;
  #left = 0;
  /** The first moment after the history. */
  #found: Moment | undefined;
  #isCut = false;
  #notes: number[] = [];
  #answers: Value[] = [];

  /** `standIns` makes the memory that the threads are given. */
  constructor(
    { threads, obituary }: Program<Shared>,
    standIns: (perform: Perform) => Shared,
    eventLoop?: EventLoop,
  ) {
    this.#threads = threads;
    this.#obituary = obituary;
    this.#standIns = standIns;
    this.#eventLoop = eventLoop;
    this.#memory = standIns((kind, word, operand = 0, other = 0, lane = WORD) =>
      this.#perform(kind, word, operand, other, lane),
    );
  }

  /** Atomics.waitAsync. */
  waitAsync(word: number, lane: Lane, expected: Value, limitMs: number): unknown {
    const answer = this.#perform("waitAsync", word, expected, limitMs, lane) as number;
    if (answer === NOT_EQUAL) return { async: false, value: "not-equal" };
    if (answer === TIMED_OUT) return { async: false, value: "timed-out" };
    const waiter = newWaiter();
    this.#waiters.set(answer - WAITING, waiter);
    return { async: true, value: waiter.promise };
  }

  /** Whether an error that no code handles is one of the run's. */
  takes(error: unknown): boolean {
    if (error === CUT) return true;
    // On the way out of a cut code may throw something else.
    if (this.#isAwaiting && !this.#isCut) this.#dropped ??= { error };
    return this.#isAwaiting;
  }

  first(): Moment[] {
    return this.#threads.map((_, thread) => this.#beginning(thread, 0, []));
  }

  /** The moment after a thread has stopped for ever. Where no thread learns of it, nothing is left of the thread. */
  stopped({ thread, notes }: Moment): Moment {
    return this.#beginning(thread, this.#obituaryOf(thread), this.#obituary === undefined ? [] : notes);
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
  after(moment: Moment, answer: Value, alone?: Alone): Moment {
    return (
      moment.after.get(answer) ??
      this.#now(`${moment.id} ${answer} ${alone === undefined}`, this.#follow(moment, answer, alone))
    );
  }

  *#follow(moment: Moment, answer: Value, alone: Alone | undefined): Finding<Moment> {
    const history = historyOf(moment);
    const run = { ...moment, history, answer };
    const next = (yield* this.#execute({ ...run, ...(alone === undefined ? {} : { alone }) }))!;
    const spin =
      next.before === moment && next.next !== undefined ? spinOf(moment, answer, next.next) : undefined;
    let found = spin;
    if (spin === moment) found = (yield* this.#execute({ ...run, isPolling: true })) ?? this.#polled(moment);
    else if (spin !== undefined && !(yield* this.#turnsAgain({ ...run, turn: turnOf(spin, moment, answer) })))
      found = undefined;
    moment.after.set(answer, found ?? next);
    return found ?? next;
  }

  /** Whether a thread that seems to spin goes on with it. Else it only does the same a few times in a row. */
  *#turnsAgain(run: Run & { readonly turn: readonly Turn[] }): Finding<boolean> {
    yield* this.#execute(run);
    return this.#turned === MOST_TURNS * run.turn.length;
  }

  #polled(moment: Moment): Moment {
    if (moment.next!.kind !== "read") return moment;
    throw new ProgramError(
      `thread ${moment.thread} polls word ${moment.next!.word} plainly and without bound`,
    );
  }

  #beginning(thread: number, part: number, notes: readonly number[]): Moment {
    const key = `${thread} ${part} ${notes}`;
    return this.#known.get(key) ?? this.#now(key, this.#begin(thread, part, notes));
  }

  *#begin(thread: number, part: number, notes: readonly number[]): Finding<Moment> {
    const key = `${thread} ${part} ${notes}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const isDone = this.#partOf(thread, part) === undefined;
    const first = isDone
      ? this.#add({ thread, part, notes, rests: true })
      : (yield* this.#execute({ thread, part, notes, history: [], answer: 0 }))!;
    this.#known.set(key, first);
    return first;
  }

  /** Runs a part of a thread to the access after its history, or past its polls; undefined where it polls for ever. */
  *#execute(run: Run): Finding<Moment | undefined> {
    const { thread, part, history, answer, isPolling = false, alone, turn } = run;
    this.#history = history;
    this.#begun = history.length;
    this.#at = 0;
    this.#lastAnswer = answer;
    this.#isPolling = isPolling;
    this.#left = 0;
    this.#isCut = false;
    this.#found = undefined;
    this.#alone = alone;
    this.#turn = turn;
    this.#turned = 0;
    this.#notes = [...(history[0] ?? run).notes];
    this.#answers = [];
    const note = (...results: number[]) => {
      this.#perform("note", -1, 0, 0, WORD);
      this.#notes.push(...results.map((result) => result | 0));
    };
    this.#thread = thread;
    this.#part = part;
    const self: Self = { note, answers: this.#answers, thread };
    let last = part;
    try {
      for (; ; last++) {
        const code = this.#partOf(thread, last)!;
        const hasNext = this.#partOf(thread, last + 1) !== undefined;
        yield { thread, part: () => code(this.#memory, self), hasNext };
        // What promises do that a part has left behind is found out with the next part.
        if (this.#waiters.size === 0) break;
      }
    } catch (error) {
      // On the way out of a cut a structure may throw, in a finally block.
      if (this.#isCut || turn !== undefined) return this.#found;
      if (error instanceof ProgramError) throw error;
      this.#refuseOmission();
      return this.#threw(explained(error));
    }
    if (turn !== undefined) return undefined;
    this.#refuseOmission();
    const found = this.#found;
    const lastMoment = this.#history.at(-1);
    const lastAnswer = this.#lastAnswer;
    const end = yield* this.#begin(thread, last + 1, this.#notes);
    if (found === undefined) return end;
    lastMoment!.after.set(lastAnswer, end);
    return found;
  }

  #refuseOmission(): void {
    if (this.#at < this.#history.length || (this.#left > 0 && !this.#isPolling))
      throw new ProgramError(
        `thread ${this.#thread} did not repeat itself: it did not make the accesses that it made before`,
      );
  }

  /** The first moment that was found, of a run that ends by an error. */
  #threw(error: unknown): Moment {
    this.haveThrown = true;
    const last = this.#history.at(-1);
    const hasPolled = this.#isPolling && this.#at === this.#history.length;
    const moment = this.#add({
      thread: this.#thread,
      part: this.#part,
      before: last,
      answer: this.#lastAnswer,
      times: hasPolled ? mostPolls(this.#kind) - this.#left : 1,
      notes: [...this.#notes],
      rests: false,
      thrown: { error },
    });
    if (this.#found === undefined) return moment;
    last!.after.set(this.#lastAnswer, moment);
    return this.#found;
  }

  /** What is found, at once. */
  #now<Found>(key: string, finding: Finding<Found>): Found {
    if (this.#eventLoop !== undefined) {
      const thrown = this.#thrown.get(key);
      if (thrown !== undefined) throw thrown.error;
      throw new Pending(() => this.#settle(key, finding));
    }
    let asked = finding.next();
    while (asked.done !== true) {
      const { thread, part } = asked.value;
      let returned: unknown;
      try {
        returned = part();
      } catch (error) {
        asked = finding.throw(error);
        continue;
      }
      refusePromise(thread, returned);
      asked = finding.next();
    }
    return asked.value;
  }

  async #settle(key: string, finding: Finding<unknown>): Promise<void> {
    try {
      let asked = finding.next();
      while (asked.done !== true) {
        const thrown = await this.#call(asked.value);
        asked = thrown === undefined ? finding.next() : finding.throw(thrown.error);
      }
    } catch (error) {
      this.#thrown.set(key, { error });
    }
  }

  /** Runs a part until it is over. Returns what it threw. */
  async #call(call: Call): Promise<{ readonly error: unknown } | undefined> {
    // What a part has left behind keeps the memory that it got.
    if (this.#waiters.size === 0) this.#memory = this.#standIns(this.#performOf(this.#run));
    this.#dropped = undefined;
    this.#isAwaiting = true;
    try {
      await this.#untilOver(call);
      return undefined;
    } catch (error) {
      const wasCut = this.#isCut;
      await this.#abandon();
      this.#isCut = wasCut;
      return { error };
    } finally {
      this.#isAwaiting = false;
      if (this.#waiters.size === 0) this.#run++;
    }
  }

  async #untilOver({ thread, part, hasNext }: Call): Promise<void> {
    let ended: { readonly error?: unknown } | undefined;
    Promise.resolve(part()).then(
      () => {
        ended = {};
      },
      (error) => {
        ended = { error };
      },
    );
    for (;;) {
      await this.#eventLoop!.idle();
      if (this.#isCut) throw CUT;
      const thrown = this.#dropped ?? ended;
      if (thrown !== undefined && "error" in thrown) throw thrown.error;
      const isDone = ended !== undefined;
      if (isDone && (hasNext || this.#waiters.size === 0)) return;
      if (this.#waiters.size === 0) throw new ProgramError(`thread ${thread} ${IS_ELSEWHERE}`);
      const answer = this.#perform("resume", -1, Number(isDone), 0, WORD) as number;
      const number = answer >> 1;
      const waiter = this.#waiters.get(number);
      if (waiter === undefined)
        throw new ProgramError(`thread ${thread} did not repeat itself: it did not wait as it did before`);
      this.#waiters.delete(number);
      waiter.resolve(answer === resumption(number, true) ? "timed-out" : "ok");
    }
  }

  /** Ends all code of a run. Its `finally` blocks run, so that it leaves no timers behind. */
  async #abandon(): Promise<void> {
    this.#isCut = true;
    for (const { promise, reject } of this.#waiters.values()) {
      promise.catch(() => {});
      reject(CUT);
    }
    this.#waiters.clear();
    await this.#eventLoop!.idle();
  }

  #performOf(run: number): Perform {
    return (kind, word, operand = 0, other = 0, lane = WORD) => {
      if (run !== this.#run)
        throw new ProgramError("code of an explored thread went on after its run: it awaited a timer or I/O");
      return this.#perform(kind, word, operand, other, lane);
    };
  }

  #perform(kind: Step["kind"], word: number, operand: Value, other: Value, lane: Lane): Value {
    // Before all else, because it is called once for each of many thousand polls.
    const isKnown = kind === this.#kind && word === this.#word && lane === this.#lane;
    if (this.#left > 0 && isKnown && operand === this.#operand) {
      this.#left--;
      return this.#answer;
    }
    if (this.#isCut) throw CUT;
    const access: Step = {
      kind,
      word,
      lane,
      operand,
      other: kind === "wait" || kind === "waitAsync" ? limitOf(kind, other) : other,
    };
    if (this.#left > 0) {
      if (this.#turned > 0) this.#cut();
      const polled = this.#history.at(-1)!.next!;
      if (!this.#isPolling || this.#at < this.#history.length || isSame(access, polled))
        throw new ProgramError(
          `thread ${this.#thread} did not repeat itself: it made another access than before, ${kind} of word ${word}`,
        );
      this.#find(access, mostPolls(polled.kind) - this.#left);
      return this.#cut();
    }
    if (this.#at === this.#history.length) {
      if (this.#turn !== undefined) return this.#answerTurn(this.#turn, access);
      this.#goOn(access);
    }
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
    const isFarAhead = this.#history.length - this.#begun > MOST_AHEAD;
    const answer = isSpinning || isFarAhead ? undefined : this.#alone?.(access);
    if (answer === undefined) this.#cut();
    this.#history.push(found);
    this.#lastAnswer = answer;
  }

  /** The answer of the turn before, for as long as the thread does what it did then. */
  #answerTurn(turn: readonly Turn[], access: Step): Value {
    const expected = turn[this.#turned % turn.length]!;
    if (this.#turned === MOST_TURNS * turn.length || !isSame(access, expected.access)) this.#cut();
    this.#turned++;
    this.#kind = access.kind;
    this.#word = access.word;
    this.#lane = access.lane;
    this.#operand = access.operand;
    this.#answer = expected.answer;
    this.#left = expected.times - 1;
    this.#answers.push(expected.answer);
    return expected.answer;
  }

  /** Takes the next access of the history as the one that is answered now, as often as it was made there. */
  #answerNext(kind: Step["kind"]): void {
    const moment = this.#history[this.#at++]!;
    const isLast = this.#at === this.#history.length;
    this.#kind = moment.next!.kind;
    this.#word = moment.next!.word;
    this.#lane = moment.next!.lane;
    this.#operand = moment.next!.operand;
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
      thrown: undefined,
      seen: undefined,
      after: new Map<Value, Moment>(),
      ...moment,
      id: this.moments.length,
    };
    this.moments.push(added);
    return added;
  }
}

/** How to run a part of a thread. */
interface Run {
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
  /** What is to be seen again and again after the history. */
  readonly turn?: readonly Turn[];
}

/** One access of a spin, its answer, and how often it is made in a row. */
interface Turn {
  readonly access: Step;
  readonly answer: Value;
  readonly times: number;
}

/** The accesses from a moment to the answer of a later one. */
function turnOf(from: Moment, to: Moment, answer: Value): Turn[] {
  const turn: Turn[] = [{ access: to.next!, answer, times: 1 }];
  for (let at = to; at !== from; at = at.before!)
    turn.unshift({ access: at.before!.next!, answer: at.answer, times: at.times });
  return turn;
}

/** What an Error says of a thread that cannot go on by itself. */
const IS_ELSEWHERE =
  "waits for something that is not explored, such as a timer or I/O: let it await Atomics.waitAsync only";

function newWaiter(): Waiter {
  let settle: Omit<Waiter, "promise">;
  const promise = new Promise<string>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...settle! };
}

function limitOf(kind: "wait" | "waitAsync", limitMs: Value): number {
  if (limitMs === Number.POSITIVE_INFINITY) return UNLIMITED;
  return kind === "waitAsync" && limitMs === 0 ? NO_TIME : LIMITED;
}

function refusePromise(thread: number, returned: unknown): void {
  if (typeof (returned as PromiseLike<unknown> | undefined)?.then !== "function") return;
  (returned as PromiseLike<unknown>).then(undefined, () => {});
  throw new ProgramError(`thread ${thread} returned a promise: use exploreAsync, searchAsync or checkAsync`);
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
  // A waiter that was added counts as idle, as only its end by time leaves all as it was.
  if (access.kind === "waitAsync") return true;
  if (access.kind === "resume") return (answer as number) % 2 === 1;
  if (access.kind === "notify") return answer === 0;
  if (access.kind === "note" || WRITES_ONLY.has(access.kind)) return false;
  return changedIn(access.lane, answer, access.kind, access.operand, access.other) === answer;
}
