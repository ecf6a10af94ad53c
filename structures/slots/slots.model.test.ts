import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadCompetitor, loadCompetitors } from "../catalog.ts";
import { assertBroken } from "../shared/broken.ts";
import { findsFaults } from "../shared/law-tests.ts";
import { type Mutant, planted, plantedIn } from "../shared/mutants.ts";
import { observedTickets } from "./parts/observed-tickets.ts";
import { contract, type SlotsCompetitor } from "./slots.contract.ts";
import { exploreSlots, type SlotsLaw, slotsLaws, unexplored } from "./slots.model.ts";
import { mutants } from "./slots.mutants.ts";

const load = async (url: string) => (await loadCompetitor(url, contract)) as SlotsCompetitor;

const competitors = await loadCompetitors<SlotsCompetitor>("slots");
const explored = competitors.filter(({ competitor }) => unexplored(competitor) === undefined);

const faults: Readonly<Record<string, Mutant<SlotsCompetitor, SlotsLaw>>> = {
  "a hole counted after it is said to be vacant": planted("ticket-shared-holes", "nobodyIsHeldUp", [
    "Atomics.add(memory, HOLES + slot, 1);\n        Atomics.add(memory, VACANT, 1);",
    "Atomics.add(memory, VACANT, 1);\n        Atomics.add(memory, HOLES + slot, 1);",
  ]),
  "a vacancy claimed without comparing": planted("ticket-shared-holes", "everyWorkerFinishes", [
    "const seen = Atomics.compareExchange(memory, VACANT, vacant, vacant - 1);",
    "const seen = vacant; Atomics.store(memory, VACANT, vacant - 1);",
  ]),
  "a client counted by a plain increment": planted("two-choices", "conserved", [
    "Atomics.add(memory, chosen, 1);",
    "memory[chosen]!++;",
  ]),
  "a fold that does not compare": plantedIn("pick/parts/rotation.ts", "shared-ticket", "foldedBack", [
    "const seen = Atomics.compareExchange(memory, at, next, next - fold);",
    "const seen = Atomics.sub(memory, at, fold);",
  ]),
  "a ticket in two steps": plantedIn("slots/parts/tickets.ts", "shared-ticket", "evenFilling", [
    "const ticket = Atomics.add(memory, NEXT, count);",
    "const ticket = Atomics.load(memory, NEXT); Atomics.store(memory, NEXT, ticket + count);",
  ]),
  "a slot that there is not": planted("shared-ticket", "slotsAreInRange", [
    "drawTickets(memory, fold, 1) % slots",
    "drawTickets(memory, fold, 1) % (slots + 1)",
  ]),
  "a take that another was faster with, and that draws a ticket": planted(
    "ticket-shared-holes",
    "evenUnderChurn",
    ["          vacant = seen;\n", "          break;\n"],
  ),
  "a claim that is tried again at the load that the slot has now": planted(
    "least-loaded-counters-claimed",
    "evenFilling",
    [
      "          casFailures++;\n          found.search();",
      "          casFailures++;\n          found.load = Atomics.load(memory, found.slot);",
    ],
  ),
  "a give that is not counted": planted("locked-least-loaded-scan", "evenUnderChurn", [
    "counts[slot]!--;",
    "",
  ]),
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

  findsFaults("slots", slotsLaws, faults, (mutant, { breaks }) => exploreSlots(mutant, breaks));

  // What threads meet by luck, this meets for certain.
  it("mutants that are wrong only beside other workers are caught", async () => {
    for (const { name, url, isRacy } of mutants) {
      if (isRacy) assert.notDeepEqual(exploreSlots(await load(url)), [], name);
    }
  });
});
