import assert from "node:assert/strict";
import { describe, it } from "node:test";
import sequenceRing from "../../structures/queues/competitors/sequence-ring.ts";
import type { WorkDone } from "../engine/race.ts";
import { Payload, sumBelow } from "./payload.ts";
import scenarios from "./scenarios/pairs.ts";

const race = scenarios[0]!;
const setup = { params: race.params.smoke, workers: 2, seed: 1, fork: 0 };

/** What two workers noted that received 7 of the first and 5 of the second, who had sent 64 more, the first with a change. */
function work(changed: Readonly<Record<string, number>> = {}): WorkDone[] {
  const came = (count: number) => [count, sumBelow(count)] as const;
  const done = (
    operations: number,
    [count0, sum0]: readonly [number, number],
    [count1, sum1]: readonly [number, number],
  ) => ({
    role: "worker",
    operations,
    checksum: operations,
    counters: {
      sent: operations + 64,
      misses: 3,
      wrong: 0,
      "count 0": count0,
      "sum 0": sum0,
      "unordered 0": 0,
      "count 1": count1,
      "sum 1": sum1,
      "unordered 1": 0,
    },
  });
  const [first, second] = [done(7, came(7), came(0)), done(5, came(0), came(5))];
  return [{ ...first, counters: { ...first.counters, ...changed } }, second];
}

describe("the law of messages that are passed on", () => {
  for (const [name, done, sentence] of [
    ["accepts what came whole, once and in order", work(), undefined],
    ["finds one that was lost", work({ "count 0": 6 }), /^once: of producer 0 6 messages came/],
    ["finds that the last was lost", work({ "count 0": 6, "sum 0": sumBelow(6) }), /^once: 129 .* 128 /],
    ["finds one that came in place of another", work({ "sum 0": sumBelow(7) + 1 }), /^once: /],
    ["finds one that was doubled", work({ "count 1": 1 }), /^once: of producer 1 6 messages came/],
    ["finds one that was torn", work({ wrong: 1 }), /^whole: 1 messages/],
    ["finds some out of order", work({ "unordered 0": 1 }), /^inOrder: messages of producer 0/],
    ["finds operations that nobody did", work().map((one) => ({ ...one, checksum: 0 })), /^passed: /],
  ] as const) {
    it(name, () => {
      const broken = race.law(sequenceRing, setup, { memory: new Int32Array(0) } as never, done);
      if (sentence === undefined) assert.equal(broken, undefined);
      else assert.match(broken ?? "", sentence);
    });
  }

  it("knows the sum of numbers beyond 32 bits", () => {
    for (const count of [0, 1, 2, 7, 65_537, 200_001]) {
      const exact = (BigInt(count) * BigInt(count - 1)) / 2n;
      assert.equal(sumBelow(count) | 0, Number(BigInt.asIntN(32, exact)), String(count));
    }
  });
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
