import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BYTE, HALF, LONG, WORD } from "../memory/access.ts";
import { labelOf, namesOf } from "./model.ts";

type Own = { pop(): number; push(value: number): void };

describe("what operations are called", () => {
  const made = (value: number) => (own: Own) => own.push(value);
  const cases: readonly (readonly [(own: Own) => unknown, string | undefined])[] = [
    [
      function pops(own) {
        return own.pop();
      },
      "pops",
    ],
    [(own) => own.pop(), "pop()"],
    [({ pop }) => pop(), "pop()"],
    // As people write it whose formatter leaves parentheses out.
    [new Function("return own => own.pop()")(), "pop()"],
    [made(1), "push(value)"],
    [
      (own) => {
        return own.push(1);
      },
      "push(1)",
    ],
    [
      (own) => {
        own.push(1);
        own.push(2);
      },
      "own.push(1); own.push(2)",
    ],
    [(own) => [own.pop(), own.pop(), own.pop(), own.pop()], undefined],
    [
      (own) => {
        // Two of them.
        own.pop();
      },
      undefined,
    ],
    [() => {}, undefined],
  ];
  for (const [operation, label] of cases)
    it(`${label}: ${String(operation).replaceAll(/\s+/g, " ")}`, () =>
      assert.equal(labelOf(operation), label));
});

describe("what words are called", () => {
  it("by names of elements, whatever their width", () => {
    const buffer = new SharedArrayBuffer(32);
    const of = (view: ArrayBufferView, ...accesses: readonly [number, number][]) =>
      accesses.map(([word, lane]) => namesOf(view, ["a", "b", "c"])(word, lane));
    assert.deepEqual(of(new Int32Array(buffer), [0, WORD], [2, BYTE + 3], [3, WORD]), ["a", "c", "words[3]"]);
    assert.deepEqual(of(new Int16Array(buffer), [0, HALF], [0, HALF + 2], [1, HALF]), ["a", "b", "c"]);
    assert.deepEqual(of(new Uint8Array(buffer), [0, BYTE + 1], [0, BYTE + 2]), ["b", "c"]);
    assert.deepEqual(of(new BigInt64Array(buffer), [0, LONG], [2, LONG], [6, LONG]), [
      "a",
      "b",
      "elements[3]",
    ]);
    assert.deepEqual(of(new Int32Array(buffer, 8), [2, WORD], [1, WORD]), ["a", "word 1 of buffer"]);
  });

  it("by names of words where more than one view is shared", () => {
    const shared = {
      head: new Int32Array(new SharedArrayBuffer(4)),
      tail: new Int32Array(new SharedArrayBuffer(4)),
    };
    const nameOf = namesOf(shared, ["first"]);
    assert.deepEqual([nameOf(0, WORD), nameOf(2, WORD)], ["first", "tail"]);
  });
});
