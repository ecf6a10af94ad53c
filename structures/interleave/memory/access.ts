/**
 * What threads do to shared memory, one access at a time.
 *
 * Memory is a row of 32-bit words, numbered across all shared buffers of a program. An access touches a lane of one
 * word: all of it, a half or a byte; or two words, if the element has 64 bits.
 */

/** What an access does. `read` and `write` are plain; the others are called as in Atomics. */
export type Kind =
  | ("read" | "write" | "load" | "store" | "exchange" | "compareExchange")
  | ("add" | "sub" | "and" | "or" | "xor" | "wait" | "waitAsync" | "notify");

/** An int32 of a word, 0 .. 255 of a byte, 0 .. 65535 of a half, a signed 64-bit bigint of two words. */
export type Value = number | bigint;

/**
 * Which part of a word is accessed: 0 is the whole word. `BYTE` + n is its byte n, 0 .. 3, and `HALF` + n its bytes n
 * and n + 1, n being 0 or 2. `LONG` is the word and the next one, the lower half first.
 */
export type Lane = number;
export const WORD: Lane = 0;
export const BYTE: Lane = 1;
export const HALF: Lane = 5;
export const LONG: Lane = 8;

export const WORD_BYTES = 4;

export interface Access {
  readonly kind: Kind;
  readonly word: number;
  readonly lane: Lane;
  /** The value given; of a compareExchange and of both waits the one expected, of a notify how many it wakes at most. */
  readonly operand: Value;
  /** Of a compareExchange what comes instead; of a wait its limit in ms, 0 or more, Infinity for none. */
  readonly other: Value;
}

/**
 * Makes one access and returns its answer. A `write` and a `store` return what they wrote. A `wait` returns OK,
 * NOT_EQUAL or TIMED_OUT, and a `notify` how many threads it woke. All others return what was there before. The
 * operands are those of Access, left out where a kind has none. What this throws comes out of the access.
 *
 * Code that gives Atomics an index outside its elements gets a RangeError before this is called.
 */
export type Perform = (kind: Kind, word: number, operand?: Value, other?: Value, lane?: Lane) => Value;

/** What a `wait` answers. */
export const OK = 0;
export const NOT_EQUAL = 1;
export const TIMED_OUT = 2;
/** A `waitAsync` answers NOT_EQUAL, TIMED_OUT, or this and more: this and the number of the waiter that it adds. */
export const WAITING = 3;

export const WRITES_ONLY: ReadonlySet<Kind> = new Set(["write", "store"]);
export const READS_ONLY: ReadonlySet<Kind> = new Set(["read", "load", "wait", "waitAsync", "notify"]);

/** What stands in a word of this content after an access to all of it. */
export function changed(old: number, kind: Kind, operand: number, other: number): number {
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

/** The same for any lane; `old` is what stands in it. */
export function changedIn(lane: Lane, old: Value, kind: Kind, operand: Value, other: Value): Value {
  if (lane === LONG) return changedLong(old as bigint, kind, BigInt(operand), BigInt(other));
  const value = changed(old as number, kind, operand as number, other as number);
  return lane === WORD ? value : value & maskOf(lane);
}

const long = new BigInt64Array(1);
const { compareExchange } = Atomics;
/** What changes a word, but for compareExchange. Kept, as they may be replaced while a program is explored. */
const CHANGES: Readonly<
  Partial<Record<Kind, (array: BigInt64Array, at: number, operand: bigint) => bigint>>
> = {
  ...(({ exchange, store, add, sub, and, or, xor }) => ({ exchange, store, add, sub, and, or, xor }))(
    Atomics,
  ),
  write: Atomics.store,
};

function changedLong(old: bigint, kind: Kind, operand: bigint, other: bigint): bigint {
  long[0] = old;
  if (kind === "compareExchange") compareExchange(long, 0, operand, other);
  else CHANGES[kind]?.(long, 0, operand);
  return long[0];
}

/** What a lane that is part of a word holds. */
export function partOf(word: number, lane: Lane): number {
  return (word >>> shiftOf(lane)) & maskOf(lane);
}

/** The word with another value in a lane that is part of it. */
export function withPart(word: number, lane: Lane, value: number): number {
  const shift = shiftOf(lane);
  return (word & ~(maskOf(lane) << shift)) | (value << shift);
}

export function longOf(low: number, high: number): bigint {
  return (BigInt(high) << 32n) | BigInt(low >>> 0);
}

export const lowOf = (long: bigint): number => Number(BigInt.asIntN(32, long));
export const highOf = (long: bigint): number => Number(BigInt.asIntN(32, long >> 32n));

/** Bits of a byte or half, from the lowest. */
const maskOf = (lane: Lane): number => (lane >= HALF ? 0xffff : 0xff);
const shiftOf = (lane: Lane): number => 8 * (lane >= HALF ? lane - HALF : lane - BYTE);
