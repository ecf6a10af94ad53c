/**
 * Small programs, drawn at random, as data that a second interpreter reads and as functions that the explorer runs.
 */
import { drawn } from "./draws.ts";

/** A thread is its parts, a part its statements, a statement its instructions. */
export type Thread = readonly Part[];
type Part = readonly Statement[];
export type Statement = readonly Instruction[];
export type Instruction = ProgramAccess | { readonly op: "note" } | Repeat;

/** Keeps its answer in the thread's register. */
export interface ProgramAccess {
  readonly op: (typeof CHANGES)[number] | "load" | "read" | "write" | "compareExchange" | "wait" | "notify";
  /** The elements that it is made to, and the index among them. */
  readonly view: View;
  readonly at: number;
  /** What is stored, added, expected by a `wait` or compared; of a `notify` how many it wakes at most. */
  readonly value: number;
  /** Of a `compareExchange` what comes instead; of a `wait` its limit in ms. */
  readonly other: number;
  /** Whether the register's old content is added to both values. */
  readonly adds: boolean;
  /** Whether the answer is put behind those that the register has already, instead of into their place. */
  readonly gathers: boolean;
}

export type View = "Int32" | "Uint32" | "Int16" | "Uint16" | "Int8" | "Uint8" | "BigInt64";

/** Goes `back` instructions unless the register is `until`, at most `turns` times. Keeps their number if `counts`. */
export interface Repeat {
  readonly op: "repeat";
  readonly back: number;
  readonly until: number | undefined;
  readonly turns: number;
  readonly counts: boolean;
}

const CHANGES = ["store", "exchange", "add", "sub", "and", "or", "xor"] as const;
export const WAITED: readonly string[] = ["ok", "not-equal", "timed-out"];
export const WORDS = 2;

/** An end or a deadlock in a word. */
export const outcomeOf = (
  words: Iterable<number>,
  threads: readonly { readonly notes: readonly number[]; readonly done: boolean }[],
): string =>
  [[...words].join(), ...threads.map(({ notes, done }) => notes.join() + (done ? "" : "..."))].join(" | ");

const WIDTHS = { Int32: 4, Uint32: 4, Int16: 2, Uint16: 2, Int8: 1, Uint8: 1, BigInt64: 8 } as const;
export const byteOf = ({ view, at }: ProgramAccess): number => at * WIDTHS[view];

/** Makes an access that neither sleeps nor wakes, and returns its answer. */
export function performed(
  words: Int32Array,
  { op, view, at, value, other }: ProgramAccess,
  shift: number,
): number {
  const elements = viewOf(words, view);
  const operand = elementOf(view, value + shift);
  switch (op) {
    case "read":
      return numberOf(elements[at]!);
    case "write":
      elements[at] = operand;
      return numberOf(operand);
    case "load":
      return numberOf(Atomics.load(elements, at));
    case "compareExchange":
      return numberOf(Atomics.compareExchange(elements, at, operand, elementOf(view, other + shift)));
    case "wait":
    case "notify":
      throw new Error(`${op} is no such access`);
    default:
      return numberOf(Atomics[op](elements, at, operand));
  }
}

/** Looked up when it is called: an exploration replaces the constructors. All have the type of one. */
function viewOf({ buffer }: Int32Array, view: View): Int32Array {
  const Elements = globalThis[`${view}Array`] as unknown as typeof Int32Array;
  return new Elements(buffer);
}

/** In 64 bits a value is in both halves. */
const elementOf = (view: View, value: number): number =>
  view === "BigInt64" ? ((BigInt(value) * (2n ** 32n + 1n)) as unknown as number) : value;

/** Whether an element has a value. */
export const holds = (words: Int32Array, { view, at }: ProgramAccess, value: number): boolean =>
  viewOf(words, view)[at] === elementOf(view, value);

/** An element's value, or one number for both halves: the value if they are equal. */
function numberOf(element: number | bigint): number {
  if (typeof element === "number") return element | 0;
  const [high, low] = [Number(BigInt.asIntN(32, element >> 32n)), Number(BigInt.asIntN(32, element))];
  return (low + 1000 * (low - high)) | 0;
}

export const gathered = ({ gathers }: ProgramAccess, register: number, answer: number): number =>
  gathers ? (Math.imul(register, 10) + answer) | 0 : answer;

type Note = { readonly note: (...results: number[]) => void };

/** The same part as a function for `explore`. */
export const functionOf =
  (part: Part) =>
  (words: Int32Array, self: Note): void => {
    const running = run(part, words, self);
    for (let next = running.next(); next.done !== true; ) {
      const [elements, at, expected, limitMs] = next.value;
      next = running.next(Atomics.wait(elements, at, expected, limitMs));
    }
  };

/** The same for `exploreAsync`: it does not block. */
export const asyncFunctionOf =
  (part: Part) =>
  async (words: Int32Array, self: Note): Promise<void> => {
    const running = run(part, words, self);
    for (let next = running.next(); next.done !== true; ) {
      const [elements, at, expected, limitMs] = next.value;
      next = running.next(await Atomics.waitAsync(elements, at, expected, limitMs).value);
    }
  };

/** Yields what is to be waited for. */
type Running = Generator<[elements: Int32Array, at: number, expected: number, limitMs: number], void, string>;

function* run(part: Part, words: Int32Array, { note }: Note): Running {
  const instructions = part.flat();
  let register = 0;
  const turns: Record<number, number> = {};
  for (let at = 0; at < instructions.length; at++) {
    const one = instructions[at]!;
    if (one.op === "note") note(register);
    else if (one.op === "repeat") {
      turns[at] = (turns[at] ?? 0) + 1;
      if (register === one.until || turns[at] === one.turns) {
        if (one.counts) register = turns[at]!;
        turns[at] = 0;
      } else at -= one.back + 1;
    } else {
      const shift = one.adds ? register : 0;
      const elements = viewOf(words, one.view);
      let answer: number;
      if (one.op === "notify") answer = Atomics.notify(elements, one.at, one.value);
      else if (one.op !== "wait") answer = performed(words, one, shift);
      else
        answer = WAITED.indexOf(
          yield [elements, one.at, elementOf(one.view, (one.value + shift) | 0), one.other],
        );
      register = gathered(one, register, answer);
    }
  }
}

/** A program in few words, a thread a line. */
export const shownProgram = (threads: readonly Thread[]): string =>
  threads
    .map((parts) => parts.map((part) => part.flat().map(shownInstruction).join(", ")).join("; then "))
    .join("\n");

function shownInstruction(one: Instruction): string {
  if (one.op === "note") return "note";
  if (one.op === "repeat")
    return `back ${one.back} unless ${one.until}, ${one.turns} turns${one.counts ? ", count" : ""}`;
  const { op, view, at, value, other, adds, gathers } = one;
  return `${op} ${view}(${at}, ${value}, ${other})${adds ? " + register" : ""}${gathers ? ", gather" : ""}`;
}

/** A program at random: two threads, or three shorter ones. The same seed gives the same program. */
export function drawnProgram(seed: number, wishes: Partial<Wishes> = {}): Thread[] {
  return new Drawing(seed, wishes).program();
}

/** What a program may have, which none has by default. */
interface Wishes {
  readonly isUnbounded: boolean;
  readonly isPlain: boolean;
  readonly hasParts: boolean;
  readonly isSleepy: boolean;
}

const NOTE: Instruction = { op: "note" };

class Drawing {
  readonly #numbers: ReturnType<typeof drawn>;
  readonly #wishes: Partial<Wishes>;
  readonly #words: number;
  /** Values are below this. */
  readonly #values: number;

  constructor(seed: number, wishes: Partial<Wishes>) {
    this.#numbers = drawn(seed);
    this.#wishes = wishes;
    this.#words = this.#pick(1, WORDS);
    this.#values = this.#pick(2, 3);
  }

  program(): Thread[] {
    const count = this.#wishes.isSleepy ? 3 : this.#pick(2, 2, 3);
    const most = count === 2 ? 4 : 2;
    return Array.from({ length: count }, () =>
      this.#below(5) === 0 ? [this.#statements(most - 1), this.#statements(1)] : [this.#statements(most)],
    );
  }

  /** One after the other, or several times. */
  #statements(most: number): Statement[] {
    const made = Array.from({ length: 1 + this.#below(most) }, () => this.#statement());
    const all = made.flat();
    if (this.#below(5) > 0) return made;
    return [
      [
        ...all,
        this.#repeat(all.length, this.#pick(undefined, this.#below(this.#values)), this.#pick(2, 2, 3)),
      ],
    ];
  }

  #statement(): Statement {
    const { isPlain = false, isSleepy = false } = this.#wishes;
    const noted = (op: ProgramAccess["op"], adds?: boolean) => this.#noted(this.#access(op, adds));
    if (isPlain && this.#below(2) === 0) return noted(this.#pick("write", "read"));
    const notifies = () => this.#noted({ ...this.#access("notify"), at: 0 });
    if (isSleepy && this.#below(4) > 0) return this.#pick(() => this.#sleeps(), notifies)();
    const kinds = [
      () => noted(this.#pick("store", "write")),
      () => noted(this.#pick("load", "load", "read"), false),
      () => noted(this.#pick(...CHANGES)),
      () => noted("compareExchange"),
      () => this.#tries(this.#access(this.#pick("load", "load", "exchange"), false)),
      () => this.#tries(this.#access("compareExchange", false)),
      () => this.#counts(),
      () => noted("wait"),
      () => noted("notify"),
    ];
    return this.#pick(...kinds)();
  }

  /** Tries one access until it answers a value. */
  #tries(tried: ProgramAccess): Statement {
    const until = tried.op === "compareExchange" ? tried.value : this.#below(this.#values);
    return this.#noted({ ...tried, gathers: false }, this.#repeat(1, until, this.#bound()));
  }

  /** Loads, and stores what follows from it; as a compareExchange only if the word has not changed. */
  #counts(): Statement {
    const loaded: ProgramAccess = { ...this.#access("load", false), gathers: false };
    const stored = this.#access(this.#pick("store", "compareExchange"), true);
    return [loaded, { ...stored, view: loaded.view, at: loaded.at, value: 0, other: 1 }];
  }

  /** Waits for a word to change, often from what it has just stored there: so it sleeps after those that saw it before. */
  #sleeps(): Statement {
    const wait: ProgramAccess = { ...this.#access("wait", false), at: 0 };
    const store: ProgramAccess = {
      ...this.#access("store", false),
      at: 0,
      view: wait.view,
      value: wait.value,
    };
    return this.#noted(...this.#pick([store, wait], [wait]));
  }

  #noted(...instructions: Instruction[]): Statement {
    return [...instructions, ...this.#pick([NOTE], [NOTE], [])];
  }

  #repeat(back: number, until: number | undefined, turns: number): Instruction {
    // Without a bound a count would make states without end.
    const counts = this.#below(2) === 0 && turns !== Number.POSITIVE_INFINITY;
    return { op: "repeat", back, until, turns, counts };
  }

  #bound(): number {
    const isUnbounded = this.#wishes.isUnbounded === true && this.#below(3) === 0;
    return isUnbounded ? Number.POSITIVE_INFINITY : this.#pick(2, 3, 3, 4, 5, 7);
  }

  #access(op: ProgramAccess["op"], adds = this.#below(4) === 0, view = this.#viewFor(op)): ProgramAccess {
    const values = this.#values;
    return {
      op,
      view,
      at: this.#below(Math.max(1, (4 * this.#words) / WIDTHS[view])),
      value: op === "notify" ? this.#pick(0, 1, 1, 2, Number.POSITIVE_INFINITY) : this.#below(values),
      other:
        op === "wait"
          ? this.#pick(5, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY)
          : this.#below(values),
      adds,
      gathers: this.#pick(false, false, true),
    };
  }

  #viewFor(op: ProgramAccess["op"]): View {
    if (this.#wishes.hasParts !== true || this.#below(2) === 0) return "Int32";
    if (op === "wait" || op === "notify") return "BigInt64";
    return this.#pick("BigInt64", "BigInt64", "Uint32", "Int16", "Uint16", "Int8", "Uint8");
  }

  #below(bound: number): number {
    return this.#numbers.next().value % bound;
  }

  #pick<One>(...ones: readonly One[]): One {
    return ones[this.#below(ones.length)]!;
  }
}
