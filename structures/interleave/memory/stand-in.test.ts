import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import {
  changedIn,
  highOf,
  LONG,
  longOf,
  lowOf,
  type Perform,
  partOf,
  TIMED_OUT,
  WORD,
  WRITES_ONLY,
  withPart,
} from "./access.ts";
import { explained, type Replacement, replaceAtomics, standInBuffer } from "./stand-in.ts";

const FIRST_WORD = 2;
const BYTES = 64;

let words: Int32Array;
let accesses: unknown[][];
/** Limits of waits, in ms. */
let waits: unknown[];
let pauses: number;
let undo: () => void;

/** Accesses as they would be alone: a wait ends by its limit, a notify wakes nobody. */
const perform: Perform = (kind, word, operand = 0, other = 0, lane = WORD) => {
  accesses.push([kind, word, ...[operand, other, lane].slice(0, kind === "compareExchange" ? 2 : 1), lane]);
  if (kind === "wait") {
    waits.push(other);
    return TIMED_OUT;
  }
  if (kind === "notify") return 0;
  const old = lane === LONG ? longOf(words[word]!, words[word + 1]!) : partIn(word, lane);
  const value = changedIn(lane, old, kind, operand, other);
  if (typeof value === "bigint") words.set([lowOf(value), highOf(value)], word);
  else words[word] = lane === WORD ? value : withPart(words[word]!, lane, value);
  return WRITES_ONLY.has(kind) ? operand : old;
};
const partIn = (word: number, lane: number) => (lane === WORD ? words[word]! : partOf(words[word]!, lane));

const pause: Replacement = { pause: () => pauses++ };

beforeEach(() => {
  words = new Int32Array(FIRST_WORD + BYTES / 4);
  accesses = [];
  waits = [];
  pauses = 0;
  undo = replaceAtomics(pause);
});

afterEach(() => undo());

const standIn = () => standInBuffer(BYTES, FIRST_WORD, perform);

/** What its code did, or what it threw. */
function outcomeOf(step: () => unknown): unknown {
  try {
    return step();
  } catch (error) {
    return (error as Error).constructor;
  }
}

/** Does the same to shared memory and to a stand-in, and compares what came of it and what stands there. */
function assertSame(step: (buffer: SharedArrayBuffer) => unknown, name: string): unknown {
  words.fill(0);
  const real = new SharedArrayBuffer(BYTES);
  const expected = outcomeOf(() => step(real));
  assert.deepEqual(
    outcomeOf(() => step(standIn())),
    expected,
    name,
  );
  assert.deepEqual(words.subarray(FIRST_WORD), new Int32Array(real), `${name}: contents`);
  return expected;
}

const NUMBERS = [
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
].map(({ name }) => name);
const LONGS = ["BigInt64Array", "BigUint64Array"];

type Anyone = Int32ArrayConstructor;
type Value = number;

/** A view as the code under test makes it: by the constructor of that name now. */
const viewOf = (name: string, buffer: SharedArrayBuffer, ...rest: number[]): Int32Array =>
  new (Reflect.get(globalThis, name) as Anyone)(buffer, ...(rest as []));

const VALUES = [0, 1, -1, 3, 2.5, 127, 128, 255, 300, -129, 65_535, 2 ** 31, -(2 ** 31), 2 ** 32 + 5, 1e300];
const BIG_VALUES = [0n, 1n, -1n, 2n ** 63n, -(2n ** 63n), 2n ** 64n + 7n, 2n ** 31n, 2n ** 32n];

/** Values that an array of this kind takes. */
const valuesFor = (name: string) => (LONGS.includes(name) ? BIG_VALUES : VALUES) as readonly Value[];

type Step = (view: Int32Array, some: readonly Value[]) => unknown;

/**
 * What code may do with a view of numbers or bigints, `some` being values for it; each step returns what it
 * saw.
 */
const STEPS: Readonly<Record<string, Step>> = {
  "writes elements": (view, some) => {
    for (const [index, value] of some.entries()) {
      view[index % view.length] = value;
      if (view[index % view.length] !== view.at(index % view.length)) return "differs";
    }
    view[1]!++;
    return [...view];
  },
  "reads and writes past the end": (view, [, one]) => {
    view[view.length] = one!;
    view[-1] = one!;
    view[0.5] = one!;
    view[1000] = one!;
    return [view[view.length], view[-1], view[0.5], view[1000], view.at(-100), "nothing" in view];
  },
  "reads by keys that are no indices": (view) =>
    ["", "-0", "01", "1.0", "NaN", "then"].map((key) => Reflect.get(view, key)),
  "has elements that are no numbers": (view, [, one]) => {
    const value = typeof one === "bigint" ? one : Number.NaN;
    view.fill(value);
    return [view.includes(value), view.indexOf(value), view[0]];
  },
  "asks how large it is": (view) => [
    view.length,
    view.byteLength,
    view.byteOffset,
    view.BYTES_PER_ELEMENT,
    view.buffer.byteLength,
    Object.prototype.toString.call(view),
    view.constructor.name,
    ArrayBuffer.isView(view),
  ],
  "takes subarrays": (view, some) => {
    view.set(some.slice(0, 6));
    const parts = [
      view.subarray(),
      view.subarray(2),
      view.subarray(-2),
      view.subarray(1, -1),
      view.subarray(4, 2),
      view.subarray(1, 99).subarray(1, 3),
      view.subarray(Number.NaN, undefined),
    ];
    return parts.map((part) => [part.byteOffset, part.buffer === view.buffer, ...part]);
  },
  fills: (view, [zero, one, , three]) => [...view.fill(one!).fill(three!, 4).fill(zero!, -5, 2)],
  "sets values": (view, [, one, , three]) => {
    view.set([one!, three!]);
    view.set(view.subarray(0, 2), 1);
    view.set(view.subarray(0, 3), 1);
    return [...view];
  },
  "copies a slice": (view, some) => {
    view.set(some.slice(0, 3));
    const copy = view.slice(1, -1);
    view[1] = some[0]!;
    return [
      copy.constructor.name,
      copy.length,
      ...copy,
      Array.from(view),
      ...Reflect.get(globalThis, view.constructor.name).from(view),
    ];
  },
  "copies within": (view, some) => {
    view.set(some.slice(0, 5));
    view.copyWithin(1, 0, 3);
    view.copyWithin(0, 2);
    return [...view.copyWithin(-2, -4, -3)];
  },
  "looks for values": (view, some) => {
    view.set(some.slice(0, 6));
    const [, one, , three] = some;
    return [
      view.indexOf(one!),
      view.indexOf(three!, 4),
      view.indexOf(three!, -3),
      view.lastIndexOf(one!),
      view.lastIndexOf(one!, undefined),
      view.lastIndexOf(three!, -2),
      view.includes(three!, -1),
      view.includes(three!),
      view.find((value) => value > 1),
      view.findIndex((value) => value > 1),
      view.findLast((value) => value > 100),
      view.findLastIndex((value, index, all) => index < 3 && all.length > 3 && value > 0),
      view.some((value) => value === three),
      view.every((value) => value !== three),
      view.every((value) => value !== undefined),
    ];
  },
  "goes through it": (view, some) => {
    view.set(some.slice(0, 4));
    const seen: unknown[] = [];
    view.forEach((value, index, all) => {
      seen.push(value, index, all === view);
    });
    return [
      seen,
      [...view.keys()],
      [...view.values()],
      [...view.entries()],
      view.join("; "),
      `${view}`,
      view.reduce((sum, value) => sum + value),
      view.reduceRight((text, value, index) => `${text} ${index}:${value}`, ""),
      Array.from(view.map((value) => value)),
      [...view.filter((value) => value > 0)],
      view.filter(() => false).constructor.name,
    ];
  },
  "puts it in order": (view, some) => {
    view.set(some.slice(0, 6));
    const copies = [view.toSorted(), view.toReversed(), view.with(0, some[3]!)].map((copy) => [...copy]);
    return [
      ...copies,
      [...view.reverse()],
      [...view.sort()],
      [...view.sort((a, b) => (a < b ? 1 : a > b ? -1 : 0))],
    ];
  },
  "calls Atomics": (view, [zero, one, , three]) => [
    Atomics.store(view, 0, three!),
    Atomics.load(view, 0),
    Atomics.exchange(view, 0, one!),
    Atomics.compareExchange(view, 0, zero!, three!),
    Atomics.compareExchange(view, 0, one!, three!),
    Atomics.add(view, 0, three!),
    Atomics.sub(view, 0, one!),
    Atomics.and(view, 0, three!),
    Atomics.or(view, 0, one!),
    Atomics.xor(view, 0, three!),
    [...view],
  ],
  "calls Atomics with any value": (view, some) =>
    some.flatMap((value) => [
      Atomics.store(view, 1, value),
      Atomics.load(view, 1),
      Atomics.add(view, 1, value),
      Atomics.compareExchange(view, 1, view[1]!, value),
      Atomics.exchange(view, 1, value),
      Atomics.sub(view, 1, value),
    ]),
  "gives Atomics another index": (view) =>
    [undefined, "1", 1.9, null, Number.NaN].map((index) => Atomics.load(view, index as number)),
};

/** What is an error to do. */
const ERRORS: Readonly<Record<string, Step>> = {
  "sets too many": (view, [, one]) => view.set([one!, one!], view.length - 1),
  "sets before the beginning": (view, [, one]) => view.set([one!], -1),
  "sets a wrong type": (view, [, one]) => {
    view[0] = (typeof one === "bigint" ? 1 : 1n) as number;
  },
  "reduces nothing": (view) => view.subarray(0, 0).reduce((sum, value) => sum + value),
  "gives Atomics an index past the end": (view) => Atomics.load(view, view.length),
  "gives Atomics an index before the beginning": (view) => Atomics.load(view, -1),
  "gives Atomics a wrong type": (view, [, one]) =>
    Atomics.add(view, 0, (typeof one === "bigint" ? 1 : 1n) as number),
};

describe("stand-ins", () => {
  for (const name of [...NUMBERS, ...LONGS])
    it(`are to code what ${name} is`, () => {
      const isAtomic = !/Clamped|Float/.test(name);
      const values = valuesFor(name);
      for (const [steps, throws] of [
        [STEPS, false],
        [ERRORS, true],
      ] as const)
        for (const [step, run] of Object.entries(steps))
          for (const part of [[], [8, 6]]) {
            const did = assertSame((buffer) => run(viewOf(name, buffer, ...part), values), `${step} ${part}`);
            const isError = throws || (step.includes("Atomics") && !isAtomic);
            assert.equal(typeof did === "function", isError, step);
          }
    });

  it("are instances of what they stand in for", () => {
    const buffer = standIn();
    assert.ok(buffer instanceof SharedArrayBuffer);
    for (const name of [...NUMBERS, ...LONGS, "DataView"])
      assert.ok(
        viewOf(name, buffer) instanceof Reflect.get(globalThis, name) &&
          ArrayBuffer.isView(viewOf(name, buffer)),
        name,
      );
    assert.equal(viewOf("Int32Array", buffer) instanceof Uint32Array, false);
  });

  it("are bounded and aligned as views are", () => {
    for (const name of [...NUMBERS, ...LONGS, "DataView"])
      for (const rest of [
        [],
        [8],
        [8, 1],
        [1],
        [1, 1],
        [48],
        [49],
        [56],
        [0, 7],
        [0, 100],
        [-8],
        [0, -1],
        [8.5, 1.5],
      ])
        assertSame((buffer) => {
          const { byteOffset, byteLength } = viewOf(name, buffer, ...rest);
          return [byteOffset, byteLength];
        }, `${name} ${rest}`);
    const odd = standInBuffer(7, 0, perform);
    assert.throws(() => new Int32Array(odd), RangeError);
    assert.equal(new Int32Array(odd, 0, 1).length, 1);
  });

  it("are a DataView to code", () => {
    const names = ["Int8", "Uint8", "Int16", "Uint16", "Int32", "Uint32", "Float32", "Float64"];
    const bigNames = ["BigInt64", "BigUint64"];
    for (const name of [...names, ...bigNames])
      for (const at of [0, 1, 2, 3, 4, 8, 30, 31, 32, 33, -1, 1.5])
        for (const isLittle of [true, false, undefined])
          for (const value of valuesFor(`${name}Array`))
            assertSame((buffer) => {
              const view = new DataView(buffer, 8, 32);
              const set = Reflect.get(view, `set${name}`) as (...given: unknown[]) => void;
              const get = Reflect.get(view, `get${name}`) as (...given: unknown[]) => unknown;
              set.call(view, at, value, isLittle);
              return [
                get.call(view, at, isLittle),
                get.call(view, at, !isLittle),
                view.byteOffset,
                view.byteLength,
              ];
            }, `${name} ${at} ${isLittle} ${value}`);
  });

  it("are buffers with a length and a private copy", () => {
    assertSame((buffer) => {
      new Uint8Array(buffer).set([1, 2, 3, 4, 5, 6]);
      const copy = buffer.slice(1, 5);
      new Uint8Array(buffer)[2] = 9;
      return [
        copy instanceof SharedArrayBuffer,
        ...new Uint8Array(copy),
        buffer.slice(-2).byteLength,
        buffer.growable,
        buffer.maxByteLength,
        buffer.constructor === SharedArrayBuffer,
        `${buffer}`,
      ];
    }, "slice");
    assertSame((buffer) => buffer.grow(100), "grow");
  });

  it("make one access for each that the code makes, of their own lane", () => {
    const buffer = standIn();
    const view = new Int32Array(buffer).subarray(2);
    view[1]! += 5;
    Atomics.load(view, 0);
    Atomics.compareExchange(view, 3, 1, 2 ** 31);
    view.includes(5);
    for (const count of [3, undefined, Number.POSITIVE_INFINITY, -1, 1.9]) Atomics.notify(view, 1, count);
    new Uint8Array(buffer)[6] = 257;
    Atomics.add(new Int16Array(buffer), 5, -1);
    new Float64Array(buffer, 16)[0] = 1;
    Atomics.load(new BigInt64Array(buffer), 1);
    new DataView(buffer).getUint16(5);
    new DataView(buffer).setFloat32(4, 1);
    new DataView(buffer).setInt16(3, 0x1234, true);
    const [WORD2, WORD3, LAST] = [4, 5, 7];
    assert.deepEqual(accesses, [
      ["read", WORD3, 0, WORD],
      ["write", WORD3, 5, WORD],
      ["load", WORD2, 0, WORD],
      ["compareExchange", LAST, 1, -(2 ** 31), WORD],
      ["read", WORD2, 0, WORD],
      ["read", WORD3, 0, WORD],
      ["notify", WORD3, 3, WORD],
      ...[2 ** 31 - 1, 2 ** 31 - 1, 0, 1].map((count) => ["notify", WORD3, count, WORD]),
      ["write", 3, 1, 3],
      ["add", 4, 0xffff, 7],
      ["write", 6, 0x3ff0_0000_0000_0000n, LONG],
      ["load", 4, 0, LONG],
      ["read", 3, 0, 2],
      ["read", 3, 0, 3],
      ["write", 3, 0x803f, WORD],
      ["write", 2, 0x34, 4],
      ["write", 3, 0x12, 1],
    ]);
  });

  it("have as many elements as one likes", () => {
    words = new Int32Array(600);
    const view = new Int32Array(standInBuffer(4 * words.length, 0, perform), 40);
    for (const index of [0, 255, 256, 589, 590]) view[index] = index + 1;
    assert.deepEqual(
      [view[255], view[256], view[589], view[590], words[599]],
      [256, 257, 590, undefined, 590],
    );
    assert.deepEqual(
      [view.indexOf(590), view.lastIndexOf(257), view.some((one) => one === 590)],
      [589, 256, true],
    );
  });

  it("say how long a wait may take, in ms", () => {
    const buffer = standIn();
    const view = new Int32Array(buffer);
    assert.equal(Atomics.wait(view, 1, 2 ** 31, 0.05), "timed-out");
    assert.equal(Atomics.wait(view, 1, 0), "timed-out");
    Atomics.wait(new BigInt64Array(buffer), 1, 2n ** 63n, 3);
    Atomics.wait(view, 0, 0, Number.NaN);
    Atomics.wait(view, 0, 0, -1);
    assert.deepEqual(waits, [0.05, Number.POSITIVE_INFINITY, 3, Number.POSITIVE_INFINITY, 0]);
    assert.deepEqual(accesses, [
      ["wait", 3, -(2 ** 31), WORD],
      ["wait", 3, 0, WORD],
      ["wait", 4, -(2n ** 63n), LONG],
      ["wait", 2, 0, WORD],
      ["wait", 2, 0, WORD],
    ]);
  });

  it("are waited for as Int32Array and BigInt64Array alone", () => {
    for (const name of ["Int8Array", "Uint32Array", "BigUint64Array", "Float64Array"]) {
      const view = viewOf(name, standIn());
      assert.throws(() => Atomics.wait(view, 0, 0), TypeError);
      assert.throws(() => Atomics.notify(view, 0), TypeError);
      assert.throws(() => Atomics.waitAsync(view, 0, 0), TypeError);
    }
    assert.throws(() => Atomics.wait(new Int32Array(standIn()), 99, 0), RangeError);
  });

  it("let the observer answer Atomics.waitAsync, and waits on other memory", () => {
    const view = new Int32Array(standIn());
    assert.throws(() => Atomics.waitAsync(view, 0, 0), /^Error: .*cannot call Atomics\.waitAsync/);
    const asked: unknown[] = [];
    const done = replaceAtomics({
      waitAsync: (...wait) => asked.push(wait),
      waitElsewhere(...wait) {
        asked.push(wait);
        return "ok";
      },
    });
    Atomics.waitAsync(view, 1, 7);
    const elsewhere = new Int32Array(new SharedArrayBuffer(4));
    assert.equal(Atomics.wait(elsewhere, 0, 1, 2), "ok");
    assert.deepEqual(asked, [
      [FIRST_WORD + 1, WORD, 7, Number.POSITIVE_INFINITY],
      [elsewhere, 0, 1, 2],
    ]);
    done();
    assert.equal(Atomics.wait(elsewhere, 0, 0), "timed-out");
  });

  it("have subclasses", () => {
    class Ring extends Int32Array {
      readonly #mask: number;
      head = 7;
      name: string;

      constructor(buffer: SharedArrayBuffer, byteOffset = 0, length?: number) {
        super(buffer as unknown as ArrayBuffer, byteOffset, length);
        this.#mask = 3;
        this.name = "ring";
      }

      at3(): number {
        return this[this.#mask]!;
      }

      override fill(value: number): this {
        for (let index = 0; index < this.length; index++) this[index] = value + 1;
        return this;
      }
    }
    class LongRing extends Ring {
      override at3(): number {
        return super.at3() + 100;
      }
    }
    class Header extends DataView<SharedArrayBuffer> {
      get magic(): number {
        return this.getUint16(2);
      }
    }
    assertSame((buffer) => {
      const ring = new Ring(buffer, 8, 5).fill(4);
      const part = ring.subarray(1);
      Atomics.add(ring, 3, 2);
      return [
        ring.at3(),
        ring.head,
        ring.name,
        [...ring],
        ring instanceof Ring && ring instanceof Int32Array,
        ring.constructor === Ring,
        part instanceof Ring && part.byteOffset,
        new LongRing(buffer, 8, 5).at3(),
        new Header(buffer, 8).magic,
        new Header(buffer, 8) instanceof Header,
      ];
    }, "subclasses");
  });

  it("refuse what they cannot do by one Error", () => {
    const buffer = standIn();
    const view = new Int32Array(buffer);
    for (const [wrong, says] of [
      [() => view.toLocaleString(), /no toLocaleString: copy it with slice\(\)/],
      [() => Object.assign(view, { name: 1 }), /cannot be given a name/],
      [() => Buffer.from(buffer), /Buffer/],
    ] as const)
      assert.throws(wrong, { message: says });
    assert.deepEqual(accesses, []);
  });

  it("explain what native code says of them", () => {
    undo();
    const { load } = Atomics;
    const { DataView: KeptDataView, Int32Array: KeptInt32Array } = globalThis;
    undo = replaceAtomics(pause);
    const buffer = standIn();
    const view = new Int32Array(buffer);
    assert.throws(() => new KeptInt32Array(buffer), /^Error: .*import "interleave-shared\/register"/);
    for (const wrong of [
      () => load(view, 0),
      () => new KeptDataView(buffer),
      () => Int32Array.prototype.fill.call(view, 0),
      () => new TextDecoder().decode(view),
    ]) {
      let error: unknown;
      try {
        wrong();
      } catch (thrown) {
        error = thrown;
      }
      assert.ok(error instanceof TypeError);
      const { message, cause } = explained(error) as TypeError;
      assert.match(message, /import "interleave-shared\/register" before/);
      assert.equal(cause, error);
    }
    for (const other of [new TypeError("x is not a function"), new RangeError("typed array"), 7])
      assert.equal(explained(other), other);
  });

  it("leave other memory alone, and all as it was", () => {
    const before = { ...Object.getOwnPropertyDescriptors(Atomics) };
    const real = new Int32Array(new SharedArrayBuffer(8));
    assert.equal(Atomics.add(real, 0, 3), 0);
    assert.equal(new Int32Array([1, 2]).length, 2);
    assert.equal(new BigInt64Array(2).constructor.name, "BigInt64Array");
    assert.deepEqual([...Uint8Array.from([1, 2])], [1, 2]);
    assert.equal(new DataView(real.buffer, 4).byteLength, 4);
    assert.equal(ArrayBuffer.isView(real), true);
    class Own extends Uint8Array {}
    assert.ok(new Own(3) instanceof Own);
    const paused = () => {
      (Reflect.get(Atomics, "pause") as (() => void) | undefined)?.();
      return pauses;
    };
    assert.equal(paused(), "pause" in Atomics ? 1 : 0);
    const view = new Int32Array(standIn());
    const [Replaced, inner] = [Int32Array, replaceAtomics()];
    inner();
    inner();
    assert.equal(Int32Array, Replaced);
    undo();
    assert.notEqual(Int32Array, Replaced);
    assert.notDeepEqual(Object.getOwnPropertyDescriptors(Atomics), before);
    assert.equal(paused(), "pause" in Atomics ? 1 : 0);
    assert.throws(() => Atomics.load(view, 0), TypeError);
    assert.throws(() => new Int32Array(view.buffer), Error);
    assert.equal(ArrayBuffer.isView(view), false);
    assert.deepEqual(accesses, []);
  });
});
