/**
 * A second interpreter of small threads, the slowest and plainest there is: breadth first over states that are written
 * out, one access a step, nothing joined and nothing left out. It shares no code with the explorer, and is right or
 * wrong for other reasons. Tests compare the two.
 */
import { drawn } from "./scrambled.ts";

/** A thread is its parts, a part its statements, a statement its instructions. */
export type Thread = readonly Part[];
type Part = readonly Statement[];
export type Statement = readonly Instruction[];
export type Instruction = Access | { readonly op: "note" } | Repeat;

/** Keeps its answer in the thread's register. */
interface Access {
  readonly op: (typeof CHANGES)[number] | "load" | "read" | "write" | "compareExchange" | "wait" | "notify";
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

/** Goes `back` instructions unless the register is `until`, for at most so many `turns`. Keeps their number if `counts`. */
interface Repeat {
  readonly op: "repeat";
  readonly back: number;
  readonly until: number | undefined;
  readonly turns: number;
  readonly counts: boolean;
}

const CHANGES = ["store", "exchange", "add", "sub", "and", "or", "xor"] as const;
const WAITED = ["ok", "not-equal", "timed-out"] as const;
export const WORDS = 2;

/** What a thread has done so far: where it is, and all that it remembers. */
interface Progress {
  readonly part: number;
  readonly at: number;
  readonly register: number;
  /** Turns of the loops that it is in, by their instruction. */
  readonly turns: Readonly<Record<number, number>>;
  readonly notes: readonly number[];
}

interface State {
  readonly words: readonly number[];
  readonly threads: readonly (Progress & { readonly key: string })[];
  /** Threads that sleep, in the order in which they fell asleep. */
  readonly asleep: readonly number[];
  /** Where plain accesses are weak: stores that others do not see yet, and older values that loads may return. */
  readonly weak?: { readonly kept: readonly Stored[]; readonly older: readonly Stored[] };
}

type Stored = readonly [thread: number, at: number, value: number];

export interface Outcomes {
  /** What the words and the notes are where every thread is done. */
  readonly ends: ReadonlySet<string>;
  /** The same where no thread can go on, and who is done. */
  readonly deadlocks: ReadonlySet<string>;
  /** Whether some state leads to no end. */
  readonly isDoomed: boolean;
  readonly states: number;
}

/** An end or a deadlock in a word. */
export const outcomeOf = (
  words: Iterable<number>,
  threads: readonly { readonly notes: readonly number[]; readonly done: boolean }[],
): string =>
  [[...words].join(), ...threads.map(({ notes, done }) => notes.join() + (done ? "" : "..."))].join(" | ");

/** Everything that the threads can come to. Undefined if there are more states than `most`. */
export function interpret(threads: readonly Thread[], most: number, isWeak = false): Outcomes | undefined {
  const code = threads.map((thread) => thread.map((part) => part.flat()));
  const begun = code.map((parts) => resting(parts, { part: 0, at: 0, register: 0, turns: {}, notes: [] }));
  const strong: State = { words: Array<number>(WORDS).fill(0), threads: begun, asleep: [] };
  const first = isWeak ? { ...strong, weak: { kept: [], older: [] } } : strong;
  const found = new Map([[keyOf(first), 0]]);
  const states = [first];
  const before: number[][] = [[]];
  const ends = new Map<string, number[]>();
  const deadlocks = new Set<string>();
  for (let at = 0; at < states.length; at++) {
    if (states.length > most) return undefined;
    const state = states[at]!;
    const next = successors(code, state);
    for (const one of next) {
      const key = keyOf(one);
      const place = found.get(key) ?? states.length;
      if (place === states.length) {
        found.set(key, place);
        states.push(one);
        before.push([]);
      }
      before[place]!.push(at);
    }
    if (next.length > 0) continue;
    const seen = state.threads.map(({ notes, part }, thread) => ({
      notes,
      done: part === code[thread]!.length,
    }));
    const outcome = outcomeOf(state.words, seen);
    if (state.asleep.length > 0) deadlocks.add(outcome);
    else ends.set(outcome, [...(ends.get(outcome) ?? []), at]);
  }
  return {
    ends: new Set(ends.keys()),
    deadlocks,
    isDoomed: reaching([...ends.values()].flat(), before).size < states.length,
    states: states.length,
  };
}

const keyOf = ({ words, threads, asleep, weak }: State): string =>
  [words, asleep, weak?.kept, weak?.older.map(String).sort(), ...threads.map(({ key }) => key)].join(" ");

/** The states that lead to one of these, with them. */
function reaching(goals: readonly number[], before: readonly (readonly number[])[]): Set<number> {
  const reached = new Set(goals);
  for (const one of reached) for (const earlier of before[one]!) reached.add(earlier);
  return reached;
}

type Code = readonly (readonly (readonly Instruction[])[])[];

function successors(code: Code, state: State): State[] {
  const steps = state.threads.flatMap((progress, thread) => {
    const access = code[thread]![progress.part]?.[progress.at] as Access | undefined;
    if (access === undefined) return [];
    if (!state.asleep.includes(thread)) return afterAccess(code, state, thread, access);
    if (access.other === Number.POSITIVE_INFINITY) return [];
    return [woken(code, state, [thread], "timed-out")];
  });
  const kept = state.weak?.kept ?? [];
  const isNext = ([thread, at]: Stored, place: number) =>
    kept.findIndex(([other, word]) => other === thread && word === at) === place;
  return [...steps, ...kept.filter(isNext).map((store) => arrived(state, store))];
}

/** The states in which an access may leave this one; several only where a plain load returns older values. */
function afterAccess(code: Code, before: State, thread: number, access: Access): State[] {
  const progress = before.threads[thread]!;
  const { op, at } = access;
  const shift = access.adds ? progress.register : 0;
  const isPlain = op === "read" || op === "write";
  if (before.weak !== undefined && isPlain) return afterPlain(code, before, thread, access, shift);
  const state = before.weak === undefined ? before : ordered(before, thread, access);
  if (op === "notify") {
    const sleepers = state.asleep.filter((one) => accessOf(code, state, one).at === at);
    const wakes = sleepers.slice(0, access.value);
    return [answered(code, woken(code, state, wakes, "ok"), thread, wakes.length)];
  }
  if (op === "wait") {
    if (state.words[at] !== ((access.value + shift) | 0))
      return [answered(code, state, thread, WAITED.indexOf("not-equal"))];
    return [{ ...state, asleep: [...state.asleep, thread] }];
  }
  const words = Int32Array.from(state.words);
  const answer = performed(words, access, shift);
  return [answered(code, put(state, [thread, at, words[at]!]), thread, answer)];
}

/** A store is kept back. A load returns the thread's own one, or what the word holds or held. */
function afterPlain(code: Code, state: State, thread: number, access: Access, shift: number): State[] {
  const { op, at, value } = access;
  const { kept, older } = state.weak!;
  const isMine = ([owner, word]: Stored) => owner === thread && word === at;
  if (op === "write") {
    const weak = { kept: [...kept, [thread, at, (value + shift) | 0] as const], older };
    return [answered(code, { ...state, weak }, thread, value + shift)];
  }
  const own = kept.findLast(isMine);
  const values =
    own === undefined ? [state.words[at]!, ...older.filter(isMine).map(([, , old]) => old)] : [own[2]];
  return [...new Set(values)].map((answer) => answered(code, state, thread, answer));
}

/** What an access by Atomics orders: the thread's stores before it and, if it reads, the thread's loads after it. */
function ordered(state: State, thread: number, { op, at }: Access): State {
  let after = state;
  for (const store of state.weak!.kept)
    if (store[0] === thread && (op !== "load" || store[1] === at)) after = arrived(after, store);
  return op === "store" ? after : forgetting(after, thread);
}

/** A store that was kept back becomes visible. */
function arrived(state: State, store: Stored): State {
  const kept = state.weak!.kept.filter((one) => one !== store);
  return put({ ...state, weak: { ...state.weak!, kept } }, store);
}

/** Other threads may still load what the word held; the writer loads this. */
function put(state: State, [writer, at, value]: Stored): State {
  const old = state.words[at]!;
  const after = { ...state, words: state.words.with(at, value) };
  if (state.weak === undefined) return after;
  const others = old === value ? [] : [...state.threads.keys()].filter((thread) => thread !== writer);
  const older = [...state.weak.older, ...others.map((thread) => [thread, at, old] as const)];
  const each = new Map(older.map((one) => [String(one), one])).values();
  const isLeft = ([reader, word]: Stored) => reader !== writer || word !== at;
  return { ...after, weak: { ...state.weak, older: [...each].filter(isLeft) } };
}

/** The thread's loads return no older values any more. */
function forgetting(state: State, thread: number): State {
  const { kept, older } = state.weak!;
  return { ...state, weak: { kept, older: older.filter(([reader]) => reader !== thread) } };
}

const accessOf = (code: Code, { threads }: State, thread: number): Access =>
  code[thread]![threads[thread]!.part]![threads[thread]!.at] as Access;

/** Wakes some that sleep. */
function woken(code: Code, state: State, threads: readonly number[], why: (typeof WAITED)[number]): State {
  const asleep = state.asleep.filter((thread) => !threads.includes(thread));
  let after: State = { ...state, asleep };
  for (const thread of threads) {
    if (after.weak !== undefined) after = forgetting(after, thread);
    after = answered(code, after, thread, WAITED.indexOf(why));
  }
  return after;
}

/** The thread's access is over. */
function answered(code: Code, state: State, thread: number, answer: number): State {
  const progress = state.threads[thread]!;
  const register = gathered(accessOf(code, state, thread), progress.register, answer);
  const next = resting(code[thread]!, { ...progress, at: progress.at + 1, register });
  return { ...state, threads: state.threads.with(thread, next) };
}

const gathered = ({ gathers }: Access, register: number, answer: number): number =>
  gathers ? (Math.imul(register, 10) + answer) | 0 : answer;

function resting(parts: Code[number], progress: Progress): State["threads"][number] {
  const rests = settled(parts, progress);
  return { ...rests, key: JSON.stringify({ ...rests, key: "" }) };
}

/** Goes on to the next access, or to the thread's end. */
function settled(parts: Code[number], progress: Progress): Progress {
  const instructions = parts[progress.part];
  if (instructions === undefined) return progress;
  const { part, at, register, turns, notes } = progress;
  const one = instructions[at];
  if (one === undefined) return settled(parts, { part: part + 1, at: 0, register: 0, turns: {}, notes });
  if (one.op === "note") return settled(parts, { ...progress, at: at + 1, notes: [...notes, register] });
  if (one.op !== "repeat") return progress;
  const turn = (turns[at] ?? 0) + 1;
  if (register === one.until || turn === one.turns)
    return settled(parts, {
      ...progress,
      at: at + 1,
      register: one.counts ? turn : register,
      turns: { ...turns, [at]: 0 },
    });
  // A loop without a bound is where it was.
  const kept = one.turns === Number.POSITIVE_INFINITY ? turns : { ...turns, [at]: turn };
  return settled(parts, { ...progress, at: at - one.back, turns: kept });
}

/** Makes an access that neither sleeps nor wakes, and returns its answer. */
function performed(words: Int32Array, { op, at, value, other }: Access, shift: number): number {
  switch (op) {
    case "read":
      return words[at]!;
    case "write":
      words[at] = value + shift;
      return value + shift;
    case "load":
      return Atomics.load(words, at);
    case "compareExchange":
      return Atomics.compareExchange(words, at, value + shift, other + shift);
    case "wait":
    case "notify":
      throw new Error(`${op} is no such access`);
    default:
      return Atomics[op](words, at, value + shift);
  }
}

/** The same part as a function for `explore`. */
export function functionOf(part: Part) {
  const instructions = part.flat();
  return (words: Int32Array, { note }: { readonly note: (...results: number[]) => void }): void => {
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
        register = gathered(one, register, answerOf(words, one, one.adds ? register : 0));
      }
    }
  };
}

function answerOf(words: Int32Array, access: Access, shift: number): number {
  const { op, at, value, other } = access;
  if (op === "notify") return Atomics.notify(words, at, value);
  if (op === "wait") return WAITED.indexOf(Atomics.wait(words, at, (value + shift) | 0, other));
  return performed(words, access, shift);
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
  const { op, at, value, other, adds, gathers } = one;
  return `${op}(${at}, ${value}, ${other})${adds ? " + register" : ""}${gathers ? ", gather" : ""}`;
}

/** A program at random: two threads, or three shorter ones. The same seed gives the same program. */
export function drawnProgram(seed: number, { isUnbounded = false, isPlain = false } = {}): Thread[] {
  const numbers = drawn(seed);
  const below = (bound: number): number => numbers.next().value % bound;
  const pick = <One>(...ones: readonly One[]): One => ones[below(ones.length)]!;
  const words = pick(1, WORDS);
  const values = pick(2, 3);
  const access = (op: Access["op"], adds = below(4) === 0): Access => ({
    op,
    at: below(words),
    value: op === "notify" ? pick(0, 1, 1, 2, Number.POSITIVE_INFINITY) : below(values),
    other: op === "wait" ? pick(5, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY) : below(values),
    adds,
    gathers: pick(false, false, true),
  });
  const note: Instruction = { op: "note" };
  const noted = (...instructions: Instruction[]): Statement => [...instructions, ...pick([note], [note], [])];
  const bound = (): number =>
    isUnbounded && below(3) === 0 ? Number.POSITIVE_INFINITY : pick(2, 3, 3, 4, 5, 7);
  const repeat = (back: number, until: number | undefined, turns: number): Instruction => ({
    op: "repeat",
    back,
    until,
    turns,
    counts: below(2) === 0,
  });
  /** Tries one access until it answers a value. */
  const tries = (tried: Access): Statement =>
    noted(
      { ...tried, gathers: false },
      repeat(1, tried.op === "compareExchange" ? tried.value : below(values), bound()),
    );
  /** Loads, and stores what follows from it; as a compareExchange only if the word has not changed. */
  const counts = (): Statement => {
    const loaded: Access = { ...access("load", false), gathers: false };
    return [loaded, { ...access(pick("store", "compareExchange"), true), at: loaded.at, value: 0, other: 1 }];
  };
  const statement = (): Statement => {
    const plain = () => noted(access(pick("write", "read")));
    if (isPlain && below(2) === 0) return plain();
    const kinds = [
      () => noted(access(pick("store", "write"))),
      () => noted(access(pick("load", "load", "read"), false)),
      () => noted(access(pick(...CHANGES))),
      () => noted(access("compareExchange")),
      () => tries(access(pick("load", "load", "exchange"), false)),
      () => tries(access("compareExchange", false)),
      counts,
      () => noted(access("wait")),
      () => noted(access("notify")),
    ];
    return pick(...kinds)();
  };
  /** One after the other, or several times. */
  const statements = (most: number): Statement[] => {
    const made = Array.from({ length: 1 + below(most) }, statement);
    const all = made.flat();
    if (below(5) > 0) return made;
    return [[...all, repeat(all.length, pick(undefined, below(values)), pick(2, 2, 3))]];
  };
  const count = pick(2, 2, 3);
  const most = count === 2 ? 4 : 2;
  return Array.from({ length: count }, () =>
    below(5) === 0 ? [statements(most - 1), statements(1)] : [statements(most)],
  );
}
