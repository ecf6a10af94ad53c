/**
 * Visits every state that a few threads can bring a few shared words into, one atomic access at a time: the step model
 * of a structure for workers. Real threads meet rare interleavings by luck; this meets them all, for as many threads
 * and rounds as fit into memory, which for small structures is three of each.
 *
 * A thread's program is a list of steps. A step makes at most one access to the shared words, does what it likes with
 * its registers, and returns the index of the step to go on with. Between any two steps every other thread may run. For
 * example, two threads that take two tickets each from one counter:
 *
 *     const takeThen = (next: number): Step => (cpu) => {
 *       cpu.record(cpu.add(COUNTER, 1));
 *       return next;
 *     };
 *     const program = [takeThen(1), takeThen(DONE)];
 *     const { doomed } = explore({ words: [0], threads: [program, program] }, {
 *       end({ threads }) {
 *         const tickets = threads.flatMap(({ results }) => results);
 *         assert.deepEqual(tickets.toSorted(), [0, 1, 2, 3]);
 *       },
 *     });
 *
 * Memory is sequentially consistent, as it is for Atomics. A plain load may see a stale value: model it as a step
 * without an access that goes on in each of the ways the value could send it. `wait` compares and falls asleep in one
 * step and `notify` wakes those that have slept longest, as ECMAScript orders them (25.4, WaiterList). A wait with a
 * time limit may end at any moment: model it as a step that goes on.
 *
 * A state is the words, who sleeps in which order, and every thread's next step, registers and results, all int32.
 * Two ways into the same state are followed once; what a thread need not remember must not be left in a register.
 */
export interface Model {
  /** What the shared words hold at the start. */
  readonly words: readonly number[];
  /** The program of each thread. All start at step 0. */
  readonly threads: readonly (readonly Step[])[];
  /** Registers of each thread, 0 at the start; none if absent. */
  readonly registers?: number;
}

/** Returns the index of the step to go on with, or DONE; several where any of them may follow. */
export type Step = (cpu: Cpu) => number | readonly number[];
export const DONE = -1;

/** The thread whose turn it is: its accesses, each of which may be made once a step, and what only it sees. */
export interface Cpu {
  /** Which thread this is, from 0. */
  readonly thread: number;
  readonly registers: Int32Array;
  load(word: number): number;
  store(word: number, value: number): void;
  /** Returns the old value, as do the next three. */
  exchange(word: number, value: number): number;
  compareExchange(word: number, expected: number, value: number): number;
  add(word: number, value: number): number;
  sub(word: number, value: number): number;
  /** Falls asleep if the word holds `expected`; goes on with the step returned, at once or when woken. */
  wait(word: number, expected: number): void;
  /** Wakes as many sleepers on the word as `count` says, all if absent. */
  notify(word: number, count?: number): void;
  /** Keeps a result, no access: it becomes part of the state, in the order of recording. */
  record(result: number): void;
}

/** A state as a caller may look at it, until its function returns. */
export interface Glimpse {
  readonly words: readonly number[];
  readonly threads: readonly {
    /** The step that comes next, or DONE. */
    readonly step: number;
    readonly asleep: boolean;
    readonly registers: readonly number[];
    readonly results: readonly number[];
  }[];
}

export interface Watcher {
  /** Called once for each state that can be reached. */
  state?(state: Glimpse): void;
  /** Called once for each of those in which every thread is done and none sleeps, after `state`. */
  end?(state: Glimpse): void;
}

export interface Exploration {
  readonly states: number;
  readonly ends: number;
  /** States from which no schedule lets every thread finish: deadlocks, and all that leads nowhere else. */
  readonly doomed: number;
}

/** More states than this are a model that never repeats itself, and would fill the memory. */
const MOST_STATES = 2_000_000;

/** Throws an Error where a step makes two accesses or leads outside its program, and beyond MOST_STATES. */
export function explore(model: Model, watcher: Watcher = {}): Exploration {
  const machine = new Machine(model);
  const first = machine.save();
  const numbers = new Map([[first, 0]]);
  /** For each state, by number, those from which one step leads there. */
  const before: number[][] = [[]];
  const ends: number[] = [];
  const open = [first];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    const number = numbers.get(state)!;
    machine.restore(state);
    watcher.state?.(machine.glimpse());
    if (machine.isEnd()) {
      ends.push(number);
      watcher.end?.(machine.glimpse());
    }
    for (let thread = 0; thread < model.threads.length; thread++) {
      machine.restore(state);
      if (!machine.canRun(thread)) continue;
      for (const step of machine.run(thread)) {
        machine.goOn(thread, step);
        const next = machine.save();
        const known = numbers.get(next);
        if (known !== undefined) {
          before[known]!.push(number);
          continue;
        }
        if (numbers.size === MOST_STATES) throw new Error(`the model has more than ${MOST_STATES} states`);
        numbers.set(next, before.length);
        before.push([number]);
        open.push(next);
      }
    }
  }
  return { states: numbers.size, ends: ends.length, doomed: numbers.size - reaching(ends, before) };
}

/** How many states can reach one of `ends`, those included. */
function reaching(ends: readonly number[], before: readonly (readonly number[])[]): number {
  const reached = new Set(ends);
  for (const state of reached) for (const earlier of before[state]!) reached.add(earlier);
  return reached.size;
}

/**
 * One state, taken apart so that a step can change it, and put together again as a string: strings are what a Map
 * compares by content. Each int32 becomes two characters of 16 bits, which is exact, and shorter than digits.
 */
class Machine implements Cpu {
  thread = 0;
  registers: Int32Array;
  readonly #programs: Model["threads"];
  readonly #words: number[];
  /** Threads asleep, in the order of falling asleep, and the word that each sleeps on. */
  #asleep: { readonly thread: number; readonly word: number }[] = [];
  readonly #steps: number[];
  readonly #registers: Int32Array[];
  readonly #results: number[][];
  #hasAccessed = false;

  constructor({ words, threads, registers = 0 }: Model) {
    this.#programs = threads;
    this.#words = words.map((value) => value | 0);
    this.#steps = threads.map((program) => (program.length === 0 ? DONE : 0));
    this.#registers = threads.map(() => new Int32Array(registers));
    this.#results = threads.map(() => []);
    this.registers = new Int32Array(registers);
  }

  save(): string {
    const numbers = [...this.#words, this.#asleep.length];
    for (const { thread, word } of this.#asleep) numbers.push(thread, word);
    for (let thread = 0; thread < this.#steps.length; thread++) {
      const results = this.#results[thread]!;
      numbers.push(this.#steps[thread]!, ...this.#registers[thread]!, results.length, ...results);
    }
    let saved = "";
    for (const number of numbers) saved += String.fromCharCode(number & 0xffff, number >>> 16);
    return saved;
  }

  restore(saved: string): void {
    const numbers = new Int32Array(saved.length / 2);
    for (let index = 0; index < numbers.length; index++) {
      numbers[index] = saved.charCodeAt(2 * index) | (saved.charCodeAt(2 * index + 1) << 16);
    }
    let at = 0;
    for (let word = 0; word < this.#words.length; word++) this.#words[word] = numbers[at++]!;
    this.#asleep = [];
    for (let left = numbers[at++]!; left > 0; left--) {
      this.#asleep.push({ thread: numbers[at++]!, word: numbers[at++]! });
    }
    for (let thread = 0; thread < this.#steps.length; thread++) {
      const registers = this.#registers[thread]!;
      this.#steps[thread] = numbers[at++]!;
      for (let register = 0; register < registers.length; register++) registers[register] = numbers[at++]!;
      const results: number[] = [];
      for (let left = numbers[at++]!; left > 0; left--) results.push(numbers[at++]!);
      this.#results[thread] = results;
    }
  }

  glimpse(): Glimpse {
    return {
      words: this.#words,
      threads: this.#steps.map((step, thread) => ({
        step,
        asleep: this.#sleeps(thread),
        registers: [...this.#registers[thread]!],
        results: this.#results[thread]!,
      })),
    };
  }

  isEnd(): boolean {
    return this.#asleep.length === 0 && this.#steps.every((step) => step === DONE);
  }

  canRun(thread: number): boolean {
    return this.#steps[thread] !== DONE && !this.#sleeps(thread);
  }

  /** Lets one thread make its next step. Returns those that may follow, of which `goOn` takes one. */
  run(thread: number): readonly number[] {
    const program = this.#programs[thread]!;
    this.thread = thread;
    this.registers = this.#registers[thread]!;
    this.#hasAccessed = false;
    const next = program[this.#steps[thread]!]!(this);
    const choices = typeof next === "number" ? [next] : next;
    for (const choice of choices) {
      if (choice !== DONE && program[choice] === undefined)
        throw this.#wrong(`leads to step ${choice}, which does not exist`);
    }
    return choices;
  }

  goOn(thread: number, step: number): void {
    this.#steps[thread] = step;
  }

  load(word: number): number {
    return this.#access(word, (old) => old);
  }

  store(word: number, value: number): void {
    this.#access(word, () => value);
  }

  exchange(word: number, value: number): number {
    return this.#access(word, () => value);
  }

  compareExchange(word: number, expected: number, value: number): number {
    return this.#access(word, (old) => (old === (expected | 0) ? value : old));
  }

  add(word: number, value: number): number {
    return this.#access(word, (old) => old + value);
  }

  sub(word: number, value: number): number {
    return this.#access(word, (old) => old - value);
  }

  wait(word: number, expected: number): void {
    const value = this.#access(word, (old) => old);
    if (value === (expected | 0)) this.#asleep.push({ thread: this.thread, word });
  }

  notify(word: number, count = Number.POSITIVE_INFINITY): void {
    this.#access(word, (old) => old);
    let left = count;
    this.#asleep = this.#asleep.filter((sleeper) => sleeper.word !== word || left-- <= 0);
  }

  record(result: number): void {
    this.#results[this.thread]!.push(result | 0);
  }

  #sleeps(thread: number): boolean {
    return this.#asleep.some((sleeper) => sleeper.thread === thread);
  }

  #access(word: number, change: (old: number) => number): number {
    const old = this.#words[word];
    if (old === undefined) throw this.#wrong(`accesses word ${word}, which does not exist`);
    if (this.#hasAccessed) throw this.#wrong("makes more than one access");
    this.#hasAccessed = true;
    this.#words[word] = change(old) | 0;
    return old;
  }

  #wrong(what: string): Error {
    return new Error(`step ${this.#steps[this.thread]} of thread ${this.thread} ${what}`);
  }
}
