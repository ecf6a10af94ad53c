import assert from "node:assert/strict";
import { describe, it } from "node:test";
import flatSortedArrays from "../../../structures/ownership/competitors/flat-sorted-arrays.ts";
import type { ClaimsCompetitor } from "../../../structures/ownership/ownership.contract.ts";
import { allocateStream, type ClaimStream } from "../../../structures/ownership/parts/stream.ts";
import { Random } from "../../../structures/shared/sfc32.ts";
import { runCluster } from "../collector.ts";
import { COMMON_LONG_SHARE } from "../fleet.ts";
import { type ClaimBatch, decode, encode } from "./claim-batch.ts";
import { Collector, digestOf } from "./collector.ts";
import {
  acknowledgedIsKnown,
  collectorsAgree,
  countUnknown,
  everyQuestionIsAsked,
  nobodyIsBlamedWrongly,
  sharesAreTheSimulations,
} from "./laws.ts";
import believesTheLast from "./liars/believes-the-last.ts";
import guesses from "./liars/guesses.ts";
import { Outbox } from "./outbox.ts";
import { drawRun, type RunPlan, runAlone, sharesOf, simulatedShares } from "./run.ts";
import { arithmetic, brokerArithmetic } from "./surveys.ts";
import { NotKept, type Transport } from "./transport.ts";
import { openWorkload } from "./workload.ts";

const SEED = 42;
const PLAN: RunPlan = {
  fleet: {
    resources: 100,
    owners: 30,
    horizonMs: 360_000,
    ownershipMsMean: 120_000,
    longShare: COMMON_LONG_SHARE,
  },
  faults: {},
  nodes: 3,
  asks: "at every lag",
};

function simulated(plan: RunPlan) {
  const { fleet, faults } = drawRun(plan, SEED);
  return simulatedShares(runCluster(flatSortedArrays, fleet, faults, SEED, plan.nodes));
}

describe("the same work without transport", () => {
  it("gives the simulation's answers", () => {
    const shares = sharesOf(runAlone(flatSortedArrays, drawRun(PLAN, SEED)).tallies);
    assert.equal(shares.wrong, 0);
    assert.equal(sharesAreTheSimulations(shares, simulated(PLAN)), undefined);
  });

  it("asks only until it has an answer, and comes to the same in the end", () => {
    const patient = sharesOf(runAlone(flatSortedArrays, drawRun(PLAN, SEED)).tallies);
    const plan: RunPlan = { ...PLAN, asks: "until answered" };
    const shares = sharesOf(runAlone(flatSortedArrays, drawRun(plan, SEED)).tallies);
    assert.equal(shares.missingAfterHoldback, patient.missingAfterHoldback);
    assert.equal(shares.missingAtLast, patient.missingAtLast);
    assert.ok(
      shares.lookups < patient.lookups / 3,
      `${shares.lookups} lookups, ${patient.lookups} at every lag`,
    );
  });
});

describe("the laws of collectors catch", () => {
  it("one that guesses", () => {
    const { tallies } = runAlone(guesses, drawRun({ ...PLAN, faults: { loss: 0.1 } }, SEED));
    const { wrong, lookups } = sharesOf(tallies);
    assert.match(nobodyIsBlamedWrongly(wrong, lookups)!, /^nobodyIsBlamedWrongly: \d+ of \d+ lookups/);
  });

  it("one to which the order matters", () => {
    // Only where claims contradict each other does the order matter.
    const { plan, workloads, steps } = drawRun({ ...PLAN, faults: { skewMsMost: 5_000 } }, SEED);
    const collectorsOf = (competitor: ClaimsCompetitor) =>
      workloads.map((words) => new Collector(competitor, { ...plan, workload: openWorkload(words) }));
    const sent = collectorsOf(flatSortedArrays).flatMap((collector) =>
      Array.from({ length: steps }, (_, step) => collector.claim(step)),
    );
    const different = (competitor: ClaimsCompetitor) => {
      const [first, second] = collectorsOf(competitor) as [Collector, Collector];
      for (const claims of sent) first.hear(claims);
      for (const claims of sent.toReversed()) second.hear(claims);
      return new Set([first, second].map((collector) => digestOf(collector.holdings()))).size;
    };
    assert.equal(
      collectorsAgree(different(believesTheLast)),
      "collectorsAgree: collectors know 2 different things",
    );
    assert.equal(collectorsAgree(different(flatSortedArrays)), undefined);
  });

  it("questions that were never asked, claims that were acknowledged and lost, and shares that are not the simulation's", () => {
    assert.equal(everyQuestionIsAsked(2), "everyQuestionIsAsked: 2 lookups were not made");
    const shares = { wrong: 0, lookups: 100, missingAfterHoldback: 5, missingAtLast: 1 };
    assert.equal(sharesAreTheSimulations({ ...shares, missingAtLast: 1.4 }, shares), undefined);
    assert.equal(
      sharesAreTheSimulations({ ...shares, missingAtLast: 1.6 }, shares),
      "sharesAreTheSimulations: missingAtLast is 1.60 %, in the simulation 1.00 %",
    );
    assert.equal(
      acknowledgedIsKnown(2, 9),
      "acknowledgedIsKnown: of 9 acknowledged claims that nobody had to forget, collectors do not know 2",
    );
  });
});

describe("claims that are unknown", () => {
  const stream = (...claims: [number, number, number, number][]): ClaimStream => ({
    resources: Int32Array.from(claims, ([resource]) => resource),
    owners: Int32Array.from(claims, ([, owner]) => owner),
    starts: Float64Array.from(claims, ([, , start]) => start),
    ends: Float64Array.from(claims, ([, , , end]) => end),
  });
  const known = stream([0, 1, 10, 20], [0, -2, 20, 25], [0, 1, 25, 30], [2, 5, 0, 9]);

  for (const [name, claim, watermark, unknown] of [
    ["is none that is known across a conflict", [0, 1, 12, 30], 0, 0],
    ["is one that begins earlier", [0, 1, 9, 30], 0, 1],
    ["is none whose beginning is forgotten", [0, 1, 9, 30], 10, 0],
    ["is one that ends later", [0, 1, 10, 31], 0, 1],
    ["is one that another owner holds", [0, 2, 10, 20], 0, 1],
    ["is one of a resource that nothing is known of", [1, 1, 10, 20], 0, 1],
  ] as const) {
    it(name, () => assert.equal(countUnknown(stream([...claim]), known, watermark), unknown));
  }
});

describe("a batch of claims", () => {
  const random = new Random(SEED);
  const claims = allocateStream(100);
  for (let at = 0; at < 100; at++) {
    claims.resources[at] = random.below(2 ** 20);
    claims.owners[at] = random.below(2 ** 20);
    claims.starts[at] = 1_700_000_000_000 + random.below(2 ** 20);
    claims.ends[at] = claims.starts[at]! + 1 + random.below(2 ** 20);
  }
  const batch: ClaimBatch = { from: 2, step: 77, isLast: true, sentUs: 123_456_789_012, claims };
  const empty: ClaimBatch = { ...batch, isLast: false, claims: allocateStream(0) };

  it("is read as it was written", () => {
    assert.deepEqual(decode(encode(batch)), batch);
    assert.deepEqual(decode(encode(empty)), empty);
  });

  it("is read wherever it lies in a larger message", () => {
    const message = encode(batch);
    const larger = new Uint8Array(message.length + 3);
    larger.set(message, 3);
    assert.deepEqual(decode(larger.subarray(3)), batch);
  });

  it("is refused where it is nonsense", () => {
    const message = encode(batch);
    for (const bad of [new Uint8Array(0), new Uint8Array(40), message.subarray(1), message.subarray(0, -1)])
      assert.throws(() => decode(bad), RangeError);
  });

  it("takes 16 bytes a claim, and no claims that lie too far apart", () => {
    assert.equal(encode(batch).length, 40 + 16 * 100);
    const ends = claims.ends.slice();
    ends[5] = claims.starts[5]! + 2 ** 32;
    assert.throws(() => encode({ ...batch, claims: { ...claims, ends } }), /too long for one batch/);
  });
});

describe("five million reports a second need", () => {
  // A report costs its own collector 400 ns, and each collector, that one too, another 100.
  const ns = new Map([
    [1, 500],
    [2, 600],
    [4, 800],
  ]);

  it("cores that grow with the collectors, and some that each has to hear with", () => {
    assert.deepEqual(arithmetic(ns), { ownNs: 400, hearNs: 100, hearingCores: 0.5, clusterCores: 17 });
  });

  it("cores of the broker, where it reported its time", () => {
    assert.deepEqual(brokerArithmetic(ns), { brokerCores: 17 });
    assert.deepEqual(brokerArithmetic(new Map()), {});
  });
});

describe("an outbox", () => {
  /** Keeps the messages it is given, one after the other. */
  function scripted(outcomes: readonly ("kept" | "lost" | "refused")[]) {
    const sent: number[] = [];
    const transport = {
      isThere: true,
      async broadcast(message: Uint8Array) {
        sent.push(message[0]!);
        const outcome = outcomes[sent.length - 1] ?? "kept";
        if (outcome === "lost") throw new Error("no answer");
        if (outcome === "refused") throw new NotKept("full");
      },
    } as unknown as Transport;
    return { sent, transport };
  }

  it("repeats what was not acknowledged, and knows up to where all is", async () => {
    const { sent, transport } = scripted(["kept", "lost", "kept"]);
    const outbox = new Outbox(transport);
    for (const step of [0, 1, 2]) outbox.post(step, Uint8Array.of(step), true);
    assert.equal(outbox.acknowledgedBefore, 0);
    await new Promise(setImmediate);
    assert.equal(outbox.acknowledgedBefore, 1);
    await outbox.empty();
    assert.deepEqual(sent, [0, 1, 2, 1]);
    assert.equal(outbox.acknowledgedBefore, 3);
    assert.deepEqual([outbox.repeated, outbox.givenUp], [1, 0]);
  });

  it("does not ask again where the transport keeps nothing more, and counts that", async () => {
    const { sent, transport } = scripted(["kept", "refused"]);
    const outbox = new Outbox(transport);
    for (const step of [0, 1, 2]) outbox.post(step, Uint8Array.of(step), true);
    await outbox.empty();
    assert.deepEqual(sent, [0, 1, 2]);
    assert.deepEqual([outbox.acknowledgedBefore, outbox.repeated, outbox.givenUp], [1, 0, 1]);
  });
});
