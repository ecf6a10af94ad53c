import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { competitorsOf, loadCompetitor } from "../catalog.ts";
import { assertBroken } from "../shared/broken.ts";
import { findsFaults, type Planted } from "../shared/planted.ts";
import { observedTickets } from "./parts/observed-tickets.ts";
import { contract, type SlotsCompetitor } from "./slots.contract.ts";
import { exploreSlots, type SlotsLaw, slotsLaws, unexplored } from "./slots.model.ts";
import { mutants } from "./slots.mutants.ts";

const load = async (url: string) => (await loadCompetitor(url, contract)) as SlotsCompetitor;

const competitors = await Promise.all(
  competitorsOf("slots").map(async ({ name, url }) => ({ name, competitor: await load(url) })),
);
const explored = competitors.filter(({ competitor }) => unexplored(competitor) === undefined);

const faults: Readonly<Record<string, Planted<SlotsLaw>>> = {
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
  "a ticket in two steps": {
    name: "shared-ticket",
    file: "slots/parts/tickets.ts",
    from: "const ticket = Atomics.add(memory, NEXT, count);",
    to: "const ticket = Atomics.load(memory, NEXT); Atomics.store(memory, NEXT, ticket + count);",
    breaks: "evenFilling",
  },
  "a slot that there is not": {
    name: "shared-ticket",
    file: "slots/competitors/shared-ticket.ts",
    from: "drawTickets(memory, fold, 1) % slots",
    to: "drawTickets(memory, fold, 1) % (slots + 1)",
    breaks: "slotsAreInRange",
  },
  "a give that is not counted": {
    name: "locked-least-loaded-scan",
    file: "slots/competitors/locked-least-loaded-scan.ts",
    from: "counts[slot]!--;",
    to: "",
    breaks: "evenUnderChurn",
  },
};

describe("slots: in every interleaving of a few workers", () => {
  for (const { name, competitor } of explored) {
    it(`${name}: the laws hold`, () => {
      assert.deepEqual(exploreSlots(competitor), []);
    });
  }

  it("wasm-shared-ticket: the laws hold of its text, and find faults in it", async () => {
    assert.deepEqual(exploreSlots(await observedTickets()), []);
    for (const [from, to, breaks] of [
      [
        "(local.set $ticket (i32.atomic.rmw.add (global.get $base) (i32.const 1)))",
        `(local.set $ticket (i32.atomic.load (global.get $base)))
        (i32.atomic.store (global.get $base) (i32.add (local.get $ticket) (i32.const 1)))`,
        "evenFilling",
      ],
      [
        `(i32.atomic.rmw.cmpxchg
          (global.get $base)
          (local.get $next)
          (i32.sub (local.get $next) (global.get $fold)))`,
        "(i32.atomic.rmw.add (global.get $base) (i32.sub (i32.const 0) (global.get $fold)))",
        "foldedBack",
      ],
    ] as const) {
      const broken = exploreSlots(await observedTickets([from, to]), breaks);
      assertBroken(breaks, broken);
    }
  });

  findsFaults("slots", slotsLaws, faults, (mutant: SlotsCompetitor, { breaks }) =>
    exploreSlots(mutant, breaks),
  );

  // What threads meet by luck, this meets for certain.
  it("mutants that are wrong only beside other workers are caught", async () => {
    for (const { name, url, isRacy } of mutants) {
      if (isRacy) assert.notDeepEqual(exploreSlots(await load(url)), [], name);
    }
  });
});
