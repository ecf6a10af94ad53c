import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadCompetitors } from "../catalog.ts";
import { assertBroken } from "../shared/broken.ts";
import { findsFaults } from "../shared/law-tests.ts";
import { like, type Mutants, writtenIn } from "../shared/mutants.ts";
import { mutatedModule } from "../shared/mutated.ts";
import { EVERYBODY_FINISHES } from "../shared/program-laws.ts";
import perProducerRings from "./competitors/per-producer-rings.ts";
import * as handles from "./parts/handles.ts";
import { Parking } from "./parts/parking.ts";
import type { QueuesCompetitor } from "./queues.contract.ts";
import {
  exploreParked,
  exploreQueue,
  type QueuesLaw,
  queuesLaws,
  unexplored,
  type Waits,
} from "./queues.model.ts";

const competitors = await loadCompetitors<QueuesCompetitor>("queues");
const explored = competitors.filter(({ competitor }) => unexplored(competitor) === undefined);

const faults = writtenIn<QueuesCompetitor, QueuesLaw>(new URL("testdata/model-faults.txt", import.meta.url));

/** Each a competitor that claims too much. */
const claims: Mutants<QueuesCompetitor> = {
  "a ring that claims to be empty only where nothing is there": like("sequence-ring", "emptyIsExact", () => ({
    exactEmpty: true,
  })),
  "a ring that claims to be full only where it is": like("sequence-ring", "fullIsExact", () => ({
    exactFull: true,
  })),
};

describe("queues: in every interleaving of a few workers", () => {
  for (const { name, competitor } of explored)
    it(`${name}: the laws hold`, () => assert.deepEqual(exploreQueue(competitor), []));

  const all = { ...faults, ...claims } as Readonly<Record<string, (typeof faults)[string]>>;
  findsFaults("queues", queuesLaws, all, (mutant, { breaks }) => exploreQueue(mutant, breaks));
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
      const broken = exploreParked(perProducerRings, EVERYBODY_FINISHES, { ...WAITS, ...parts });
      assertBroken(EVERYBODY_FINISHES, broken);
    });
});
