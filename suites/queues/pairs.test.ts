import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { itJudgesAsWritten } from "../../structures/interleave/calls.trials.ts";
import sequenceRing from "../../structures/queues/competitors/sequence-ring.ts";
import type { WorkDone } from "../engine/race.ts";
import { Payload, sumBelow } from "./payload.ts";
import scenarios from "./scenarios/pairs.ts";

const race = scenarios[0]!;
const setup = { params: race.params.smoke, workers: 2, seed: 1, fork: 0 };

/** What two workers noted that received 7 of the first and 5 of the second, who had sent 64 more, the first with a change. */
function work(changed: Readonly<Record<string, number>> = {}): WorkDone[] {
  const done = (operations: number, ...counts: readonly number[]) => {
    const each = counts.flatMap((count, of) => [
      [`count ${of}`, count],
      [`sum ${of}`, sumBelow(count)],
      [`unordered ${of}`, 0],
    ]);
    const counters = { sent: operations + 64, misses: 3, wrong: 0, ...Object.fromEntries(each) };
    return { role: "worker", operations, checksum: operations, counters };
  };
  const [first, second] = [done(7, 7, 0), done(5, 0, 5)] as const;
  return [{ ...first, counters: { ...first.counters, ...changed } }, second];
}

const law = (done: WorkDone[]) => race.law(sequenceRing, setup, { memory: new Int32Array(0) } as never, done);
const cases = new URL("testdata/passed-on.txt", import.meta.url);
itJudgesAsWritten("messages that are passed on have a law", cases, { law, work, sumBelow });

it("knows the sum of numbers beyond 32 bits", () => {
  for (const count of [0, 1, 2, 7, 65_537, 200_001]) {
    const exact = (BigInt(count) * BigInt(count - 1)) / 2n;
    assert.equal(sumBelow(count) | 0, Number(BigInt.asIntN(32, exact)), String(count));
  }
});

describe("a message", () => {
  for (const shape of [
    { messages: "words", length: 2 },
    { messages: "words", length: 16 },
    { messages: "frames", length: 64 },
    { messages: "frames", length: 1024 },
  ] as const) {
    it(`says whose and which it is: ${shape.length} ${shape.messages}`, () => {
      const payload = new Payload(shape);
      for (const [producer, number] of [
        [0, 0],
        [1, 0],
        [6, 123_456_789],
      ] as const) {
        payload.write(producer, number);
        assert.deepEqual([payload.producerOf(7), payload.number], [producer, number]);
        assert.equal(payload.producerOf(producer), -1);
      }
      // Its end is that of the message before.
      const before = payload.message.slice(shape.messages === "words" ? -1 : -4);
      payload.write(6, 123_456_790);
      payload.message.set(before, shape.length - before.length);
      assert.equal(payload.producerOf(7), -1);
    });
  }
});
