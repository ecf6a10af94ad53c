import { type Kind, type Lane, type Perform, TIMED_OUT, type Value, WORD_BYTES } from "./access.ts";
import {
  ELEMENTS,
  type Element,
  INT32,
  laneAt,
  type NativeArray,
  type NativeConstructor,
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

/** For each size of a lane, in bytes: the field of a blank that holds such lanes. */
const FIELDS: Readonly<Record<number, string>> = { 1: "Uint8", 2: "Uint16", 4: "Int32", 8: "BigInt64" };

/** Number of a byte to that of its word. */
const WORD_SHIFT = 2;

const NativeSharedArrayBuffer = SharedArrayBuffer;
const NativeDataView = DataView;
const { isView: isNativeView } = ArrayBuffer;
const TypedArrays = Object.getPrototypeOf(Int32Array) as {
  readonly prototype: object;
  from(this: unknown, elements: readonly unknown[]): NativeArray;
};

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
  const Native = (element?.Native ?? NativeDataView) as NativeConstructor;
  const length = byteLength / (element?.bytes ?? 1);
  const bytes = StandInBuffer.bytesOf(buffer);
  if (bytes === undefined) return new Native(buffer, byteOffset, length);
  const blank = new Native(bytes.blank, byteOffset, length);
  const made: unknown =
    element === undefined
      ? new (dataViewClass())(buffer, blank as unknown as DataView)
      : new (arrayClass(element))(element, buffer, blank);
  return made as ArrayBufferView;
}

/** Where the bytes of a buffer are. */
interface Bytes {
  /** As long, and what native views over it say of themselves holds of stand-ins, too. Nobody reads what it holds. */
  readonly blank: SharedArrayBuffer;
  /** Number of its first byte, of all that the observer knows. */
  readonly first: number;
  readonly perform: Perform;
}

const blanks = new Map<number, SharedArrayBuffer>();

function blankOf(byteLength: number): SharedArrayBuffer {
  const blank = blanks.get(byteLength) ?? new NativeSharedArrayBuffer(byteLength);
  blanks.set(byteLength, blank);
  return blank;
}

class StandInBuffer {
  readonly #bytes: Bytes;

  constructor(byteLength: number, firstWord: number, perform: Perform) {
    this.#bytes = { blank: blankOf(byteLength), first: firstWord * WORD_BYTES, perform };
  }

  static bytesOf(value: unknown): Bytes | undefined {
    return typeof value === "object" && value !== null && #bytes in value ? value.#bytes : undefined;
  }

  get byteLength(): number {
    return this.#bytes.blank.byteLength;
  }

  get maxByteLength(): number {
    return this.#bytes.blank.byteLength;
  }

  get growable(): boolean {
    return false;
  }

  grow(): never {
    throw new TypeError("explored memory cannot grow");
  }

  /** A copy that no other thread sees, made byte by byte. */
  slice(begin?: number, end?: number): SharedArrayBuffer {
    const bytes = new Uint8Array(this as unknown as SharedArrayBuffer).subarray(begin, end);
    const copy = new NativeSharedArrayBuffer(bytes.length);
    new Uint8Array(copy).set(bytes.slice());
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
  /** The view that it would be of the buffer's blank. */
  readonly #blank: NativeArray;
  readonly #length: number;
  readonly #perform: Perform;
  /** Number of its first byte. */
  readonly #first: number;

  constructor(element: Element, buffer: StandInBuffer | SharedArrayBuffer, blank: NativeArray) {
    const { first, perform } = StandInBuffer.bytesOf(buffer)!;
    this.#element = element;
    this.#buffer = buffer as SharedArrayBuffer;
    this.#blank = blank;
    this.#length = blank.length;
    this.#perform = perform;
    this.#first = first + blank.byteOffset;
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

  /** What makes arrays from it, if code has made a class of its own. */
  #species(): (new (...given: readonly unknown[]) => unknown) | undefined {
    const isPlain = Object.getPrototypeOf(this) === arrayClass(this.#element).prototype;
    return isPlain ? undefined : Reflect.get(this.constructor, Symbol.species);
  }

  static blankOf(array: StandInArray): object {
    return array.#blank;
  }

  get buffer(): SharedArrayBuffer {
    return this.#buffer;
  }

  get length(): number {
    return this.#length;
  }

  subarray(begin?: number, end?: number): unknown {
    const part = this.#blank.subarray(begin, end);
    const Species = this.#species();
    return Species === undefined
      ? new (arrayClass(this.#element))(this.#element, this.#buffer, part)
      : new Species(this.#buffer, part.byteOffset, part.length);
  }

  /** A private array of the same kind, or of what code has made of it, with these elements. */
  static holding(array: StandInArray, elements: readonly unknown[]): NativeArray {
    return TypedArrays.from.call(array.#species() ?? array.#element.Native, elements);
  }

  /** Its elements in a private array of the native kind. */
  static copyOf(array: StandInArray): Int32Array {
    return new array.#element.Native(array as never) as unknown as Int32Array;
  }

  set(values: ArrayLike<unknown>, offset?: number): void {
    // Stand-ins may overlap. The native method converts, and knows what is an error.
    const source = StandInArray.is(values) ? StandInArray.copyOf(values) : values;
    this.#blank.set(source, offset);
    const from = integerOf(offset);
    for (let index = from; index < from + source.length; index++)
      this.#put(index, this.#element.encode(this.#blank[index]));
  }

  sort(order?: (one: number, another: number) => number): this {
    this.set(StandInArray.copyOf(this).sort(order));
    return this;
  }
}

type Method = (...given: unknown[]) => unknown;

/** Gives a class methods as those of native classes are. */
function defineMethods(prototype: object, methods: Readonly<Record<string | symbol, unknown>>): void {
  for (const name of Reflect.ownKeys(methods))
    Object.defineProperty(prototype, name, { configurable: true, writable: true, value: methods[name] });
}

// What loads and stores elements in turn, as they are, is the same for arrays.
for (const name of [
  ...(["at", "indexOf", "lastIndexOf", "includes", "join", "toString", "keys", "values", "entries"] as const),
  ...(["find", "findIndex", "findLast", "findLastIndex", "some", "every", "forEach", "fill"] as const),
  ...(["reduce", "reduceRight", "reverse", "copyWithin", Symbol.iterator] as const),
])
  defineMethods(StandInArray.prototype, { [name]: Array.prototype[name] });
// So is what gathers them, but for the kind of array that they are gathered in.
for (const name of ["slice", "map", "filter"] as const)
  defineMethods(StandInArray.prototype, {
    [name](this: StandInArray, ...given: unknown[]) {
      return StandInArray.holding(
        this,
        Reflect.apply(Array.prototype[name] as Method, this, given) as unknown[],
      );
    },
  });
for (const name of ["toSorted", "toReversed", "with"] as const)
  defineMethods(StandInArray.prototype, {
    [name](this: StandInArray, ...given: unknown[]) {
      return Reflect.apply(
        Reflect.get(TypedArrays.prototype, name) as Method,
        StandInArray.copyOf(this),
        given,
      );
    },
  });

/** A stand-in for a DataView. Its methods for fields are defined below. */
class StandInDataView {
  readonly #buffer: SharedArrayBuffer;
  readonly #blank: DataView;

  constructor(buffer: StandInBuffer | SharedArrayBuffer, blank: DataView) {
    this.#buffer = buffer as SharedArrayBuffer;
    this.#blank = blank;
  }

  static is(value: unknown): value is StandInDataView {
    return typeof value === "object" && value !== null && #blank in value;
  }

  static blankOf(view: StandInDataView): object {
    return view.#blank;
  }

  /**
   * The native method converts, and knows what is an error. The bytes of a field that is aligned are one access, others
   * one each, from the first.
   */
  static access(
    view: StandInDataView,
    kind: "get" | "set",
    element: Element,
    given: readonly unknown[],
  ): unknown {
    const native = (name: string, ...given: unknown[]) =>
      (Reflect.get(view.#blank, name) as Method).apply(view.#blank, given);
    const answer = native(kind + element.name, ...given);
    const at = integerOf(given[0]);
    const { perform, first } = StandInBuffer.bytesOf(view.#buffer)!;
    const begin = first + view.#blank.byteOffset + at;
    const bytes = begin % element.bytes === 0 ? element.bytes : 1;
    for (let past = 0; past < element.bytes; past += bytes) {
      const [word, lane] = [(begin + past) >> WORD_SHIFT, laneAt(begin + past, bytes)];
      const held = kind === "set" ? (native(`get${FIELDS[bytes]}`, at + past, true) as Value) : undefined;
      const read = perform(kind === "set" ? "write" : "read", word, held, undefined, lane);
      if (kind === "get") native(`set${FIELDS[bytes]}`, at + past, read, true);
    }
    return kind === "set" ? answer : native(kind + element.name, ...given);
  }

  get buffer(): SharedArrayBuffer {
    return this.#buffer;
  }
}

for (const element of ELEMENTS)
  for (const kind of element.isField ? (["get", "set"] as const) : [])
    defineMethods(StandInDataView.prototype, {
      [kind + element.name](this: StandInDataView, ...given: unknown[]) {
        return StandInDataView.access(this, kind, element, given);
      },
    });

const SIZES = ["byteOffset", "byteLength", "BYTES_PER_ELEMENT", Symbol.toStringTag];
for (const Class of [StandInArray, StandInDataView])
  for (const name of Class === StandInArray ? SIZES : SIZES.slice(0, 2))
    Object.defineProperty(Class.prototype, name, {
      configurable: true,
      get(this: never) {
        return Reflect.get(Class.blankOf(this), name);
      },
    });

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

/** A class with the methods of the code's own class, if it has one, before those of `Base`, in front of what is `behind`. */
function classOf<Base extends typeof StandInArray | typeof StandInDataView>(
  made: Base,
  [prototype, native]: readonly [
    prototype: object,
    native: { readonly prototype: object; readonly name: string },
  ],
  behind: object,
): Base {
  const own = made.prototype;
  const theirs: object[] = [Object.getPrototypeOf(own)];
  for (let at = prototype; at !== native.prototype; at = Object.getPrototypeOf(at)) theirs.splice(1, 0, at);
  for (const each of theirs) Object.defineProperties(own, Object.getOwnPropertyDescriptors(each));
  if (theirs.length === 1)
    Object.defineProperty(own, "constructor", { get: () => Reflect.get(globalThis, native.name) });
  refuseOthers(own, native.prototype);
  Object.setPrototypeOf(own, behind);
  classes.set(prototype, made);
  return made;
}

/** Behind a prototype is the proxy, and behind that, for `instanceof`, the prototype that the code knows. */
function arrayClass({ Native }: Element, prototype = Native.prototype): typeof StandInArray {
  const known = classes.get(prototype);
  if (known !== undefined) return known as typeof StandInArray;
  const elements = new Proxy(Object.create(prototype), new Elements(prototype !== Native.prototype));
  const made = classOf(class extends StandInArray {}, [prototype, Native], elements);
  Object.defineProperties(made.prototype, fastElements);
  refuseOthers(made.prototype, TypedArrays.prototype);
  return made;
}

function dataViewClass(prototype: object = NativeDataView.prototype): typeof StandInDataView {
  const known = classes.get(prototype) as typeof StandInDataView | undefined;
  return known ?? classOf(class extends StandInDataView {}, [prototype, NativeDataView], prototype);
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
  const own = { ...replacement };
  replacements.push(own);
  registerForEver();
  return () => {
    const at = replacements.indexOf(own);
    if (at < 0) return;
    replacements.splice(at, 1);
    if (--uses > 0) return;
    restore!();
    restore = undefined;
  };
}

/**
 * The same until the thread ends, with nothing replaced for other memory. What code keeps from now on knows
 * stand-ins.
 */
export function registerForEver(): void {
  uses++;
  restore ??= replaceAll();
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
        const [buffer, blank] = overBlank(element.Native, given);
        return new (arrayClass(element, prototype))(element, buffer, blank);
      }),
    );
  }
  replace(globalThis, "DataView", (native: object) =>
    knowingBuffers(native, (given, prototype) => {
      const [buffer, blank] = overBlank(NativeDataView, given);
      return new (dataViewClass(prototype))(buffer, blank);
    }),
  );
  replace(
    ArrayBuffer,
    "isView",
    (native: typeof ArrayBuffer.isView) => (value: unknown) =>
      native(value) || StandInArray.is(value) || StandInDataView.is(value),
  );
}

/** What code gave to a constructor: the buffer, and the view that it would be of the buffer's blank. */
function overBlank<View>(
  Native: new (buffer: SharedArrayBuffer, ...rest: never[]) => View,
  [buffer, ...rest]: readonly unknown[],
): readonly [buffer: StandInBuffer, blank: View] {
  const { blank } = StandInBuffer.bytesOf(buffer)!;
  return [buffer as StandInBuffer, new Native(blank, ...(rest as never[]))];
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
