import type { Region } from "./layout.ts";

/**
 * Stands in for words that threads share, and passes each access to them to an observer. A structure's own code runs on
 * such words unchanged, while the explorer or a simulated machine decides what each access returns and when.
 *
 * A stand-in is a proxy. It looks like an Int32Array to code that uses what `Offered` has; anything else throws an
 * Error. `replaceAtomics` makes Atomics recognize such proxies, and the constructors of Int32Array and BigInt64Array
 * their buffers. Other memory is passed through.
 *
 * 64-bit words. An element of a BigInt64Array is one word to the observer, its lower half; nothing touches the upper
 * one. It may hold what 32 bits hold, and an access with any other value throws. So a program has to begin with small
 * numbers.
 */

/** What an access does. `read` and `write` are plain; the others are called as in Atomics. */
export type Kind =
  | ("read" | "write" | "load" | "store" | "exchange" | "compareExchange")
  | ("add" | "sub" | "and" | "or" | "xor" | "wait" | "notify");

export interface Access {
  readonly kind: Kind;
  readonly word: number;
  /** The value given; of a compareExchange and a wait the one expected, of a notify how many it wakes at most. */
  readonly operand: number;
  /** Of a compareExchange what comes instead; of a wait its limit in ms, 0 or more, Infinity for none. */
  readonly other: number;
}

/**
 * Makes one access and returns its answer, an int32. A `write` and a `store` return what they wrote. A `wait` returns
 * OK, NOT_EQUAL or TIMED_OUT, and a `notify` how many threads it woke. All others return what was there before. The
 * operands are those of Access, left out where a kind has none. What this throws comes out of the access.
 *
 * Code that gives Atomics an index outside its words gives this a `word` outside of them.
 */
export type Perform = (kind: Kind, word: number, operand?: number, other?: number) => number;

/** What a `wait` answers. */
export const OK = 0;
export const NOT_EQUAL = 1;
export const TIMED_OUT = 2;
const WAIT_ANSWERS = ["ok", "not-equal", "timed-out"] as const;

export const WRITES_ONLY: ReadonlySet<Kind> = new Set(["write", "store"]);
export const READS_ONLY: ReadonlySet<Kind> = new Set(["read", "load", "wait", "notify"]);

/** What stands in a word of this content after an access. */
export function changed(old: number, { kind, operand, other }: Omit<Access, "word">): number {
  switch (kind) {
    case "write":
    case "store":
    case "exchange":
      return operand;
    case "compareExchange":
      return old === operand ? other : old;
    case "add":
      return (old + operand) | 0;
    case "sub":
      return (old - operand) | 0;
    case "and":
      return old & operand;
    case "or":
      return old | operand;
    case "xor":
      return old ^ operand;
    default:
      return old;
  }
}

/**
 * `length` words, which `perform` knows by the numbers from `offset` on. Both are 0 or more. Its `byteOffset` is that of
 * word `offset`.
 */
export function standIn(offset: number, length: number, perform: Perform): Region {
  const buffer = new SharedBytes((offset + length) * WORD_BYTES, perform);
  return viewOf(buffer, offset * WORD_BYTES, length, 1) as unknown as Region;
}

const WORD_BYTES = Int32Array.BYTES_PER_ELEMENT;
/** Words of an element of a BigInt64Array. */
const LONG_WORDS = BigInt64Array.BYTES_PER_ELEMENT / WORD_BYTES;

/** Stands in for the buffer of such words. */
class SharedBytes {
  readonly byteLength: number;
  readonly perform: Perform;

  constructor(byteLength: number, perform: Perform) {
    this.byteLength = byteLength;
    this.perform = perform;
  }

  /** Asked for by the constructors of typed arrays that take this for a list, and would make an empty array. */
  get [Symbol.iterator](): never {
    throw new Error("shared words that are stood in for have no views but Int32Array and BigInt64Array");
  }
}

/** What a proxy stands for. */
interface View {
  readonly offset: number;
  /** In elements. */
  readonly length: number;
  /** Words of an element. */
  readonly width: number;
  readonly perform: Perform;
}

const views = new WeakMap<object, View>();

function viewOf(buffer: SharedBytes, byteOffset: number, length: number, width: number): Offered {
  const bytes = width * WORD_BYTES;
  if (byteOffset % bytes !== 0)
    throw new RangeError(`byte ${byteOffset} begins no element of ${bytes} bytes`);
  if (!(length >= 0 && byteOffset + length * bytes <= buffer.byteLength))
    throw new RangeError(
      `${length} elements from byte ${byteOffset} on are not in ${buffer.byteLength} bytes`,
    );
  const view = { offset: byteOffset / WORD_BYTES, length, width, perform: buffer.perform };
  const proxy = new Proxy(new Offered(buffer, byteOffset, length, bytes), new Elements(view));
  views.set(proxy, view);
  return proxy;
}

/** The accesses to the elements of a view. */
class Elements implements ProxyHandler<Offered> {
  readonly #view: View;

  constructor(view: View) {
    this.#view = view;
  }

  get(offered: Offered, key: string | symbol): unknown {
    const index = typeof key === "string" ? Number(key) : Number.NaN;
    const { offset, length, width, perform } = this.#view;
    if (index >= 0 && index < length) {
      const value = perform("read", offset + width * index);
      return width === 1 ? value : BigInt(value);
    }
    if (!Number.isNaN(index)) return undefined;
    if (key in offered) return Reflect.get(offered, key);
    throw new Error(`shared words that are stood in for have no ${String(key)}`);
  }

  set(_: Offered, key: string | symbol, value: number | bigint): true {
    const { offset, length, width, perform } = this.#view;
    const index = Number(key);
    if (Number.isNaN(index))
      throw new Error(`shared words that are stood in for cannot be given a ${String(key)}`);
    if (index >= 0 && index < length) perform("write", offset + width * index, int32Of(value));
    return true;
  }
}

/** What a view offers besides its elements. Methods are called on the proxy and make their accesses through it. */
class Offered {
  readonly buffer: SharedBytes;
  readonly byteOffset: number;
  readonly byteLength: number;
  readonly BYTES_PER_ELEMENT: number;
  readonly length: number;
  [index: number]: number;

  constructor(buffer: SharedBytes, byteOffset: number, length: number, bytes: number) {
    this.buffer = buffer;
    this.byteOffset = byteOffset;
    this.byteLength = length * bytes;
    this.BYTES_PER_ELEMENT = bytes;
    this.length = length;
  }

  subarray(begin?: number, end?: number): Offered {
    const { buffer, byteOffset, BYTES_PER_ELEMENT: bytes } = this;
    const [from, past] = stretchOf(this.length, begin, end);
    return viewOf(buffer, byteOffset + from * bytes, past - from, bytes / WORD_BYTES);
  }

  /** A copy, which no other thread sees. */
  slice(begin?: number, end?: number): Int32Array {
    return Int32Array.from(this.subarray(begin, end));
  }

  fill(value: number, begin?: number, end?: number): this {
    const [from, past] = stretchOf(this.length, begin, end);
    for (let index = from; index < past; index++) this[index] = value;
    return this;
  }

  set(values: ArrayLike<number>, from = 0): void {
    const { length } = values;
    if (from + length > this.length)
      throw new RangeError(`${length} values from ${from} on do not fit into ${this.length} elements`);
    for (let index = 0; index < length; index++) this[from + index] = values[index]!;
  }

  indexOf(value: number, begin?: number): number {
    const [from, past] = stretchOf(this.length, begin);
    for (let index = from; index < past; index++) if (this[index] === value) return index;
    return -1;
  }

  includes(value: number, begin?: number): boolean {
    return this.indexOf(value, begin) !== -1;
  }

  *[Symbol.iterator](): Generator<number> {
    const { length } = this;
    for (let index = 0; index < length; index++) yield this[index]!;
  }
}

/** From where to where two indices reach, which count from the end if they are negative. */
function stretchOf(length: number, begin = 0, end = length): readonly [from: number, past: number] {
  const within = (at: number) => (at < 0 ? Math.max(0, length + at) : Math.min(at, length));
  const from = within(begin);
  return [from, Math.max(from, within(end))];
}

function int32Of(value: number | bigint): number {
  const number = Number(value);
  if (typeof value === "bigint" && (number | 0) !== number)
    throw new Error(`a 64-bit word that is stood in for holds what 32 bits hold, not ${value}`);
  return number | 0;
}

const ATOMICS = ["load", "store", "exchange", "compareExchange", "add", "sub", "and", "or", "xor"] as const;

type Atomic = (words: object, index: number, operand?: number, other?: number) => unknown;

/**
 * Makes the functions of Atomics, and the constructors of views, know stand-ins in this thread. Returns how to undo it.
 * `pause` takes the place of Atomics.pause in a runtime that has it. A wait on other memory answers "timed-out" at
 * once: it is a pause of a thread whose time is the observer's.
 */
export function replaceAtomics(pause?: () => void): () => void {
  const original = new Map<string, unknown>();
  const replace = (name: string, make: (elsewhere: Atomic) => Atomic) => {
    const elsewhere = Reflect.get(Atomics, name) as Atomic;
    original.set(name, elsewhere);
    Reflect.set(Atomics, name, make(elsewhere));
  };
  for (const kind of ATOMICS) {
    replace(kind, (elsewhere) => (words, index, operand = 0, other = 0) => {
      const view = views.get(words);
      if (view === undefined) return elsewhere(words, index, operand, other);
      const answer = view.perform(kind, wordOf(view, index), int32Of(operand), int32Of(other));
      return view.width === 1 ? answer : BigInt(answer);
    });
  }
  replace("wait", () => (words, index, expected = 0, limit = Number.POSITIVE_INFINITY) => {
    const view = views.get(words);
    if (view === undefined) return WAIT_ANSWERS[TIMED_OUT];
    const limitMs = Number.isNaN(limit) ? Number.POSITIVE_INFINITY : Math.max(0, limit);
    return WAIT_ANSWERS[view.perform("wait", wordOf(view, index), int32Of(expected), limitMs)];
  });
  replace("notify", (elsewhere) => (words, index, count = Number.POSITIVE_INFINITY) => {
    const view = views.get(words);
    if (view === undefined) return elsewhere(words, index, count);
    return view.perform("notify", wordOf(view, index), Math.min(count, MOST_WOKEN));
  });
  if (pause !== undefined && "pause" in Atomics) replace("pause", () => pause);
  const { Int32Array: words, BigInt64Array: longs } = globalThis;
  globalThis.Int32Array = overSharedBytes(words, 1);
  globalThis.BigInt64Array = overSharedBytes(longs, LONG_WORDS);
  return () => {
    for (const [name, value] of original) Reflect.set(Atomics, name, value);
    globalThis.Int32Array = words;
    globalThis.BigInt64Array = longs;
  };
}

const MOST_WOKEN = 2 ** 31 - 1;

function wordOf({ offset, width }: View, index: number): number {
  return offset + width * index;
}

/** `own` that makes a stand-in where it is given the buffer of one. */
function overSharedBytes<Constructor extends Int32ArrayConstructor | BigInt64ArrayConstructor>(
  own: Constructor,
  width: number,
): Constructor {
  return new Proxy(own, {
    construct(_, given: [unknown, number?, number?], target) {
      const [buffer, byteOffset = 0, length] = given;
      if (!(buffer instanceof SharedBytes)) return Reflect.construct(own, given, target);
      const rest = (buffer.byteLength - byteOffset) / (width * WORD_BYTES);
      return viewOf(buffer, byteOffset, length ?? Math.floor(rest), width);
    },
  });
}
