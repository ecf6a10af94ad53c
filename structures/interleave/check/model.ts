import { BYTE, HALF, type Lane, LONG, WORD, WORD_BYTES } from "../memory/access.ts";
import { wordsOf } from "../memory/memory.ts";
import {
  type Glimpse,
  type Part,
  type Program,
  ProgramError,
  type Self,
  type Watcher,
} from "../search/program.ts";
import { type Checked, type Operation, RETURN_AT_ONCE, type Seen, USE_ASYNC } from "./checked.ts";
import { kindOf } from "./kind.ts";
import type { ShownThread } from "./report.ts";
import { Results, UnkeptResult } from "./results.ts";
import type { Kept } from "./shrink.ts";

/** Where a thread is, if not in the operation of that number. */
export const ATTACHING = -1;
export const AFTER_DEATH = -2;

/** Noted where a thread has died. All other notes are numbers of results. */
const DIED = -1;

/** What a watcher has seen of the promises. */
export interface Promises<Shared> extends Watcher<Shared> {
  /** The promise whose error ended the search. */
  broken?: "invariant" | "end";
  /** Names in `sometimes` that were true in no end so far. */
  readonly unmet: Set<string>;
}

/** A program that is checked as the explorer knows programs: whole or in part, each operation followed by its result. */
export class Model<Shared, Own> {
  /** By thread. */
  readonly operations: readonly (readonly Operation<Own>[])[];
  readonly #checked: Checked<Shared, Own>;
  readonly #mortal: ReadonlySet<number>;
  readonly #results = new Results();
  readonly #ownAccesses: number;

  /** Whether operations may return promises. */
  readonly isAsync: boolean;
  /** Threads that have made an access to the shared memory so far. */
  readonly accessing = new Set<number>();

  /** `ownAccesses`: accesses that each operation makes for the check, which are not the program's. */
  constructor(checked: Checked<Shared, Own>, isAsync: boolean, ownAccesses = 0) {
    this.#checked = checked;
    this.#ownAccesses = ownAccesses;
    this.isAsync = isAsync;
    this.operations = checked.threads.map((given) => (typeof given === "function" ? [given] : given));
    this.#mortal = new Set([checked.dies ?? []].flat());
  }

  /** Writes into `places`, by thread of the part, where its last run ended. */
  programOf(part: readonly Kept[], places: number[] = []): Program<Shared> {
    const { shared } = this.#checked;
    const threads = part.map(({ thread, operations }, at) => [
      this.#partOf((self) =>
        this.#run(self, thread, operations, (place) => {
          places[at] = place;
        }),
      ),
    ]);
    const mortal = part.flatMap(({ thread }, at) => (this.#mortal.has(thread) ? [at] : []));
    if (mortal.length === 0) return { memory: shared, threads };
    const obituary = this.#partOf(({ memory, note, thread: at }) => {
      places[at] = AFTER_DEATH;
      note(DIED);
      return this.#runAfterDeath(memory, part[at]!.thread);
    });
    return { memory: shared, threads, mortal, obituary };
  }

  *#run(
    { memory, note, answers }: Self & { readonly memory: Shared },
    thread: number,
    operations: readonly number[],
    comeTo: (place: number) => void,
  ): Running {
    comeTo(ATTACHING);
    const own = (yield ["attach", this.#attach(memory, thread)]) as Own;
    for (const [noted, operation] of operations.entries()) {
      comeTo(operation);
      const whose = `operation ${operation} of thread ${thread}`;
      const id = this.#idOf(yield [whose, this.operations[thread]![operation]!(own)], whose);
      // Each note has an answer as well.
      if (answers.length > noted + (noted + 1) * this.#ownAccesses) this.accessing.add(thread);
      note(id);
    }
  }

  *#runAfterDeath(memory: Shared, thread: number): Running {
    const { afterDeath } = this.#checked;
    if (afterDeath === undefined) return;
    const own = (yield ["attach", this.#attach(memory, thread)]) as Own;
    yield ["afterDeath", afterDeath(own)];
  }

  #partOf(begin: (self: Self & { readonly memory: Shared }) => Running): Part<Shared> {
    if (!this.isAsync)
      return (memory, self) => {
        const running = begin({ ...self, memory });
        for (let next = running.next(); next.done !== true; next = running.next(next.value[1]))
          refusePromise(...next.value, USE_ASYNC);
      };
    return async (memory, self) => {
      const running = begin({ ...self, memory });
      for (let next = running.next(); next.done !== true; ) {
        const [, value] = next.value;
        next = running.next(value instanceof Promise ? await value : value);
      }
    };
  }

  /** Asks the promises of a part; with `only`, just for a failure that has been met. */
  promisesOf(
    part: readonly Kept[],
    only?: { readonly promise: string; readonly kind: string },
  ): Promises<Shared> {
    const { invariant, end, sometimes = {} } = this.#checked;
    const isAsked = (name: string) => only === undefined || only.promise === name;
    const unmet = new Set(isAsked("sometimes") ? Object.keys(sometimes) : []);
    const seenIn = (glimpse: Glimpse<Shared>) =>
      new SeenThreads(this.#results, this.operations, part, glimpse);
    const promises: Promises<Shared> = { unmet };
    const ask = (
      name: "invariant" | "end",
      promise: NonNullable<typeof invariant>,
      glimpse: Glimpse<Shared>,
    ) => {
      promises.broken = name;
      const answer: unknown = promise(glimpse.memory, seenIn(glimpse));
      delete promises.broken;
      refusePromise(name, answer, RETURN_AT_ONCE);
      if (answer === false)
        throw new ProgramError(`${name} returned false: make it throw where it is broken, as assert does`);
    };
    if (invariant !== undefined && isAsked("invariant"))
      promises.state = (glimpse) => ask("invariant", invariant, glimpse);
    promises.end = (glimpse) => {
      if (end !== undefined && isAsked("end"))
        try {
          ask("end", end, glimpse);
        } catch (error) {
          // Other schedules have other ends.
          if (only === undefined || error instanceof ProgramError || kindOf("end", error) === only.kind)
            throw error;
          delete promises.broken;
        }
      for (const name of unmet) {
        const answer: unknown = sometimes[name]!(glimpse.memory, seenIn(glimpse));
        if (typeof answer !== "boolean")
          throw new ProgramError(
            `sometimes "${name}" returned ${String(answer)}: make it return true or false`,
          );
        if (answer) unmet.delete(name);
      }
    };
    return promises;
  }

  /** Undefined where the note is of a death. */
  resultOf(note: number): { readonly result: unknown } | undefined {
    return note === DIED ? undefined : { result: this.#results.valueOfId(note) };
  }

  shownThread({ thread, operations }: Kept): ShownThread {
    const isSingle = typeof this.#checked.threads[thread] === "function";
    const labels = operations.map((operation) => {
      const label = labelOf(this.operations[thread]![operation]!);
      return label ?? (isSingle ? "" : `operation ${operation}`);
    });
    return { number: thread, operations: labels, isSingle };
  }

  #attach(memory: Shared, thread: number): unknown {
    const { attach } = this.#checked;
    if (attach === undefined) return memory;
    return attach(memory, thread);
  }

  #idOf(result: unknown, whose: string): number {
    try {
      return this.#results.idOf(result);
    } catch (error) {
      if (!(error instanceof UnkeptResult)) throw error;
      throw new ProgramError(
        `${whose} returned ${error.message}: return numbers, strings or plain objects of such`,
      );
    }
  }
}

/** Yields what functions returned, with their names, and is given it, or what it came to if it was a promise. */
type Running = Generator<readonly [whose: string, returned: unknown], void, unknown>;

function refusePromise(whose: string, returned: unknown, remedy: string): void {
  if (!(returned instanceof Promise)) return;
  // The search may have ended its run, which rejects it.
  returned.catch(() => {});
  throw new ProgramError(`${whose} returned a promise: ${remedy}`);
}

/** Made for every state, so it does what is asked for only. */
class SeenThreads<Shared> implements Seen {
  readonly #results: Results;
  readonly #operations: readonly (readonly unknown[])[];
  readonly #part: readonly Kept[];
  readonly #glimpse: Glimpse<Shared>;

  constructor(
    results: Results,
    operations: readonly (readonly unknown[])[],
    part: readonly Kept[],
    glimpse: Glimpse<Shared>,
  ) {
    this.#results = results;
    this.#operations = operations;
    this.#part = part;
    this.#glimpse = glimpse;
  }

  get results(): unknown[][] {
    return this.#byThread([], ({ notes }) =>
      notes.filter((note) => note !== DIED).map((note) => this.#results.valueOfId(note)),
    );
  }

  get done(): boolean[] {
    return this.#byThread(true, ({ done, notes }) => done && !notes.includes(DIED));
  }

  get asleep(): boolean[] {
    return this.#byThread(false, ({ isAsleep }) => isAsleep);
  }

  get died(): boolean[] {
    return this.#byThread(false, ({ notes }) => notes.includes(DIED));
  }

  #byThread<Value>(absent: Value, of: (thread: Glimpse<Shared>["threads"][number]) => Value): Value[] {
    const all = this.#operations.map(() => absent);
    for (const [at, { thread }] of this.#part.entries()) all[thread] = of(this.#glimpse.threads[at]!);
    return all;
  }
}

/** Longer sources say less than a number. */
const LONGEST_LABEL = 40;

/** A function's name, or the source of an arrow function that fits on a line; undefined where it has neither. */
export function labelOf(operation: (own: never) => unknown): string | undefined {
  if (operation.name !== "") return operation.name;
  const source = Function.prototype.toString.call(operation).replaceAll(/\s+/g, " ");
  const [, parameter, body] = /^\(? ?([\w$]*)[^)]*?\)? ?=> ?(\S.*)$/.exec(source) ?? [];
  if (body === undefined || body.includes("//")) return undefined;
  const text = /^\{ ?(?:return )?(.*?);? ?\}$/.exec(body)?.[1] ?? body;
  if (text === "" || text.length > LONGEST_LABEL) return undefined;
  return text.startsWith(`${parameter}.`) && !text.includes(";") ? text.slice(parameter!.length + 1) : text;
}

/** What words and parts of words are called in tables. Throws a ProgramError where there are more names than those. */
export function namesOf(shared: unknown, names: readonly string[]): (word: number, lane: Lane) => string {
  const words = wordsOf(shared);
  const isTyped = ArrayBuffer.isView(shared) && !(shared instanceof DataView);
  const { BYTES_PER_ELEMENT, byteOffset, length } = isTyped
    ? (shared as Int32Array)
    : { BYTES_PER_ELEMENT: WORD_BYTES, byteOffset: 0, length: words.length };
  if (names.length > length)
    throw new ProgramError(
      `there are ${names.length} names for ${length} ${isTyped ? "elements" : "words"}: leave out ${names.length - length}`,
    );
  return (word, lane) => {
    const byte = word * WORD_BYTES + byteOf(lane) - byteOffset;
    return names[Math.floor(byte / BYTES_PER_ELEMENT)] ?? words.nameOf(word, lane);
  };
}

/** The first byte of a lane within its word. */
function byteOf(lane: Lane): number {
  if (lane === WORD || lane === LONG) return 0;
  return lane >= HALF ? lane - HALF : lane - BYTE;
}
