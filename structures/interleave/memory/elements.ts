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

export type NativeArray = { [index: number]: unknown } & ArrayBufferView & { readonly length: number };
interface NativeConstructor {
  new (length: number): NativeArray;
  new (buffer: SharedArrayBuffer, byteOffset: number, length: number): NativeArray;
}

const floats = new Float32Array(1);
const floatBits = new Int32Array(floats.buffer);
const doubles = new Float64Array(1);
const doubleBits = new BigInt64Array(doubles.buffer);
const clamped = new Uint8ClampedArray(1);

// Operators and not Number, which takes a bigint: an element of a number array is given none.
const low = (mask: number) => (given: unknown) => (given as number) & mask;
const long = (given: unknown) => BigInt.asIntN(64, given as bigint);
const asIs = (held: Value) => held;

function element(
  Native: unknown,
  encode: Element["encode"],
  decode: Element["decode"],
  isAtomic = true,
  isWaitable = false,
): Element {
  const { name, BYTES_PER_ELEMENT: bytes } = Native as Int32ArrayConstructor;
  return {
    name: name.slice(0, -"Array".length),
    isField: Native !== Uint8ClampedArray,
    bytes,
    isAtomic,
    isWaitable,
    Native: Native as NativeConstructor,
    encode,
    decode,
  };
}

export const INT32 = element(Int32Array, (given) => (given as number) | 0, asIs, true, true);
export const UINT8 = element(Uint8Array, low(0xff), asIs);

export const ELEMENTS: readonly Element[] = [
  INT32,
  UINT8,
  element(Int8Array, low(0xff), (held) => ((held as number) << 24) >> 24),
  element(
    Uint8ClampedArray,
    (given) => {
      clamped[0] = given as number;
      return clamped[0]!;
    },
    asIs,
    false,
  ),
  element(Int16Array, low(0xffff), (held) => ((held as number) << 16) >> 16),
  element(Uint16Array, low(0xffff), asIs),
  element(
    Uint32Array,
    (given) => (given as number) | 0,
    (held) => (held as number) >>> 0,
  ),
  element(BigInt64Array, long, asIs, true, true),
  element(BigUint64Array, long, (held) => BigInt.asUintN(64, held as bigint)),
  element(
    Float32Array,
    (given) => {
      floats[0] = given as number;
      return floatBits[0]!;
    },
    (held) => {
      floatBits[0] = held as number;
      return floats[0]!;
    },
    false,
  ),
  element(
    Float64Array,
    (given) => {
      doubles[0] = given as number;
      return doubleBits[0]!;
    },
    (held) => {
      doubleBits[0] = held as bigint;
      return doubles[0]!;
    },
    false,
  ),
];

/** The lane of this many bytes that begins with a byte at this number, a multiple of `bytes`. */
export function laneAt(byte: number, bytes: number): Lane {
  if (bytes === 4) return WORD;
  if (bytes === 8) return LONG;
  return bytes === 1 ? BYTE + (byte & 3) : HALF + (byte & 2);
}

const scratch = new DataView(new ArrayBuffer(8));

/** The same bytes in the opposite order. */
export function swapped(held: Value, bytes: number): Value {
  if (bytes === 1) return held;
  if (bytes === 8) {
    scratch.setBigInt64(0, held as bigint, true);
    return scratch.getBigInt64(0);
  }
  if (bytes === 4) {
    scratch.setInt32(0, held as number, true);
    return scratch.getInt32(0);
  }
  scratch.setUint16(0, held as number, true);
  return scratch.getUint16(0);
}

/** A value of several bytes from each of them, the lowest first. */
export function joined(bytes: readonly number[]): Value {
  for (const [at, byte] of bytes.entries()) scratch.setUint8(at, byte);
  if (bytes.length === 8) return scratch.getBigInt64(0, true);
  return bytes.length === 4 ? scratch.getInt32(0, true) : scratch.getUint16(0, true);
}

/** The bytes of a value, the lowest first. */
export function bytesOf(held: Value, bytes: number): number[] {
  if (bytes === 8) scratch.setBigInt64(0, held as bigint, true);
  else scratch.setInt32(0, held as number, true);
  return Array.from({ length: bytes }, (_, at) => scratch.getUint8(at));
}
