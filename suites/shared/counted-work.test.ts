import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TimersCompetitor } from "../../structures/timers/timers.contract.ts";
import { privateTimers } from "../../structures/timers/timers.contract.ts";
import { CountedCopy, sitesIn } from "./counted-work.ts";

/** What stands in a text, by what it is, with the text right behind the first offset. */
function found(source: string) {
  return sitesIn(source).map(
    ({ kind, offsets }) => `${kind} ${offsets.map((at) => source.slice(at, at + 4)).join(" + ")}`,
  );
}

describe("what is counted in a source", () => {
  it("is each comparison, and each element and field that is read or written", () => {
    assert.deepEqual(found("if (a <= b[i]) c.next = d?.e;"), [
      "comparisons <= b",
      "words [i])",
      "words .nex",
      "words ?.e;",
    ]);
  });

  it("is no array, pattern or call, no field of this, and nothing of a library", () => {
    assert.deepEqual(
      found("const [a] = [1]; return [Math.max(2)], this.#b, this.c, heap.pop(), Int32Array.BYTES;"),
      [],
    );
  });

  it("is an element of a field of this, and of what a call returns", () => {
    assert.deepEqual(found("this.#heap[0] + f()[1] + g[2][3]"), [
      "words [0] ",
      "words [1] ",
      "words [2][",
      "words [3]",
    ]);
  });

  it("is each round of a loop, braced or not", () => {
    assert.deepEqual(found("for (const a of b) { x(); }"), ["visits x();"]);
    assert.deepEqual(found("for (const a of b) y();"), ["visits y();"]);
    assert.deepEqual(found("while (w) { x(); }"), ["visits x();"]);
    assert.deepEqual(found("do { z(); } while (w);"), ["visits z();"]);
  });

  it("is a header's condition once more than there are rounds, and the step as often", () => {
    assert.deepEqual(found("for (let i = a[0]; i < n; i += b[1]) { x(); }"), [
      "visits x();",
      "words [0];",
      "comparisons < n; + x();",
      "words x();",
    ]);
    assert.deepEqual(found("while (heap.length > 0) { x(); }"), [
      "visits x();",
      "words .len + x();",
      "comparisons > 0) + x();",
    ]);
  });

  it("is nothing in comments, texts and regular expressions", () => {
    assert.deepEqual(found('// a[0] < b\nx("a[0] < b", /[a]<b/, `a < b`);'), []);
  });
});

describe("a counted copy", () => {
  it("does the work of the competitor, and reports how much: more in a longer sorted list", async () => {
    const copy = await CountedCopy.of<TimersCompetitor>(
      import.meta.resolve("../../structures/timers/competitors/object-heap.ts"),
    );
    const risingTo = async (count: number) => {
      const timers = privateTimers(copy.competitor, count + 1);
      for (let added = 0; added < count; added++) timers.add(1000 + added);
      const work = await copy.workOf(() => timers.add(1));
      assert.equal(timers.size, count + 1);
      return work;
    };
    // A timer that is due first rises from the bottom to the top: one node for each level.
    assert.equal((await risingTo(1)).visits, 1);
    assert.equal((await risingTo(7)).visits, 3);
    assert.equal((await risingTo(127)).visits, 7);
    assert.deepEqual(await copy.workOf(() => {}), { visits: 0, comparisons: 0, words: 0 });
    copy.end();
  });
});
