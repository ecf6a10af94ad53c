import assert from "node:assert/strict";
import { describe, it } from "node:test";
import spscRing from "../../structures/queues/competitors/spsc-ring.ts";
import type { WorkDone } from "../engine/race.ts";
import { Payload, sumBelow } from "./payload.ts";
import scenarios from "./scenarios/one-to-one.ts";

const race = scenarios[0]!;
const setup = { params: race.params.smoke, workers: 2, seed: 1, fork: 0 };
const CAPACITY = 128;

/** What a producer and a consumer noted, of whom one is changed. */
function work(sent: number, received: number, changed: Readonly<Record<string, number>> = {}): WorkDone[] {
  const done = (role: string, passed: number, counters: object): WorkDone => ({
    role,
    operations: passed + 3,
    checksum: passed,
    counters: { passed, idle: 3, misses: 5, ...counters },
  });
  const came = { torn: 0, "count 0": received, "sum 0": sumBelow(received), "unordered 0": 0, ...changed };
  return [done("producer", sent, {}), done("consumer", received, came)];
}

describe("the law of messages that are passed on", () => {
  for (const [name, done, sentence] of [
    ["accepts messages that are still in the queue", work(9, 7), undefined],
    [
      "finds one that was lost",
      work(9, 7, { "sum 0": sumBelow(7) + 1 }),
      /^once: of 9 messages of producer 0, 7 came/,
    ],
    ["finds one that was doubled", work(9, 7, { "count 0": 10 }), /^once: /],
    ["finds one that was torn", work(9, 7, { torn: 1 }), /^whole: 1 messages/],
    ["finds some out of order", work(9, 7, { "unordered 0": 1 }), /^inOrder: messages of producer 0/],
    [
      "finds more than there is room for",
      work(9 + CAPACITY, 7),
      /^bounded: 130 messages are left in a queue for 128$/,
    ],
    ["finds operations that nobody did", work(9, 7).map((one) => ({ ...one, checksum: 0 })), /^passed: /],
  ] as const) {
    it(name, () => {
      const broken = race.law(spscRing, setup, undefined, done);
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
