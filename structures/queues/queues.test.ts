import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { testLaws } from "../shared/law-tests.ts";
import { allocateRegion, type Region } from "../shared/layout.ts";
import framesLockedRing from "./competitors/frames-locked-ring.ts";
import twoLockBlocks from "./competitors/two-lock-blocks.ts";
import { ParkedSender } from "./parts/handles.ts";
import { EVENT, Parking } from "./parts/parking.ts";
import type { QueueSetup, QueuesCompetitor } from "./queues.contract.ts";
import { besideArray, examination, examinationThreads, setupsFor } from "./queues.examination.ts";
import { attachReceiver, attachSender, freeSeat, makeQueue } from "./queues.exports.ts";
import * as laws from "./queues.laws.ts";
import { mutants } from "./queues.mutants.ts";

/** Kept, because to start them takes longer than to examine. */
const threads = examinationThreads();
after(() => threads.destroy());

/** In ms: a mutant that loses messages keeps a consumer waiting for ever. */
const STUCK_MS = 2_000;

const competitors = await testLaws<QueuesCompetitor>({
  primitive: "queues",
  examination: { ...examination, examine: (url) => examination.examine(url, undefined, threads) },
  examineMutant: (url) => examination.examine(url, STUCK_MS, threads),
  mutants,
  laws: {
    ...laws,
    emptyIsExact: true,
    fullIsExact: true,
    onlyTheOldestGiveWay: true,
  },
  tries: 40,
});

/** Where a queue counts modulo 2^32, in words behind its parking; of others, each producer's ring begins with a pair. */
const COUNTERS: Readonly<Record<string, readonly number[]>> = {
  ...{ "locked-overwriting-ring": [32, 33], "locked-ring": [32, 33], "robust-locked-ring": [32, 33] },
  ...{ "frames-locked-ring": [32, 64], "two-lock-blocks": [32, 96], "two-lock-ring": [32, 96] },
  ...{ "sequence-ring": [0, 32], "wasm-sequence-ring": [0, 32], "seqlock-mailbox": [0, 64] },
};

const WHERE = [
  ["begin below 2^31", 2 ** 31 - 256, 0],
  ["begin below 2^32", 2 ** 32 - 256, 0],
  ["were brought on by others", 0, 2 ** 31],
] as const;

describe("queues: laws where counts", () => {
  for (const { name, competitor } of competitors) {
    if (competitor.share !== undefined || name === "single-slot") continue;
    const countOn = (memory: Region, { capacity, longest, producers }: QueueSetup, by: number) => {
      const ring = competitor.words({ capacity, longest, producers, consumers: 1 }) / producers;
      const rings = Array.from({ length: producers }, (_, at) => [at * ring, at * ring + 32]).flat();
      for (const word of COUNTERS[name] ?? rings) memory[word]! += by;
      if (name.endsWith("sequence-ring"))
        for (let place = 0; place < capacity; place++) memory[64 + place * (1 + longest)]! += by;
    };
    for (const [what, from, on] of WHERE) {
      if (on > 0 && (!(name in COUNTERS) || competitor.producers === "one")) continue;
      it(`of ${name} ${what}`, async () => {
        const counted: QueuesCompetitor = {
          ...competitor,
          format(memory, setup) {
            competitor.format(memory, setup);
            countOn(memory, setup, from);
          },
          receiver(memory, setup, worker) {
            // All have attached.
            if (worker.index + 1 === setup.producers + setup.consumers) countOn(memory, setup, on);
            return competitor.receiver(memory, setup, worker);
          },
        };
        // With as many producers and consumers as it may have.
        const setups = setupsFor(competitor).filter((_, at) => at % 2 === 1);
        const broken = await Promise.all(setups.map((setup) => besideArray(counted, setup)));
        assert.equal(broken.flat().join(""), "");
      });
    }
  }
});

describe("queues:", () => {
  const SETUP = { capacity: 16, longest: 4, producers: 1, consumers: 1 };

  it("two-lock-blocks has as many words as a word can number", () => {
    const setup = { ...SETUP, capacity: 2 ** 27, longest: 15 };
    assert.equal(twoLockBlocks.words(setup), 160 + (2 ** 23 + 1) * 241);
    const refused = /^RangeError: blocks of more than 2\^31 - 1 words: take a smaller capacity or longest$/;
    assert.throws(() => makeQueue(twoLockBlocks, { ...setup, longest: 16 }), refused);
  });

  it("what has no room for the longest message takes none, and no lock along", () => {
    const queue = makeQueue(framesLockedRing, SETUP);
    attachSender(framesLockedRing, queue, 0).trySend(Uint8Array.of(7));
    const receiver = attachReceiver(framesLockedRing, queue, 0);
    const refused = /^RangeError: 3 elements are no room for a message of up to 4$/;
    assert.throws(() => receiver.tryReceive(new Uint8Array(3)), refused);
    assert.equal(receiver.tryReceive(new Uint8Array(4)), 1);
  });

  it("a message that came after the queue was closed from outside is not called sent", () => {
    const parking = new Parking(allocateRegion(Parking.words(1)), 1);
    const trySend = () => parking.close(0) === undefined;
    const sender = new ParkedSender({ trySend }, parking, 0, [1, 1]);
    assert.equal(sender.send(Int32Array.of(1)), "closed");
  });

  it("a freed seat wakes all whom its holder left asleep, though one keeps the wake-up to itself", async () => {
    const queue = makeQueue(twoLockBlocks, SETUP);
    const asleep = [0, 1].map(() => Atomics.waitAsync(queue.memory, EVENT, 0, STUCK_MS).value);
    freeSeat(queue, 0);
    assert.deepEqual(await Promise.all(asleep), ["ok", "ok"]);
  });
});
