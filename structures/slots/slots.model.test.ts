import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { competitorsOf, loadCompetitor, mutantsOf } from "../catalog.ts";
import { mutatedIn, type Planted } from "../shared/mutated.ts";
import { contract, type SlotsCompetitor } from "./slots.contract.ts";
import { exploreSlots, unexplored } from "./slots.model.ts";

const load = async (url: string) => (await loadCompetitor(url, contract)) as SlotsCompetitor;

/** Behind a lock only one thread moves at a time, and the locks' own models ask whether that is so. */
const isLocked = ({ progress }: SlotsCompetitor) => progress === "blocking";

const competitors = await Promise.all(
  competitorsOf("slots").map(async ({ name, url }) => ({ name, competitor: await load(url) })),
);
const explored = competitors.filter(
  ({ competitor }) => !isLocked(competitor) && unexplored(competitor) === undefined,
);

/** Changes of real files, each with a competitor that they break and the law that finds it. */
const changes: Readonly<Record<string, Planted>> = {
  "a hole counted after it is said to be vacant": {
    name: "ticket-shared-holes",
    file: "slots/competitors/ticket-shared-holes.ts",
    from: "Atomics.add(memory, HOLES + slot, 1);\n        Atomics.add(memory, VACANT, 1);",
    to: "Atomics.add(memory, VACANT, 1);\n        Atomics.add(memory, HOLES + slot, 1);",
    breaks: "nobodyIsHeldUp",
  },
  "a vacancy claimed without comparing": {
    name: "ticket-shared-holes",
    file: "slots/competitors/ticket-shared-holes.ts",
    from: "const seen = Atomics.compareExchange(memory, VACANT, vacant, vacant - 1);",
    to: "const seen = vacant; Atomics.store(memory, VACANT, vacant - 1);",
    breaks: "everyWorkerFinishes",
  },
  "a client counted by a plain increment": {
    name: "least-loaded-counters",
    file: "slots/competitors/least-loaded-counters.ts",
    from: "Atomics.add(memory, found.slot, 1);",
    to: "memory[found.slot]!++;",
    breaks: "conserved",
  },
  "a fold that does not compare": {
    name: "shared-ticket",
    file: "pick/parts/rotation.ts",
    from: "const seen = Atomics.compareExchange(memory, at, next, next - fold);",
    to: "const seen = Atomics.sub(memory, at, fold);",
    breaks: "foldedBack",
  },
};

describe("slots: in every interleaving of a few workers", () => {
  for (const { name, competitor } of explored) {
    it(`${name}: the laws hold, no schedule deadlocks, and a worker that stops holds nobody up`, () => {
      assert.deepEqual(exploreSlots(competitor), []);
    });
  }

  for (const [what, { name, breaks, file, from, to }] of Object.entries(changes)) {
    it(`${what} breaks ${breaks}`, async () => {
      const { url } = competitorsOf("slots").find((entry) => entry.name === name)!;
      const mutant = await mutatedIn<SlotsCompetitor>(file, url, [from, to]);
      const broken = exploreSlots(mutant, breaks);
      assert.ok(
        broken.some((sentence) => sentence.startsWith(`${breaks}:`)),
        `got ${broken.join("; ") || "nothing"}`,
      );
    });
  }

  // What threads meet by luck, this meets for certain.
  it("mutants that are wrong only beside other workers are caught", async () => {
    for (const { name, url } of mutantsOf("slots")) {
      const { racy = false } = (await import(url)) as { racy?: boolean };
      if (racy) assert.notDeepEqual(exploreSlots(await load(url)), [], name);
    }
  });
});
