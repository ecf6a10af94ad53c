import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Results, shown } from "./results.ts";

/** Two of each, made apart. */
const make = (): unknown[] => [
  undefined,
  null,
  false,
  true,
  0,
  -0,
  1,
  Number.NaN,
  1n,
  "1",
  "undefined",
  [],
  [undefined],
  [1, [2]],
  ["1,2"],
  ["1", "2"],
  {},
  { 1: 1 },
  { a: 1, b: -0 },
  { a: 1, b: 0 },
  Int32Array.of(1, 2),
  Uint8Array.of(1, 2),
  Float64Array.of(Number.NaN, -0),
  BigInt64Array.of(1n, 2n),
];

describe("the results of operations", () => {
  it("have one number for each value, in the order in which they are met", () => {
    const results = new Results();
    const ids = make().map((value) => results.idOf(value));
    assert.deepEqual(ids, [...ids.keys()]);
    assert.deepEqual(
      make().map((value) => results.idOf(value)),
      ids,
    );
    assert.deepEqual(
      ids.map((id) => results.valueOfId(id)),
      make(),
    );
  });

  it("are equal whatever the order of an object's properties", () => {
    const results = new Results();
    assert.equal(results.idOf({ a: 1, b: [2] }), results.idOf({ b: [2], a: 1 }));
    assert.equal(results.idOf(Object.assign(Object.create(null), { a: 1 })), results.idOf({ a: 1 }));
  });

  it("are copies", () => {
    const results = new Results();
    const [list, words] = [[1], Int32Array.of(1)];
    const id = results.idOf([{ list }, words]);
    list.push(2);
    words[0] = 2;
    assert.deepEqual(results.valueOfId(id), [{ list: [1] }, Int32Array.of(1)]);
    assert.throws(() => (results.valueOfId(id) as unknown[]).pop(), TypeError);
  });

  it("are nothing that has behaviour", () => {
    const itself: unknown[] = [];
    itself.push(itself);
    const wrong: readonly (readonly [unknown, string])[] = [
      [() => 1, "a function"],
      [Symbol.iterator, "a symbol"],
      [new Map(), "an object of class Map"],
      [{ deep: [new (class Queue {})()] }, "an object of class Queue"],
      [new (class {})(), "an object of a class"],
      [new Int32Array(new SharedArrayBuffer(4)), "a view of shared memory"],
      [itself, "an object that contains itself"],
    ];
    for (const [value, message] of wrong) assert.throws(() => new Results().idOf(value), { message });
  });

  it("are shown on one line", () => {
    const texts = make().map(shown);
    assert.deepEqual(texts.slice(0, 8), ["undefined", "null", "false", "true", "0", "-0", "1", "NaN"]);
    assert.deepEqual(texts.slice(8, 16), [
      "1n",
      '"1"',
      '"undefined"',
      "[]",
      "[undefined]",
      "[1, [2]]",
      '["1,2"]',
      '["1", "2"]',
    ]);
    assert.deepEqual(texts.slice(16), [
      "{}",
      '{ "1": 1 }',
      "{ a: 1, b: -0 }",
      "{ a: 1, b: 0 }",
      "Int32Array [1, 2]",
      "Uint8Array [1, 2]",
      "Float64Array [NaN, -0]",
      "BigInt64Array [1n, 2n]",
    ]);
  });
});
