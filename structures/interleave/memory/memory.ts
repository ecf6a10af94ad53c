import { BYTE, HALF, type Lane, LONG, type Perform, WORD, WORD_BYTES } from "./access.ts";
import { hasStandIn, standInBuffer, viewLike } from "./stand-in.ts";

/** The memory of a program as a row of 32-bit words. */
export interface Words<Shared> {
  /** Words of all distinct buffers, each from an even word on, so that 64-bit elements are aligned. */
  readonly length: number;
  /** A copy of their contents. */
  readonly initial: Int32Array;
  /** The same shape over stand-ins; each access to an element calls `perform` once. */
  standIns(perform: Perform): Shared;
  /** The same shape over real shared memory of its own, and how to write all words of it. */
  copy(): { readonly memory: Shared; write(words: Int32Array): void };
  /** For tables: "head", "slots[3]", "words[0]", "byte 5 of buffer". */
  nameOf(word: number, lane: Lane): string;
}

/** A buffer of the program and its first word. */
interface Placed {
  readonly buffer: SharedArrayBuffer;
  readonly name: string;
  readonly first: number;
}

/** A view of the program with the way to it. */
interface Named {
  readonly view: ArrayBufferView;
  readonly name: string;
  /** Whether it is all that the program shares. */
  readonly isWhole: boolean;
}

/**
 * `shared` is a SharedArrayBuffer, a typed array or DataView over one, or a plain object or array of such,
 * nested as one likes. Numbers, strings and other primitive values may stand between them. Throws a TypeError
 * for anything else.
 */
export function wordsOf<Shared>(shared: Shared): Words<Shared> {
  const views: Named[] = [];
  /** By buffer. Its own name, where it has one, is better than that of a view. */
  const names = new Map<SharedArrayBuffer, string>();
  exchanged(shared, "", {
    buffer(buffer, path) {
      assertFixed(buffer, path);
      names.set(buffer, path || "buffer");
      return buffer;
    },
    view(view, path) {
      const buffer = view.buffer as SharedArrayBuffer;
      assertFixed(buffer, path);
      if (!names.has(buffer)) names.set(buffer, path === "" ? "buffer" : `${path}.buffer`);
      views.push({ view, name: path || rootName(view), isWhole: path === "" });
      return view;
    },
  });
  const buffers: Placed[] = [];
  let length = 0;
  for (const [buffer, name] of names) {
    buffers.push({ buffer, name, first: length });
    length += 2 * Math.ceil(buffer.byteLength / (2 * WORD_BYTES));
  }
  if (buffers.length === 0) throw new TypeError(`there is no shared memory: share ${SHAPES}`);
  const over = (make: (placed: Placed) => SharedArrayBuffer): Shared => {
    const made = new Map(buffers.map((placed) => [placed.buffer, make(placed)]));
    return exchanged(shared, "", {
      buffer: (buffer) => made.get(buffer)!,
      view: (view) => viewLike(view, made.get(view.buffer as SharedArrayBuffer)!),
    }) as Shared;
  };
  const initial = new Int32Array(length);
  for (const { buffer, first } of buffers)
    new Uint8Array(initial.buffer, first * WORD_BYTES).set(new Uint8Array(buffer));
  return {
    length,
    initial,
    standIns: (perform) => over(({ buffer, first }) => standInBuffer(buffer.byteLength, first, perform)),
    copy() {
      const copies: Copy[] = [];
      const memory = over(({ buffer, first }) => {
        const own = new SharedArrayBuffer(buffer.byteLength);
        copies.push(new Copy(own, first));
        return own;
      });
      const write = (words: Int32Array) => {
        for (const copy of copies) copy.write(words);
      };
      write(initial);
      return { memory, write };
    },
    nameOf: (word, lane) => nameIn(buffers, views, word, lane),
  };
}

/** A buffer to which its words are written again and again. */
class Copy {
  readonly #words: Int32Array;
  /** What is left of its last word, if its length is no multiple of 4. */
  readonly #rest: Uint8Array;
  readonly #first: number;

  constructor(buffer: SharedArrayBuffer, first: number) {
    const whole = Math.floor(buffer.byteLength / WORD_BYTES);
    this.#words = new Int32Array(buffer, 0, whole);
    this.#rest = new Uint8Array(buffer, whole * WORD_BYTES);
    this.#first = first;
  }

  write(words: Int32Array): void {
    const past = this.#first + this.#words.length;
    const isAll = this.#words.length === words.length;
    this.#words.set(isAll ? words : words.subarray(this.#first, past));
    for (let at = 0; at < this.#rest.length; at++) this.#rest[at] = words[past]! >>> (8 * at);
  }
}

const SHAPES = "a SharedArrayBuffer, a typed array or DataView over one, or a plain object or array of such";

/** What takes the place of a buffer or a view of this path. */
interface Exchange {
  buffer(buffer: SharedArrayBuffer, path: string): SharedArrayBuffer;
  view(view: ArrayBufferView, path: string): ArrayBufferView;
}

/** A value of the same shape; what occurs in it twice is exchanged once. */
function exchanged(
  value: unknown,
  path: string,
  exchange: Exchange,
  done = new Map<object, unknown>(),
): unknown {
  const isObject = (typeof value === "object" && value !== null) || typeof value === "function";
  if (!isObject && path !== "") return value;
  const known = isObject ? done.get(value) : undefined;
  if (known !== undefined) return known;
  const keep = <Made>(made: Made): Made => {
    done.set(value as object, made);
    return made;
  };
  if (value instanceof SharedArrayBuffer) return keep(exchange.buffer(value, path));
  if (ArrayBuffer.isView(value)) {
    if (!(value.buffer instanceof SharedArrayBuffer))
      throw new TypeError(`${path || "this"} is a view of private memory: share ${SHAPES}`);
    if (!hasStandIn(value))
      throw new TypeError(
        `${path || "this"} is a ${nameOfClass(value)}: share its buffer instead, and make the ${nameOfClass(value)} in each thread`,
      );
    return keep(exchange.view(value, path));
  }
  if (Array.isArray(value)) {
    const made = keep<unknown[]>([]);
    for (const [index, part] of value.entries())
      made.push(exchanged(part, `${path}[${index}]`, exchange, done));
    return made;
  }
  if (!isObject || !isPlain(value))
    throw new TypeError(`${path || "this"} is a ${nameOfClass(value)} and no shared memory: share ${SHAPES}`);
  const made = keep<Record<string, unknown>>({});
  for (const [key, part] of Object.entries(value))
    made[key] = exchanged(part, pathTo(path, key), exchange, done);
  return made;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function nameOfClass(value: unknown): string {
  if (typeof value !== "object" || value === null) return typeof value;
  return (value.constructor as { readonly name?: string } | undefined)?.name || "object";
}

function pathTo(path: string, key: string): string {
  if (!/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === "" ? key : `${path}.${key}`;
}

function assertFixed(buffer: SharedArrayBuffer, path: string): void {
  if (buffer.growable)
    throw new TypeError(`the memory of ${path || "this"} can grow: share memory of fixed length`);
}

/** Of a view that is all that a program shares. */
function rootName(view: ArrayBufferView): string {
  const bytes = bytesOfElement(view);
  if (bytes === undefined) return "view";
  return bytes === WORD_BYTES ? "words" : bytes === 1 ? "bytes" : "elements";
}

/** Undefined for a DataView. */
function bytesOfElement(view: ArrayBufferView): number | undefined {
  return (view as Partial<Int32Array>).BYTES_PER_ELEMENT;
}

function nameIn(buffers: readonly Placed[], views: readonly Named[], word: number, lane: Lane): string {
  const { buffer, name, first } = buffers.findLast((placed) => placed.first <= word)!;
  const from = (word - first) * WORD_BYTES + offsetIn(lane);
  const count = bytesIn(lane);
  // From the best kind of name to the worst, and among equals from the narrowest view.
  const kinds = views
    .filter(({ view }) => view.buffer === buffer && holds(view, from, count))
    .map((named) => ({ ...named, kind: kindOfName(named.view, from, count) }))
    .sort((one, other) => one.kind - other.kind || one.view.byteLength - other.view.byteLength);
  const [best] = kinds;
  if (best === undefined)
    return count % WORD_BYTES === 0
      ? `${stretch("word", from / WORD_BYTES, count / WORD_BYTES)} of ${name}`
      : `${stretch("byte", from, count)} of ${name}`;
  const at = from - best.view.byteOffset;
  const bytes = bytesOfElement(best.view);
  if (bytes === undefined) return `${stretch("byte", at, count)} of ${best.name}`;
  const index = Math.floor(at / bytes);
  if (bytes < count) return `${best.name}[${index}..${index + count / bytes - 1}]`;
  const isAlone = best.view.byteLength === bytes && !best.isWhole;
  const element = isAlone ? best.name : `${best.name}[${index}]`;
  return bytes === count ? element : `${stretch("byte", at % bytes, count)} of ${element}`;
}

function holds({ byteOffset, byteLength }: ArrayBufferView, from: number, count: number): boolean {
  return byteOffset <= from && from + count <= byteOffset + byteLength;
}

/** 0: the lane is an element; 1: a part of one; 2: several; 3: fields of a DataView. */
function kindOfName(view: ArrayBufferView, from: number, count: number): number {
  const bytes = bytesOfElement(view);
  if (bytes === undefined || from % Math.min(bytes, count) !== 0) return 3;
  return bytes === count ? 0 : bytes > count ? 1 : 2;
}

function stretch(what: string, from: number, count: number): string {
  return count === 1 ? `${what} ${from}` : `${what}s ${from}..${from + count - 1}`;
}

function bytesIn(lane: Lane): number {
  if (lane === WORD) return WORD_BYTES;
  return lane === LONG ? 2 * WORD_BYTES : lane >= HALF ? 2 : 1;
}

function offsetIn(lane: Lane): number {
  if (lane === WORD || lane === LONG) return 0;
  return lane >= HALF ? lane - HALF : lane - BYTE;
}
