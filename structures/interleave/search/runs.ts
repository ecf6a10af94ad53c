import {
  type Lane,
  NOT_EQUAL,
  type Perform,
  TIMED_OUT,
  type Value,
  WAITING,
  WORD,
} from "../memory/access.ts";
import { explained } from "../memory/stand-in.ts";
import type { EventLoop } from "./event-loop.ts";
import { isSame, LIMITED, type Line, NO_TIME, resumption, type Step, UNLIMITED } from "./moments.ts";
import { type Part, type Program, ProgramError, type Self } from "./program.ts";

/** Ends the run of a thread. */
const CUT = new Error("cut by the explorer");

/** Asks for a part to be run until it is over, and returns what was found out so. */
export type Finding<Found> = Generator<Call, Found, void>;

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

/** How a part of a thread begins, and what it is answered. */
export interface Script {
  readonly thread: number;
  readonly part: number;
  /** When the part begins. */
  readonly notes: readonly number[];
  readonly lines: readonly ScriptLine[];
}

export interface ScriptLine extends Line {
  /** Whether the access may be made less often than `times`. */
  readonly isLoose?: boolean;
}

/**
 * Answers an access past the script, for at most `times` in a row; undefined ends the run. `notes` are all notes until
 * then; `unused` is how often more the access before would have been answered.
 */
export type Answer = (
  access: Step,
  notes: readonly number[],
  unused: number,
) => Pick<Line, "answer" | "times"> | undefined;

/** How a run ended. `notes` are all notes until then. */
export type Ending = { readonly notes: readonly number[]; readonly unused: number } & (
  | { readonly kind: "cut" }
  /** `next` is the part that comes after it. */
  | { readonly kind: "over"; readonly next: number }
  | { readonly kind: "thrown"; readonly error: unknown }
  /** It did not make the accesses of its script. */
  | { readonly kind: "strayed"; readonly access: Step | undefined }
);

/**
 * Runs the code of threads, with the answers of a script.
 *
 * Threads that return promises. A run is over when nothing of it is left to do before a macrotask. Code that waits for a
 * waiter then gets the answer that the script has next; so there is one run at a time, and it takes macrotasks. What is
 * asked for is wanted at once: `Pending` is thrown instead, and the caller asks again when that is settled.
 */
export class Runs<Shared> {
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
  /** Whether code is awaited; a number for each run; and what code of it threw that no other code of it awaits. */
  #isAwaiting = false;
  #run = 0;
  #dropped: { readonly error: unknown } | undefined;
  /** The run in progress, and how far it is in its script. */
  #lines: readonly ScriptLine[] = [];
  #at = 0;
  #past: Answer = () => undefined;
  #notes: number[] = [];
  #answers: Value[] = [];
  #isCut = false;
  #strayed: { readonly access: Step | undefined } | undefined;
  /** The access that is answered now, how often more, and whether it may be made less often. */
  #kind: Step["kind"] = "note";
  #word = 0;
  #lane = WORD;
  #operand: Value = 0;
  #other: Value = 0;
  #answer: Value = 0;
  #left = 0;
  #isLoose = false;

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

  get threads(): number {
    return this.#threads.length;
  }

  get hasObituary(): boolean {
    return this.#obituary !== undefined;
  }

  /** The obituary is one more part, after that number which means that all are done. */
  obituaryOf(thread: number): number {
    return this.#threads[thread]!.length + 1;
  }

  hasPart(thread: number, part: number): boolean {
    return this.#partOf(thread, part) !== undefined;
  }

  #partOf(thread: number, part: number): Part<Shared> | undefined {
    return part === this.obituaryOf(thread) ? this.#obituary : this.#threads[thread]![part];
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

  /** Runs a part of a thread, and those after it for as long as promises of it are left behind. */
  *run({ thread, part, notes, lines }: Script, past: Answer): Finding<Ending> {
    this.#lines = lines;
    this.#past = past;
    this.#at = 0;
    this.#left = 0;
    this.#isLoose = false;
    this.#isCut = false;
    this.#strayed = undefined;
    const noted = [...notes];
    this.#notes = noted;
    this.#answers = [];
    const note = (...results: number[]) => {
      this.#perform("note", -1, 0, 0, WORD);
      noted.push(...results.map((result) => result | 0));
    };
    const self: Self = { note, answers: this.#answers, thread };
    const ended = (
      ending: { kind: "cut" } | { kind: "over"; next: number } | { kind: "thrown"; error: unknown },
    ) => {
      const told = { notes: noted, unused: this.#left };
      if (this.#strayed !== undefined) return { ...told, kind: "strayed" as const, ...this.#strayed };
      const isShort = this.#at < lines.length || (this.#left > 0 && !this.#isLoose);
      if (isShort && ending.kind !== "cut") return { ...told, kind: "strayed" as const, access: undefined };
      return { ...told, ...ending };
    };
    let last = part;
    try {
      for (; ; last++) {
        const code = this.#partOf(thread, last)!;
        const hasNext = this.hasPart(thread, last + 1);
        yield { thread, part: () => code(this.#memory, self), hasNext };
        // What promises do that a part has left behind is found out with the next part.
        if (this.#waiters.size === 0) break;
      }
    } catch (error) {
      // On the way out of a cut a structure may throw, in a finally block.
      if (this.#isCut) return ended({ kind: "cut" });
      if (error instanceof ProgramError) throw error;
      return ended({ kind: "thrown", error: explained(error) });
    }
    return ended(this.#isCut ? { kind: "cut" } : { kind: "over", next: last + 1 });
  }

  /** What is found, at once. */
  now<Found>(key: string, finding: Finding<Found>): Found {
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
      if (waiter === undefined) this.#stray(undefined);
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
    if (this.#left > 0 && isKnown && operand === this.#operand && other === this.#other) {
      this.#left--;
      return this.#answer;
    }
    if (this.#isCut) throw CUT;
    const isWait = kind === "wait" || kind === "waitAsync";
    const access: Step = { kind, word, lane, operand, other: isWait ? limitOf(kind, other) : other };
    const line = this.#lineOf(access);
    this.#kind = kind;
    this.#word = word;
    this.#lane = lane;
    this.#operand = operand;
    this.#other = other;
    this.#answer = line.answer;
    this.#left = line.times - 1;
    this.#answers.push(line.answer);
    return line.answer;
  }

  /** How an access is answered that is not the one before again. */
  #lineOf(access: Step): Pick<Line, "answer" | "times"> {
    if (this.#left > 0 && !this.#isLoose) this.#stray(access);
    if (this.#at < this.#lines.length) {
      const line = this.#lines[this.#at]!;
      if (!isSame(access, line.access)) this.#stray(access);
      this.#at++;
      this.#isLoose = line.isLoose === true;
      return line;
    }
    const line = this.#past(access, this.#notes, this.#left);
    if (line === undefined) this.#cut();
    this.#isLoose = true;
    return line;
  }

  #stray(access: Step | undefined): never {
    this.#strayed = { access };
    return this.#cut();
  }

  #cut(): never {
    this.#isCut = true;
    throw CUT;
  }
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
