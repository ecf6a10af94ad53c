import { BYTE, HALF, type Lane, LONG, type Value, WORD } from "./access.ts";

/** How a typed array, or a field of a DataView, keeps its elements in lanes. */
export interface Element {
  /** As in the names of the array and of DataView's methods. */
  readonly name: string;
  /** Whether a DataView has such fields. */
  readonly isField: boolean;
  readonly bytes: number;
  /** Whether Atomics has operations on such elements, and whether threads can wait for one to change. */
  readonly isAtomic: boolean;
  readonly isWaitable: boolean;
  /** The native constructor of arrays of these, as it was when this module was loaded. */
  readonly Native: NativeConstructor;
  /**
   * What its lane holds for a value that code gives. Converts as ECMAScript does, and throws its TypeErrors.
   */
  encode(given: unknown): Value;
  decode(held: Value): number | bigint;
}

export type NativeArray = { [index: number]: unknown } & ArrayBufferView & {
    readonly length: number;
    set(values: ArrayLike<unknown>, offset?: unknown): void;
    subarray(begin?: number, end?: number): NativeArray;
  };
export interface NativeConstructor {
  readonly name: string;
  readonly prototype: object;
  readonly BYTES_PER_ELEMENT: number;
  new (length: number): NativeArray;
  new (buffer: SharedArrayBuffer | ArrayBuffer, byteOffset: number, length: number): NativeArray;
}

/** A value is written here as code knows it, and read as its lane holds it, or the other way round. */
const scratch = new ArrayBuffer(8);
const LANES: Readonly<Record<number, { [index: number]: Value }>> = {
  1: new Uint8Array(scratch),
  2: new Uint16Array(scratch),
  4: new Int32Array(scratch),
  8: new BigInt64Array(scratch),
};

function elementOf(Native: NativeConstructor): Element {
  const bytes = Native.BYTES_PER_ELEMENT;
  const lane = LANES[bytes]!;
  const element = new Native(scratch, 0, 1) as unknown as { [index: number]: number | bigint };
  return {
    name: Native.name.slice(0, -"Array".length),
    isField: !Native.name.includes("Clamped"),
    bytes,
    isAtomic: !/Clamped|Float/.test(Native.name),
    isWaitable: /^(?:Int32|BigInt64)/.test(Native.name),
    Native,
    encode(given) {
      element[0] = given as number;
      return lane[0]!;
    },
    decode(held) {
      lane[0] = held;
      return element[0]!;
    },
  };
}

/** By far the most frequent: its values need no other place. */
export const INT32: Element = {
  ...elementOf(Int32Array as unknown as NativeConstructor),
  // An operator and not Number, which takes a bigint.
  encode: (given) => (given as number) | 0,
  decode: (held) => held,
};

const OTHERS: readonly unknown[] = [
  ...[Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Uint32Array],
  ...[BigInt64Array, BigUint64Array, Float32Array, Float64Array],
];
export const ELEMENTS: readonly Element[] = [
  INT32,
  ...OTHERS.map((Native) => elementOf(Native as NativeConstructor)),
];

/** The lane of this many bytes that begins with a byte at this number, a multiple of `bytes`. */
export function laneAt(byte: number, bytes: number): Lane {
  if (bytes === 4) return WORD;
  if (bytes === 8) return LONG;
  return bytes === 1 ? BYTE + (byte & 3) : HALF + (byte & 2);
}
