import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { allocateRegion, type Region } from "./layout.ts";
import { changed, type Perform, replaceAtomics, standIn, TIMED_OUT, WRITES_ONLY } from "./shared-words.ts";

const OFFSET = 8;
const LENGTH = 6;

let words: Int32Array;
let accesses: unknown[][];
let pauses: number;
let undo: () => void;

/** Accesses as they would be alone: a wait ends by its limit, a notify wakes nobody. */
const perform: Perform = (...access) => {
  accesses.push(access.filter((part) => part !== undefined));
  const [kind, word, operand = 0, other = 0] = access;
  if (kind === "wait") return TIMED_OUT;
  if (kind === "notify") return 0;
  const old = words[word]!;
  words[word] = changed(old, { kind, operand, other });
  return WRITES_ONLY.has(kind) ? operand : old;
};

beforeEach(() => {
  words = new Int32Array(OFFSET + LENGTH);
  accesses = [];
  pauses = 0;
  undo = replaceAtomics(() => pauses++);
});

afterEach(() => undo());

/** What code may do with a region; each step returns what it saw. */
const STEPS: Readonly<Record<string, (region: Region) => unknown>> = {
  "writes elements": (region) => {
    for (let index = 0; index < region.length; index++) region[index] = 10 * index;
    region[1]! += 0.5;
    region[2]!--;
    region[3] = 2 ** 32 - 3;
    return [...region];
  },
  "reads and writes past the end": (region) => {
    region[LENGTH] = 1;
    return [region[LENGTH], region[-1]];
  },
  "asks how large it is": ({ length, byteLength, BYTES_PER_ELEMENT }) => [
    length,
    byteLength,
    BYTES_PER_ELEMENT,
  ],
  "takes subarrays": (region) =>
    [
      region.subarray(),
      region.subarray(2),
      region.subarray(-2),
      region.subarray(1, -1),
      region.subarray(4, 2),
      region.subarray(1, 99).subarray(1, 3),
    ].map((part) => [(part.byteOffset - region.byteOffset) / 4, ...part]),
  fills: (region) => [...region.fill(7).fill(8, 4).fill(9, -5, 2)],
  "sets values": (region) => {
    region.set([1, 2]);
    region.set(region.subarray(0, 2), 3);
    region.set(Int32Array.of(5), 5);
    return [...region];
  },
  "copies a slice": (region) => {
    const copy = region.slice(1, -1);
    region[1] = -5;
    return [...copy, copy instanceof Int32Array, Array.from(region)];
  },
  "looks for values": (region) => [
    region.indexOf(2),
    region.indexOf(2, 3),
    region.indexOf(77),
    region.includes(5, -1),
    region.includes(1, -1),
  ],
  "makes other views": (region) => {
    // The upper halves of 64-bit words, which an observer does not see.
    region.fill(0);
    const part = new Int32Array(region.buffer, region.byteOffset + 4, 2);
    part[0] = 70;
    const longs = new BigInt64Array(region.buffer, region.byteOffset, 3);
    longs[1] = 11n;
    longs[1]!++;
    return [[...part], longs.length, longs[1], longs[3], region[1], region[2]];
  },
  "calls Atomics": (region) => [
    Atomics.store(region, 0, 6),
    Atomics.load(region, 0),
    Atomics.exchange(region, 0, 5),
    Atomics.compareExchange(region, 0, 4, 3),
    Atomics.compareExchange(region, 0, 5, 12),
    Atomics.add(region, 0, 2 ** 31),
    Atomics.sub(region, 0, 2 ** 31),
    Atomics.and(region, 0, 10),
    Atomics.or(region, 0, 3),
    Atomics.xor(region, 0, 1),
    Atomics.notify(region, 0),
    [...region],
  ],
  "calls Atomics on 64-bit words": (region) => {
    region.fill(0);
    const longs = new BigInt64Array(region.buffer, region.byteOffset, 3);
    const before = Atomics.exchange(longs, 0, 20n);
    return [before, Atomics.compareExchange(longs, 0, 20n, 21n), Atomics.add(longs, 0, 1n), longs[0]];
  },
};

describe("words that are stood in for", () => {
  it("are to code what a region is", () => {
    const region = allocateRegion(LENGTH);
    const standing = standIn(OFFSET, LENGTH, perform);
    for (const [name, step] of Object.entries(STEPS)) assert.deepEqual(step(standing), step(region), name);
    assert.deepEqual(words.subarray(OFFSET), Int32Array.from(region));
    assert.equal(standing.byteOffset, 4 * OFFSET);
  });

  it("make one access for each that the code makes, of their own words", () => {
    const standing = standIn(OFFSET, LENGTH, perform).subarray(2);
    standing[1]! += 5;
    Atomics.load(standing, 0);
    Atomics.compareExchange(standing, 3, 1, 2 ** 31);
    standing.includes(5);
    Atomics.notify(standing, 1, 3);
    Atomics.notify(standing, 1);
    assert.deepEqual(accesses, [
      ["read", 11],
      ["write", 11, 5],
      ["load", 10, 0, 0],
      ["compareExchange", 13, 1, -(2 ** 31)],
      ["read", 10],
      ["read", 11],
      ["notify", 11, 3],
      ["notify", 11, 2 ** 31 - 1],
    ]);
  });

  it("say how long a wait may take, in ms", () => {
    const standing = standIn(OFFSET, LENGTH, perform);
    const longs = new BigInt64Array(standing.buffer, standing.byteOffset, 1);
    assert.equal(Atomics.wait(standing, 1, 2 ** 31, 0.05), "timed-out");
    assert.equal(Atomics.wait(standing, 1, 0), "timed-out");
    Atomics.wait(longs, 0, 4n, 3);
    Atomics.wait(standing, 0, 0, Number.NaN);
    Atomics.wait(standing, 0, 0, -1);
    assert.deepEqual(accesses, [
      ["wait", 9, -(2 ** 31), 0.05],
      ["wait", 9, 0, Number.POSITIVE_INFINITY],
      ["wait", 8, 4, 3],
      ["wait", 8, 0, Number.POSITIVE_INFINITY],
      ["wait", 8, 0, 0],
    ]);
  });

  it("have nothing else, which is an error instead of an empty answer", () => {
    const standing = standIn(OFFSET, LENGTH, perform);
    const { buffer, byteOffset } = standing;
    const longs = new BigInt64Array(buffer, byteOffset, 3);
    for (const [wrong, says] of [
      [() => standing.map((word) => word), /have no map$/],
      [() => Object.assign(standing, { name: 1 }), /cannot be given a name$/],
      [() => new Float64Array(buffer, byteOffset, 1), /no views but Int32Array and BigInt64Array$/],
      [() => new Uint32Array(buffer), /no views but Int32Array and BigInt64Array$/],
      [() => new Int32Array(buffer, byteOffset, LENGTH + 1), /7 elements from byte 32 on are not in 56/],
      [() => new BigInt64Array(buffer, byteOffset + 4, 1), /byte 36 begins no element of 8 bytes$/],
      [() => standing.set([1, 2], LENGTH - 1), /2 values from 5 on do not fit into 6/],
      [() => Atomics.add(longs, 0, 2n ** 31n), /holds what 32 bits hold, not 2147483648$/],
    ] as const)
      assert.throws(wrong, { message: says });
    assert.deepEqual(accesses, []);
  });

  it("leave other memory alone, and pauses and Atomics as they were", () => {
    const region = allocateRegion(1);
    assert.equal(Atomics.add(region, 0, 3), 0);
    assert.equal(new Int32Array([1, 2]).length, 2);
    assert.equal(new BigInt64Array(2).length, 2);
    const pause = () => (Reflect.get(Atomics, "pause") as (() => void) | undefined)?.();
    const paused = "pause" in Atomics ? 1 : 0;
    pause();
    assert.equal(pauses, paused);
    const standing = standIn(OFFSET, LENGTH, perform);
    undo();
    pause();
    assert.equal(pauses, paused);
    assert.throws(() => Atomics.load(standing, 0), TypeError);
    assert.throws(() => new Int32Array(standing.buffer), Error);
    assert.deepEqual(accesses, []);
  });
});
