import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadCompetitors } from "../catalog.ts";
import { InterleavingError } from "../interleave/index.ts";
import { assertBroken, isBroken } from "../shared/broken.ts";
import { findsFaults } from "../shared/law-tests.ts";
import { writtenIn } from "../shared/mutants.ts";
import { mutatedModule } from "../shared/mutated.ts";
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
  type Way,
  waysOf,
} from "./queues.model.ts";

const competitors = await loadCompetitors<QueuesCompetitor>("queues");
const explored = competitors.filter(({ competitor }) => unexplored(competitor) === undefined);
const faults = writtenIn<QueuesCompetitor, QueuesLaw>(new URL("testdata/model-faults.txt", import.meta.url));

/** The law that is broken in one way to look at a queue, and how. */
function brokenIn(way: Way, competitor: QueuesCompetitor, waits?: Waits): string[] {
  try {
    checkQueue(competitor, way, waits);
    return [];
  } catch (error) {
    if (!(error instanceof InterleavingError)) throw error;
    const law: QueuesLaw = error.promise === "end" ? "callsAreExplained" : "everyCallEnds";
    return [`${law}: ${error.message.split("\n")[0]}`];
  }
}

/** The laws that a mutant breaks, up to this one. */
function explore(mutant: QueuesCompetitor, breaks: QueuesLaw): string[] {
  if (breaks === "othersGoOn") return exploreSuccessors(mutant);
  const broken: string[] = [];
  for (const way of waysOf(mutant)) {
    broken.push(...brokenIn(way, mutant));
    if (isBroken(breaks, broken)) break;
  }
  return broken;
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

/** Faults of parts/parking.ts and of parts/handles.ts: each strands a worker that sleeps. */
const WAITING: Readonly<Record<string, readonly [file: string, from: string, to: string]>> = {
  "a producer that wakes before it has sent": [
    "handles",
    "if (!this.#core.trySend(message)) return false;\n    this.#parking.wake(CONSUMER);",
    "this.#parking.wake(CONSUMER);\n    if (!this.#core.trySend(message)) return false;",
  ],
  "a consumer that does not look again once it has announced itself": [
    "handles",
    "const second = this.tryReceive(into);\n      if (second !== EMPTY) return second;\n      this.#parking.sleep(",
    "this.#parking.sleep(",
  ],
  "a consumer that wakes nobody where it made room": [
    "handles",
    "if (length !== EMPTY) this.#parking.wake(PRODUCER);",
    "",
  ],
  "an announcement that is taken back without a wake-up": [
    "parking",
    "Atomics.notify(memory, EVENT);\n        return;",
    "return;",
  ],
  "a close that wakes nobody": ["parking", "this.wake(CONSUMER);\n    this.wake(PRODUCER);", ""],
};

const WAITS: Waits = { ...handles, Parking };

describe("queues: waiting", () => {
  for (const [what, [file, from, to]] of Object.entries(WAITING))
    it(`${what} strands a worker`, async () => {
      const parts = await mutatedModule<Waits>(import.meta.resolve(`./parts/${file}.ts`), [from, to]);
      const broken = (["waits", "waitsForRoom"] as const).flatMap((way) =>
        brokenIn(way, perProducerRings, { ...WAITS, ...parts }),
      );
      assertBroken("everyCallEnds", broken);
    });
});
