import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isWhole, type Kept, readPart, shrinking, wholeOf, writtenPart } from "./shrink.ts";

function shrunk(whole: readonly Kept[], counts: (part: readonly Kept[]) => boolean): readonly Kept[] {
  const parts = shrinking(whole);
  let asked = parts.next();
  while (asked.done !== true) asked = parts.next(counts(asked.value));
  return asked.value;
}

const has = (part: readonly Kept[], thread: number, operation: number) =>
  part.some((kept) => kept.thread === thread && kept.operations.includes(operation));

describe("shrinking a program", () => {
  it("leaves what a failure needs, and nothing else", () => {
    const needed = (part: readonly Kept[]) => has(part, 0, 2) && has(part, 2, 0) && has(part, 2, 1);
    assert.equal(writtenPart(shrunk(wholeOf([3, 4, 2, 1]), needed)), "0.2/2.0,2.1");
  });

  it("leaves all where any part less does not fail", () => {
    const whole = wholeOf([2, 1]);
    const tried: string[] = [];
    const left = shrunk(whole, (part) => {
      tried.push(writtenPart(part));
      return false;
    });
    assert.equal(left, whole);
    assert.deepEqual(tried, ["0.0,0.1", "1.0", "0.0/1.0", "0.1/1.0"]);
  });

  it("ends with one operation of one thread", () => {
    assert.equal(writtenPart(shrunk(wholeOf([2, 2]), () => true)), "0.0");
  });

  it("tries threads again once operations are left out", () => {
    // Thread 1 can go as soon as operation 1 of thread 0 has gone.
    const counts = (part: readonly Kept[]) => has(part, 0, 0) && (!has(part, 0, 1) || has(part, 1, 0));
    assert.equal(writtenPart(shrunk(wholeOf([2, 1]), counts)), "0.0");
  });
});

describe("a part as text", () => {
  it("is read as it was written", () => {
    const part = [
      { thread: 0, operations: [0, 2] },
      { thread: 12, operations: [0] },
    ];
    const lengths = [3, ...new Array<number>(11).fill(1), 1];
    assert.equal(writtenPart(part), "0.0,0.2/12.0");
    assert.deepEqual(readPart("0.0,0.2/12.0", lengths), part);
    assert.ok(!isWhole(part, lengths));
    assert.ok(isWhole(wholeOf(lengths), lengths));
  });

  it("is refused where it is none of the program", () => {
    const wrong = [
      ["", '"" is no operation: expected its thread\'s number and its own, as in "0.2"'],
      ["0.0/1", '"1" is no operation: expected its thread\'s number and its own, as in "0.2"'],
      ["0.3", "the program has no operation 3 of thread 0"],
      ["0.0,2.0", "the program has no operation 0 of thread 2"],
      ...["0.1,0.0", "1.0/0.0", "0.0/0.1", "0.0,1.0", "00.0"].map(
        (text) =>
          [
            text,
            `"${text}" is no part of a program: expected ascending operations, as in "0.0,0.2/1.0"`,
          ] as const,
      ),
    ] as const;
    for (const [text, message] of wrong) assert.throws(() => readPart(text, [3, 1]), { message });
  });
});
