import { type Kind, type Lane, type Perform, TIMED_OUT, type Value, WORD_BYTES } from "./access.ts";
import {
  bytesOf,
  ELEMENTS,
  type Element,
  INT32,
  joined,
  laneAt,
  type NativeArray,
  swapped,
  UINT8,
} from "./elements.ts";

/**
 * Stands in for memory that threads share, and passes each access to an observer. Code runs on it unchanged,
 * while the observer decides what each access returns and when.
 *
 * To code, a stand-in is a SharedArrayBuffer, a typed array or a DataView: `instanceof` holds, and so do
 * methods, bounds and conversions. Each element that a method reads or writes is one access, in the order of
 * ECMAScript; so is a 64-bit element, and a field of a DataView that is aligned. An unaligned field is accessed
 * byte by byte, from its first byte.
 *
 * `replaceAtomics` makes Atomics know stand-ins, and the constructors of views their buffers; both pass other
 * memory through. Code that has kept a function of Atomics or a constructor in a variable before, or extended
 * it, has the native one, which takes no stand-in. `registerForEver` replaces them early enough, without effect
 * on other memory.
 *
 * What remains different. The elements are no properties of the stand-in's own: Object.keys and JSON.stringify
 * see none, and `in` finds indices past the end. Native functions take no stand-in: TextDecoder, Buffer.from,
 * structuredClone, node:util's tests of types, and methods of typed arrays that are called by `super` or
 * `call`. Float16Array has none.
 *
 * How. Elements are accessors of a prototype, and a proxy at the end of the prototype chain finds those with
 * large indices. A proxy in the place of the array itself would be asked for `length` and every method, and
 * costs more to make.
 */

/** Number of a byte to that of its word. */
const WORD_SHIFT = 2;

const NativeSharedArrayBuffer = SharedArrayBuffer;
const NativeDataView = DataView;
const { isView: isNativeView } = ArrayBuffer;
const TypedArrays = Object.getPrototypeOf(Int32Array) as { readonly prototype: object };

const REGISTER = 'import "interleave-shared/register" before the code under test';

/**
 * A buffer of `byteLength` bytes. Its words have the numbers from `firstWord` on, which is even so that 64-bit
 * elements are aligned.
 */
export function standInBuffer(byteLength: number, firstWord: number, perform: Perform): SharedArrayBuffer {
  return new StandInBuffer(byteLength, firstWord, perform) as unknown as SharedArrayBuffer;
}

/**
 * Whether a view can have a stand-in. Not where it is an instance of a subclass, whose constructor would have
 * to run.
 */
export function hasStandIn(view: ArrayBufferView): boolean {
  return Object.getPrototypeOf(view) === NativeDataView.prototype || elementOf(view) !== undefined;
}

function elementOf(view: ArrayBufferView): Element | undefined {
  const prototype: unknown = Object.getPrototypeOf(view);
  return ELEMENTS.find(({ Native }) => Native.prototype === prototype);
}

/** A view like `view`, which can have a stand-in, over another buffer, which is real or itself stands in. */
export function viewLike(view: ArrayBufferView, buffer: SharedArrayBuffer): ArrayBufferView {
  const { byteOffset, byteLength } = view;
  const element = elementOf(view);
  const isReal = StandInBuffer.bytesOf(buffer) === undefined;
  if (element === undefined) {
    if (isReal) return new NativeDataView(buffer, byteOffset, byteLength);
    return new (dataViewClass())(buffer, byteOffset, byteLength) as unknown as DataView;
  }
  const length = byteLength / element.bytes;
  if (isReal) return new element.Native(buffer, byteOffset, length);
  return typedArray(element, buffer, byteOffset, length) as unknown as Int32Array;
}

function typedArray(
  element: Element,
  buffer: StandInBuffer | SharedArrayBuffer,
  byteOffset: number,
  length: number,
): StandInArray {
  return new (arrayClass(element))(element, buffer, byteOffset, length);
}

/** Where the bytes of a buffer are. */
interface Bytes {
  readonly byteLength: number;
  /** Number of its first byte, of all that the observer knows. */
  readonly first: number;
  readonly perform: Perform;
}

class StandInBuffer {
  readonly #bytes: Bytes;

  constructor(byteLength: number, firstWord: number, perform: Perform) {
    this.#bytes = { byteLength, first: firstWord * WORD_BYTES, perform };
  }

  static bytesOf(value: unknown): Bytes | undefined {
    return typeof value === "object" && value !== null && #bytes in value ? value.#bytes : undefined;
  }

  get byteLength(): number {
    return this.#bytes.byteLength;
  }

  get maxByteLength(): number {
    return this.#bytes.byteLength;
  }

  get growable(): boolean {
    return false;
  }

  grow(): never {
    throw new TypeError("explored memory cannot grow");
  }

  /** A copy that no other thread sees, made byte by byte. */
  slice(begin?: number, end?: number): SharedArrayBuffer {
    const [from, past] = stretchOf(this.#bytes.byteLength, begin, end);
    const copy = new NativeSharedArrayBuffer(past - from);
    new Uint8Array(copy).set(typedArray(UINT8, this, from, past - from) as unknown as Uint8Array);
    return copy;
  }

  /**
   * Asked for by a native constructor of typed arrays, which takes this for a list and would make an empty
   * array.
   */
  get [Symbol.iterator](): never {
    throw new Error(
      `explored memory has no such view: the code keeps a constructor from before, so ${REGISTER}; or it is a Float16Array, which is not supported`,
    );
  }
}

/** Makes the native methods that a stand-in lacks throw one Error that says so. */
function refuseOthers(prototype: object, native: object): void {
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(native)))
    if (typeof value === "function" && name !== "constructor" && !Object.hasOwn(prototype, name))
      Object.defineProperty(prototype, name, {
        configurable: true,
        writable: true,
        value: () => {
          throw new Error(
            `explored memory has no ${name}: copy it with slice() and call ${name} on the copy`,
          );
        },
      });
}

/** A stand-in for a typed array, without what differs from one to another: see `arrayClass`. */
class StandInArray {
  readonly #element: Element;
  readonly #buffer: SharedArrayBuffer;
  readonly #byteOffset: number;
  readonly #length: number;
  readonly #perform: Perform;
  /** Number of its first byte. */
  readonly #first: number;

  constructor(
    element: Element,
    buffer: StandInBuffer | SharedArrayBuffer,
    byteOffset: number,
    length: number,
  ) {
    const { first, perform } = StandInBuffer.bytesOf(buffer)!;
    this.#element = element;
    this.#buffer = buffer as SharedArrayBuffer;
    this.#byteOffset = byteOffset;
    this.#length = length;
    this.#perform = perform;
    this.#first = first + byteOffset;
  }

  static is(value: unknown): value is StandInArray {
    // The first question alone is fast for other memory.
    return !isNativeView(value) && typeof value === "object" && value !== null && #element in value;
  }

  static read(array: StandInArray, index: number): unknown {
    return array.#isWithin(index) ? array.#get(index) : undefined;
  }

  static write(array: StandInArray, index: number, value: unknown): void {
    const held = array.#element.encode(value);
    if (array.#isWithin(index)) array.#put(index, held);
  }

  static atomically(
    array: StandInArray,
    kind: Kind,
    index: unknown,
    operand: unknown,
    other: unknown,
  ): number | bigint {
    const element = array.#element;
    const perform = array.#perform;
    if (element === INT32 && (index as number) >>> 0 === index && index < array.#length) {
      const value = (operand as number) | 0;
      if (kind !== "store" || value === operand)
        return perform(kind, (array.#first >> WORD_SHIFT) + index, value, (other as number) | 0) as number;
    }
    if (!element.isAtomic) throw new TypeError(`Atomics has no operations on a ${element.name}Array`);
    const byte = array.#byteFor(index);
    const lane = laneAt(byte, element.bytes);
    const word = byte >> WORD_SHIFT;
    if (kind === "load") return element.decode(perform(kind, word, undefined, undefined, lane));
    if (kind === "store") {
      // Answers what it was given as an integer, not what the element holds of it.
      const given = element.bytes < 8 ? Math.trunc(operand as number) || 0 : operand;
      const held = element.encode(given);
      perform(kind, word, held, undefined, lane);
      return typeof given === "number" || typeof given === "bigint" ? given : element.decode(held);
    }
    const held = element.encode(operand);
    const instead = kind === "compareExchange" ? element.encode(other) : undefined;
    return element.decode(perform(kind, word, held, instead, lane));
  }

  /** Calls `wait` with the numbers of a wait for an element. */
  static waiting<Answer>(
    array: StandInArray,
    [index, expected, limit]: readonly unknown[],
    wait: (perform: Perform, word: number, lane: number, expected: Value, limitMs: number) => Answer,
  ): Answer {
    const { word, lane } = array.#waitable(index);
    const held = array.#element.encode(expected);
    return wait(array.#perform, word, lane, held, limitOf(limit as number));
  }

  static notify(array: StandInArray, index: unknown, count: unknown): number {
    const { word, lane } = array.#waitable(index);
    const most = count === undefined ? MOST_WOKEN : Math.max(0, integerOf(count));
    return array.#perform("notify", word, Math.min(most, MOST_WOKEN), undefined, lane) as number;
  }

  #waitable(index: unknown): { readonly word: number; readonly lane: number } {
    const { name, bytes, isWaitable } = this.#element;
    if (!isWaitable)
      throw new TypeError(`threads wait on an Int32Array or a BigInt64Array, not on a ${name}Array`);
    const byte = this.#byteFor(index);
    return { word: byte >> WORD_SHIFT, lane: laneAt(byte, bytes) };
  }

  /** Number of the byte at which an element begins that is given to Atomics. */
  #byteFor(index: unknown): number {
    const at = toIndex(index, "access index");
    if (at >= this.#length) throw new RangeError(`access index ${at} is not within ${this.#length} elements`);
    return this.#first + at * this.#element.bytes;
  }

  #isWithin(index: number): boolean {
    return index >= 0 && index < this.#length && Number.isInteger(index);
  }

  #get(index: number): unknown {
    const element = this.#element;
    if (element === INT32) return this.#perform("read", (this.#first >> WORD_SHIFT) + index);
    const byte = this.#first + index * element.bytes;
    const lane = laneAt(byte, element.bytes);
    return element.decode(this.#perform("read", byte >> WORD_SHIFT, undefined, undefined, lane));
  }

  #put(index: number, held: Value): void {
    const element = this.#element;
    if (element === INT32) {
      this.#perform("write", (this.#first >> WORD_SHIFT) + index, held);
      return;
    }
    const byte = this.#first + index * element.bytes;
    this.#perform("write", byte >> WORD_SHIFT, held, undefined, laneAt(byte, element.bytes));
  }

  /** A private array of the same kind. */
  #another(length: number): NativeArray {
    const Species = this.#species();
    return Species === undefined ? new this.#element.Native(length) : (new Species(length) as NativeArray);
  }

  /** What makes arrays from it, if code has made a class of its own. */
  #species(): (new (...given: readonly unknown[]) => unknown) | undefined {
    const isPlain = Object.getPrototypeOf(this) === arrayClass(this.#element).prototype;
    return isPlain ? undefined : Reflect.get(this.constructor, Symbol.species);
  }

  /** Its elements in a private array of the native kind. */
  #copy(): Int32Array {
    const copy = new this.#element.Native(this.#length);
    for (let index = 0; index < this.#length; index++) copy[index] = this.#get(index);
    return copy as Int32Array;
  }

  get [Symbol.toStringTag](): string {
    return `${this.#element.name}Array`;
  }

  get BYTES_PER_ELEMENT(): number {
    return this.#element.bytes;
  }

  get buffer(): SharedArrayBuffer {
    return this.#buffer;
  }

  get byteOffset(): number {
    return this.#byteOffset;
  }

  get byteLength(): number {
    return this.#length * this.#element.bytes;
  }

  get length(): number {
    return this.#length;
  }

  subarray(begin?: number, end?: number): unknown {
    const [from, past] = stretchOf(this.#length, begin, end);
    const byteOffset = this.#byteOffset + from * this.#element.bytes;
    const Species = this.#species();
    return Species === undefined
      ? typedArray(this.#element, this.#buffer, byteOffset, past - from)
      : new Species(this.#buffer, byteOffset, past - from);
  }

  /** A copy that no other thread sees. */
  slice(begin?: number, end?: number): NativeArray {
    const [from, past] = stretchOf(this.#length, begin, end);
    const copy = this.#another(past - from);
    for (let index = from; index < past; index++) copy[index - from] = this.#get(index);
    return copy;
  }

  fill(value: unknown, begin?: number, end?: number): this {
    const held = this.#element.encode(value);
    const [from, past] = stretchOf(this.#length, begin, end);
    for (let index = from; index < past; index++) this.#put(index, held);
    return this;
  }

  set(values: ArrayLike<unknown>, offset?: number): void {
    const from = integerOf(offset);
    // Stand-ins may overlap.
    const source = StandInArray.is(values) ? values.#copy() : values;
    if (from < 0 || from + source.length > this.#length)
      throw new RangeError(`${source.length} values from ${from} on are not within ${this.#length} elements`);
    for (let index = 0; index < source.length; index++)
      this.#put(from + index, this.#element.encode(source[index]));
  }

  sort(order?: (one: number, another: number) => number): this {
    for (const [index, value] of this.#copy().sort(order).entries())
      this.#put(index, this.#element.encode(value));
    return this;
  }

  toSorted(order?: (one: number, another: number) => number): unknown {
    return this.#copy().sort(order);
  }

  toReversed(): unknown {
    return this.#copy().reverse();
  }

  with(index: number, value: number): unknown {
    return this.#copy().with(index, value);
  }

  map(convert: Visit, self?: unknown): NativeArray {
    const made = this.#another(this.#length);
    for (let index = 0; index < this.#length; index++)
      made[index] = convert.call(self, this.#get(index), index, this);
    return made;
  }

  filter(test: Visit, self?: unknown): NativeArray {
    const kept: unknown[] = [];
    for (let index = 0; index < this.#length; index++) {
      const value = this.#get(index);
      if (test.call(self, value, index, this)) kept.push(value);
    }
    const made = this.#another(kept.length);
    for (const [index, value] of kept.entries()) made[index] = value;
    return made;
  }
}

type Visit = (value: unknown, index: number, array: StandInArray) => unknown;

// What loads and stores elements in turn, as they are, is the same for arrays.
const OF_ARRAYS = [
  ...(["at", "indexOf", "lastIndexOf", "includes", "join", "toString", "keys", "values", "entries"] as const),
  ...(["find", "findIndex", "findLast", "findLastIndex", "some", "every", "forEach"] as const),
  ...(["reduce", "reduceRight", "reverse", "copyWithin", Symbol.iterator] as const),
];
for (const name of OF_ARRAYS)
  Object.defineProperty(StandInArray.prototype, name, {
    configurable: true,
    writable: true,
    value: Array.prototype[name],
  });

/** A stand-in for a DataView. Its methods for fields are defined below. */
class StandInDataView {
  readonly #buffer: SharedArrayBuffer;
  readonly #byteOffset: number;
  readonly #byteLength: number;

  constructor(buffer: StandInBuffer | SharedArrayBuffer, byteOffset: number, byteLength: number) {
    this.#buffer = buffer as SharedArrayBuffer;
    this.#byteOffset = byteOffset;
    this.#byteLength = byteLength;
  }

  static is(value: unknown): value is StandInDataView {
    return typeof value === "object" && value !== null && #byteOffset in value;
  }

  static read(
    view: StandInDataView,
    { bytes, decode }: Element,
    at: unknown,
    isLittle: unknown,
  ): number | bigint {
    const { perform, first } = view.#field(toIndex(at, "offset"), bytes);
    const read = (byte: number, count: number) =>
      perform("read", byte >> WORD_SHIFT, undefined, undefined, laneAt(byte, count));
    const held =
      first % bytes === 0
        ? read(first, bytes)
        : joined(Array.from({ length: bytes }, (_, index) => read(first + index, 1) as number));
    return decode(isLittle ? held : swapped(held, bytes));
  }

  static write(
    view: StandInDataView,
    element: Element,
    at: unknown,
    value: unknown,
    isLittle: unknown,
  ): void {
    const { bytes } = element;
    const index = toIndex(at, "offset");
    const given = element.encode(value);
    const { perform, first } = view.#field(index, bytes);
    const write = (byte: number, count: number, held: Value) =>
      perform("write", byte >> WORD_SHIFT, held, undefined, laneAt(byte, count));
    const held = isLittle ? given : swapped(given, bytes);
    if (first % bytes === 0) write(first, bytes, held);
    else for (const [offset, byte] of bytesOf(held, bytes).entries()) write(first + offset, 1, byte);
  }

  #field(at: number, bytes: number): Bytes {
    if (at + bytes > this.#byteLength)
      throw new RangeError(`${bytes} bytes from ${at} on are not within a DataView of ${this.#byteLength}`);
    const { perform, first } = StandInBuffer.bytesOf(this.#buffer)!;
    return { perform, first: first + this.#byteOffset + at, byteLength: bytes };
  }

  get buffer(): SharedArrayBuffer {
    return this.#buffer;
  }

  get byteOffset(): number {
    return this.#byteOffset;
  }

  get byteLength(): number {
    return this.#byteLength;
  }
}

for (const element of ELEMENTS) {
  if (!element.isField) continue;
  const methods = {
    [`get${element.name}`](this: StandInDataView, at: unknown, isLittle?: unknown) {
      return StandInDataView.read(this, element, at, isLittle);
    },
    [`set${element.name}`](this: StandInDataView, at: unknown, value: unknown, isLittle?: unknown) {
      StandInDataView.write(this, element, at, value, isLittle);
    },
  };
  for (const [name, value] of Object.entries(methods))
    Object.defineProperty(StandInDataView.prototype, name, { configurable: true, writable: true, value });
}

Reflect.deleteProperty(StandInBuffer.prototype, "constructor");
Object.setPrototypeOf(StandInBuffer.prototype, SharedArrayBuffer.prototype);

/** Elements with an index below this are found fast, by accessors; the others by a proxy. */
const FAST_INDICES = 256;
const fastElements: PropertyDescriptorMap = {};
for (let index = 0; index < FAST_INDICES; index++)
  fastElements[index] = {
    get(this: StandInArray) {
      return StandInArray.read(this, index);
    },
    set(this: StandInArray, value: unknown) {
      StandInArray.write(this, index, value);
    },
  };

/** The end of a chain of prototypes, where all keys arrive that no object before it has. */
class Elements implements ProxyHandler<object> {
  readonly #isSubclass: boolean;

  constructor(isSubclass: boolean) {
    this.#isSubclass = isSubclass;
  }

  get(target: object, key: string | symbol, array: StandInArray): unknown {
    const index = indexOf(key);
    return index === undefined ? Reflect.get(target, key, array) : StandInArray.read(array, index);
  }

  has(target: object, key: string | symbol): boolean {
    return indexOf(key) !== undefined || Reflect.has(target, key);
  }

  set(target: object, key: string | symbol, value: unknown, array: StandInArray): boolean {
    const index = indexOf(key);
    if (index !== undefined) StandInArray.write(array, index, value);
    else if (this.#isSubclass) return Reflect.set(target, key, value, array);
    else throw new Error(`explored memory cannot be given a ${String(key)}, which would not be shared`);
    return true;
  }
}

/** The number that a key is the text of, as in ECMAScript: such a key is an element's or nothing. */
function indexOf(key: string | symbol): number | undefined {
  if (typeof key === "symbol") return undefined;
  const index = Number(key);
  return String(index) === key ? index : undefined;
}

/** By the prototype that instances pose as having: of a native constructor, or of a class that extends it. */
const classes = new WeakMap<object, typeof StandInArray | typeof StandInDataView>();

/** A class with the methods of the code's own class, if it has one, before those of `Base`. */
function derived<Base extends typeof StandInArray | typeof StandInDataView>(
  made: Base,
  Base: Base,
  native: object,
  prototype: object,
): Base {
  const own = made.prototype;
  Object.defineProperties(own, Object.getOwnPropertyDescriptors(Base.prototype));
  const theirs: object[] = [];
  for (let at = prototype; at !== native; at = Object.getPrototypeOf(at)) theirs.unshift(at);
  for (const each of theirs) Object.defineProperties(own, Object.getOwnPropertyDescriptors(each));
  classes.set(prototype, made);
  return made;
}

/** Behind a prototype is the proxy, and behind that, for `instanceof`, the prototype that the code knows. */
function arrayClass({ name, Native }: Element, prototype = Native.prototype): typeof StandInArray {
  const known = classes.get(prototype);
  if (known !== undefined) return known as typeof StandInArray;
  const isSubclass = prototype !== Native.prototype;
  const made = derived(class extends StandInArray {}, StandInArray, Native.prototype, prototype);
  const own = made.prototype;
  Object.defineProperties(own, fastElements);
  if (!isSubclass)
    Object.defineProperty(own, "constructor", { get: () => Reflect.get(globalThis, `${name}Array`) });
  refuseOthers(own, Native.prototype);
  refuseOthers(own, TypedArrays.prototype);
  Object.setPrototypeOf(own, new Proxy(Object.create(prototype), new Elements(isSubclass)));
  return made;
}

function dataViewClass(prototype: object = NativeDataView.prototype): typeof StandInDataView {
  const known = classes.get(prototype);
  if (known !== undefined) return known as typeof StandInDataView;
  const made = derived(
    class extends StandInDataView {},
    StandInDataView,
    NativeDataView.prototype,
    prototype,
  );
  const own = made.prototype;
  if (prototype === NativeDataView.prototype)
    Object.defineProperty(own, "constructor", { get: () => DataView });
  refuseOthers(own, NativeDataView.prototype);
  Object.setPrototypeOf(own, prototype);
  return made;
}

/** What the code gave to a constructor, in bytes and elements; throws the RangeErrors of ECMAScript. */
function extentOf(
  [buffer, offset, count]: readonly unknown[],
  bytes: number,
  name: string,
): readonly [buffer: StandInBuffer, byteOffset: number, length: number] {
  const { byteLength } = buffer as StandInBuffer;
  const byteOffset = toIndex(offset, "byte offset");
  if (byteOffset % bytes !== 0)
    throw new RangeError(`start offset of ${name} should be a multiple of ${bytes}`);
  if (count === undefined && byteLength % bytes !== 0)
    throw new RangeError(`byte length of ${name} should be a multiple of ${bytes}`);
  const length = count === undefined ? (byteLength - byteOffset) / bytes : toIndex(count, "length");
  if (length < 0 || byteOffset + length * bytes > byteLength)
    throw new RangeError(
      `${name} of ${length} elements from byte ${byteOffset} on is not within ${byteLength} bytes`,
    );
  return [buffer as StandInBuffer, byteOffset, length];
}

/** How a program's waits and pauses are answered that no `Perform` gets. */
export interface Replacement {
  /** Takes the place of Atomics.pause in a runtime that has it. */
  readonly pause?: () => void;
  /**
   * Atomics.wait on memory that is no stand-in. Without this it answers "timed-out" at once: it is a pause of a
   * thread whose time is the observer's.
   */
  readonly waitElsewhere?: (
    view: Int32Array | BigInt64Array,
    index: number,
    expected: number | bigint,
    limitMs: number,
  ) => WaitAnswer;
  /**
   * What Atomics.waitAsync returns for a stand-in; `limitMs` is Infinity for none. Without this it throws an
   * Error.
   */
  readonly waitAsync?: (word: number, lane: Lane, expected: Value, limitMs: number) => unknown;
}

const WAIT_ANSWERS = ["ok", "not-equal", "timed-out"] as const;
type WaitAnswer = (typeof WAIT_ANSWERS)[number];

const ATOMICS = ["load", "store", "exchange", "compareExchange", "add", "sub", "and", "or", "xor"] as const;
/** What no limit means to `notify`. */
const MOST_WOKEN = 2 ** 31 - 1;

type Atomic = (array: unknown, index?: unknown, operand?: unknown, other?: unknown) => unknown;

/** Those in force; the last one decides. */
const replacements: Replacement[] = [];
/** How often Atomics was replaced and not yet restored. */
let uses = 0;
let restore: (() => void) | undefined;

/**
 * Makes Atomics and the constructors of views know stand-ins in this thread. Returns how to undo it. May be
 * nested; then the last replacement decides.
 */
export function replaceAtomics(replacement: Replacement = {}): () => void {
  replacements.push(replacement);
  const release = hold();
  return () => {
    const at = replacements.indexOf(replacement);
    if (at >= 0) replacements.splice(at, 1);
    release();
  };
}

/**
 * The same until the thread ends, with nothing replaced for other memory. What code keeps from now on knows
 * stand-ins.
 */
export function registerForEver(): void {
  hold();
}

function hold(): () => void {
  uses++;
  restore ??= replaceAll();
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    uses--;
    if (uses > 0) return;
    restore!();
    restore = undefined;
  };
}

type Replace = <Original>(holder: object, name: string, make: (original: Original) => unknown) => void;

/** Returns how to restore what was there. */
function replaceAll(): () => void {
  const originals: [holder: object, name: string, original: unknown][] = [];
  const replace: Replace = (holder, name, make) => {
    const original: unknown = Reflect.get(holder, name);
    if (original === undefined) return;
    originals.push([holder, name, original]);
    Reflect.set(holder, name, make(original as never));
  };
  replaceOperations(replace);
  replaceViews(replace);
  return () => {
    for (const [holder, name, original] of originals) Reflect.set(holder, name, original);
  };
}

function replaceOperations(replace: Replace): void {
  const atomic = (name: string, make: (native: Atomic) => Atomic) => replace(Atomics, name, make);
  for (const kind of ATOMICS)
    atomic(
      kind,
      (native) => (array, index, operand, other) =>
        StandInArray.is(array)
          ? StandInArray.atomically(array, kind, index, operand, other)
          : native(array, index, operand, other),
    );
  atomic("wait", (native) => (array, ...wait) => {
    if (StandInArray.is(array))
      return StandInArray.waiting(array, wait, (perform, word, lane, expected, limitMs) => {
        return WAIT_ANSWERS[perform("wait", word, expected, limitMs, lane) as number];
      });
    const replacement = replacements.at(-1);
    if (replacement === undefined) return native(array, ...wait);
    const { waitElsewhere = () => WAIT_ANSWERS[TIMED_OUT] } = replacement;
    const [index, expected, limit] = wait as [number, number | bigint, number?];
    return waitElsewhere(array as Int32Array, index, expected, limitOf(limit));
  });
  atomic(
    "waitAsync",
    (native) =>
      (array, ...wait) =>
        StandInArray.is(array) ? waitingAsync(array, wait) : native(array, ...wait),
  );
  atomic(
    "notify",
    (native) => (array, index, count) =>
      StandInArray.is(array) ? StandInArray.notify(array, index, count) : native(array, index, count),
  );
  atomic("pause", (native) => (...given) => {
    const { pause } = replacements.at(-1) ?? {};
    return pause === undefined ? (native as (...given: unknown[]) => unknown)(...given) : pause();
  });
}

function waitingAsync(array: StandInArray, wait: readonly unknown[]): unknown {
  return StandInArray.waiting(array, wait, (_, word, lane, expected, limitMs) => {
    const { waitAsync } = replacements.at(-1) ?? {};
    if (waitAsync === undefined)
      throw new Error(
        "a thread that is explored cannot call Atomics.waitAsync here: use checkAsync, exploreAsync or searchAsync",
      );
    return waitAsync(word, lane, expected, limitMs);
  });
}

function replaceViews(replace: Replace): void {
  for (const element of ELEMENTS) {
    const name = `${element.name}Array`;
    replace(globalThis, name, (native: object) =>
      knowingBuffers(native, (given, prototype) => {
        const Class = arrayClass(element, prototype);
        return new Class(element, ...extentOf(given, element.bytes, name));
      }),
    );
  }
  replace(globalThis, "DataView", (native: object) =>
    knowingBuffers(
      native,
      (given, prototype) => new (dataViewClass(prototype))(...extentOf(given, 1, "DataView")),
    ),
  );
  replace(
    ArrayBuffer,
    "isView",
    (native: typeof ArrayBuffer.isView) => (value: unknown) =>
      native(value) || StandInArray.is(value) || StandInDataView.is(value),
  );
}

/** A constructor of views that calls `make` where it is given the buffer of a stand-in. */
function knowingBuffers(
  native: object,
  make: (given: readonly unknown[], prototype: object) => object,
): unknown {
  const knowing: object = new Proxy(native as new (...given: unknown[]) => object, {
    construct(target, given: unknown[], made) {
      const own = made === knowing ? target : made;
      return StandInBuffer.bytesOf(given[0]) === undefined
        ? Reflect.construct(target, given, own)
        : make(given, own.prototype);
    },
  });
  return knowing;
}

/** Native messages about memory that is not what it seems. */
const NATIVE = /typed array|TypedArray|DataView|ArrayBuffer|ArrayBufferView/i;

/** A TypeError that native code throws when it is given a stand-in, with the cause; anything else as it is. */
export function explained(error: unknown): unknown {
  if (!(error instanceof TypeError) || !NATIVE.test(error.message)) return error;
  const says = `${error.message.replace(/\.$/, "")}. Native code says this when it is given explored memory.`;
  const cure = `If the code keeps functions of Atomics or constructors in variables, ${REGISTER}. Other native functions need a copy, made with slice().`;
  return new TypeError(`${says} ${cure}`, { cause: error });
}

function limitOf(limit: number | undefined): number {
  const limitMs = Number(limit);
  return Number.isNaN(limitMs) ? Number.POSITIVE_INFINITY : Math.max(0, limitMs);
}

/** As ToIntegerOrInfinity of ECMAScript: what is no number is 0. */
function integerOf(value: unknown): number {
  return Math.trunc(value as number) || 0;
}

/** As ToIndex of ECMAScript. */
function toIndex(value: unknown, what: string): number {
  const index = integerOf(value);
  if (index < 0 || index > Number.MAX_SAFE_INTEGER) throw new RangeError(`${what} ${index} is out of bounds`);
  return index;
}

/** From where to where two indices reach, which count from the end if they are negative. */
function stretchOf(length: number, begin?: number, end?: number): readonly [from: number, past: number] {
  const from = within(length, integerOf(begin));
  return [from, end === undefined ? length : Math.max(from, within(length, integerOf(end)))];
}

function within(length: number, at: number): number {
  return at < 0 ? Math.max(0, length + at) : Math.min(at, length);
}
