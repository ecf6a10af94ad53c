/**
 * A second interpreter of small threads, the slowest and plainest there is: breadth first over states that are written
 * out, one access a step, nothing joined and nothing left out. It shares no code with the explorer, and is right or
 * wrong for other reasons. Tests compare the two.
 */
import {
  byteOf,
  gathered,
  holds,
  type Instruction,
  outcomeOf,
  type ProgramAccess,
  performed,
  type Thread,
  WAITED,
  WORDS,
} from "./small-programs.ts";

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

/** What is not as usual: as `Program` and `Bounds` have it. */
export interface Terms {
  readonly weak?: boolean;
  readonly mortal?: readonly number[];
  readonly obituary?: Thread[number];
}

/** Everything that the threads can come to. Undefined if there are more states than `most`. */
export function interpret(
  threads: readonly Thread[],
  most: number,
  { weak = false, mortal = [], obituary }: Terms = {},
): Outcomes | undefined {
  // What follows a death comes behind a part that is missing, where threads end.
  const code = threads.map((thread) => [...thread.map((part) => part.flat()), undefined, obituary?.flat()]);
  const begun = code.map((parts) => resting(parts, { part: 0, at: 0, register: 0, turns: {}, notes: [] }));
  const strong: State = { words: Array<number>(WORDS).fill(0), threads: begun, asleep: [] };
  const first = weak ? { ...strong, weak: { kept: [], older: [] } } : strong;
  const found = new Map([[keyOf(first), 0]]);
  const states = [first];
  const before: number[][] = [[]];
  const ends = new Map<string, number[]>();
  const deadlocks = new Set<string>();
  for (let at = 0; at < states.length; at++) {
    if (states.length > most) return undefined;
    const state = states[at]!;
    const next = [...successors(code, state), ...deaths(code, state, mortal)];
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
      done: code[thread]![part] === undefined,
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

type Code = readonly (readonly (readonly Instruction[] | undefined)[])[];

/** Mortal threads may stop before each access, and while they sleep. Without an obituary nothing is left of them. */
function deaths(code: Code, state: State, mortal: readonly number[]): State[] {
  return mortal.flatMap((thread) => {
    const { part, notes } = state.threads[thread]!;
    const parts = code[thread]!;
    const obituary = parts.length - 1;
    if (parts[part] === undefined || part === obituary) return [];
    const left = parts[obituary] === undefined ? [] : notes;
    const next = resting(parts, { part: obituary, at: 0, register: 0, turns: {}, notes: left });
    const asleep = state.asleep.filter((one) => one !== thread);
    return [{ ...state, threads: state.threads.with(thread, next), asleep }];
  });
}

function successors(code: Code, state: State): State[] {
  const steps = state.threads.flatMap((progress, thread) => {
    const access = code[thread]![progress.part]?.[progress.at] as ProgramAccess | undefined;
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
function afterAccess(code: Code, before: State, thread: number, access: ProgramAccess): State[] {
  const progress = before.threads[thread]!;
  const { op, at } = access;
  const shift = access.adds ? progress.register : 0;
  const isPlain = op === "read" || op === "write";
  if (before.weak !== undefined && isPlain) return afterPlain(code, before, thread, access, shift);
  const state = before.weak === undefined ? before : ordered(before, thread, access);
  if (op === "notify") {
    const sleepers = state.asleep.filter((one) => byteOf(accessOf(code, state, one)) === byteOf(access));
    const wakes = sleepers.slice(0, access.value);
    return [answered(code, woken(code, state, wakes, "ok"), thread, wakes.length)];
  }
  if (op === "wait") {
    if (!holds(Int32Array.from(state.words), access, (access.value + shift) | 0))
      return [answered(code, state, thread, WAITED.indexOf("not-equal"))];
    return [{ ...state, asleep: [...state.asleep, thread] }];
  }
  const words = Int32Array.from(state.words);
  const answer = performed(words, access, shift);
  const after =
    state.weak === undefined ? { ...state, words: [...words] } : put(state, [thread, at, words[at]!]);
  return [answered(code, after, thread, answer)];
}

/** A store is kept back. A load returns the thread's own one, or what the word holds or held. */
function afterPlain(code: Code, state: State, thread: number, access: ProgramAccess, shift: number): State[] {
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
function ordered(state: State, thread: number, { op, at }: ProgramAccess): State {
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

/** Where plain accesses are weak: other threads may still load what the word held; the writer loads this. */
function put(state: State, [writer, at, value]: Stored): State {
  const old = state.words[at]!;
  const after = { ...state, words: state.words.with(at, value) };
  const others = old === value ? [] : [...state.threads.keys()].filter((thread) => thread !== writer);
  const older = [...state.weak!.older, ...others.map((thread) => [thread, at, old] as const)];
  const each = new Map(older.map((one) => [String(one), one])).values();
  const isLeft = ([reader, word]: Stored) => reader !== writer || word !== at;
  return { ...after, weak: { ...state.weak!, older: [...each].filter(isLeft) } };
}

/** The thread's loads return no older values any more. */
function forgetting(state: State, thread: number): State {
  const { kept, older } = state.weak!;
  return { ...state, weak: { kept, older: older.filter(([reader]) => reader !== thread) } };
}

const accessOf = (code: Code, { threads }: State, thread: number): ProgramAccess =>
  code[thread]![threads[thread]!.part]![threads[thread]!.at] as ProgramAccess;

/** Wakes some that sleep. */
function woken(code: Code, state: State, threads: readonly number[], why: string): State {
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
