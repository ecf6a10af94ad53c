import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadCompetitors } from "../catalog.ts";
import { assertBroken } from "../shared/broken.ts";
import { faultsIn } from "../shared/faults.ts";
import { findsFaults } from "../shared/law-tests.ts";
import { writtenIn } from "../shared/mutants.ts";
import { mutatedModule } from "../shared/mutated.ts";
import { brokenCalls, brokenInTurn } from "../shared/program-laws.ts";
import perProducerRings from "./competitors/per-producer-rings.ts";
import * as handles from "./parts/handles.ts";
import { Parking } from "./parts/parking.ts";
import { observedRing } from "./parts/wasm/observed-ring.ts";
import type { QueuesCompetitor } from "./queues.contract.ts";
import {
  checkQueue,
  exploreSuccessors,
  type QueuesLaw,
  queuesLaws,
  unexplored,
  type Waits,
  waysOf,
} from "./queues.model.ts";

const competitors = await loadCompetitors<QueuesCompetitor>("queues");
const explored = competitors.filter(({ competitor }) => unexplored(competitor) === undefined);
const faults = writtenIn<QueuesCompetitor, QueuesLaw>(new URL("testdata/model-faults.txt", import.meta.url));

/** The laws that a mutant breaks, up to this one. */
function explore(mutant: QueuesCompetitor, breaks: QueuesLaw): string[] {
  return breaks === "othersGoOn"
    ? exploreSuccessors(mutant)
    : brokenInTurn(waysOf(mutant), (way) => brokenCalls(false, () => checkQueue(mutant, way)), breaks);
}

describe("queues: in every interleaving of two threads", () => {
  for (const { name, competitor } of explored)
    for (const way of waysOf(competitor)) {
      it(`${name} ${way}`, () => void checkQueue(competitor, way));
      if (way === "dies")
        it(`${name}: others go on`, () => assert.deepEqual(exploreSuccessors(competitor), []));
    }

  it("wasm-sequence-ring, of its text", async () => {
    const ring = await observedRing();
    for (const way of waysOf(ring)) checkQueue(ring, way);
    const faulty = await observedRing([
      "i32.atomic.rmw.cmpxchg (local.get $counter) (local.get $n)",
      "i32.atomic.rmw.xchg (local.get $counter)",
    ]);
    assertBroken("callsAreExplained", explore(faulty, "callsAreExplained"));
  });

  findsFaults("queues", queuesLaws, faults, (mutant, { breaks }) => explore(mutant, breaks));
});

describe("queues: each fault of waiting strands a worker", () => {
  for (const { name, breaks, in: file, edits } of faultsIn<QueuesLaw>(
    new URL("testdata/waiting-faults.txt", import.meta.url),
  ))
    it(name, async () => {
      const parts = await mutatedModule<Partial<Waits>>(import.meta.resolve(`../${file}`), ...edits);
      const waits: Waits = { ...handles, Parking, ...parts };
      const broken = (["waits", "waitsForRoom"] as const).flatMap((way) =>
        brokenCalls(false, () => checkQueue(perProducerRings, way, waits)),
      );
      assertBroken(breaks, broken);
    });
});
