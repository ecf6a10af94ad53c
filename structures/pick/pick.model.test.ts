import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadCompetitor, loadCompetitors } from "../catalog.ts";
import { assertBroken } from "../shared/broken.ts";
import { findsFaults } from "../shared/law-tests.ts";
import { type Mutant, planted, plantedIn } from "../shared/mutants.ts";
import { observedPickers } from "./parts/observed-pickers.ts";
import { contract, type PickCompetitor } from "./pick.contract.ts";
import { explorePicks, type PickLaw, pickLaws, unexplored } from "./pick.model.ts";
import { mutants } from "./pick.mutants.ts";

const load = async (url: string) => (await loadCompetitor(url, contract)) as PickCompetitor;

const competitors = await loadCompetitors<PickCompetitor>("pick");
const explored = competitors.filter(({ competitor }) => unexplored(competitor) === undefined);

const LEASE = "pick/parts/lease.ts";
/** For fewer states. */
const FEW_TICKETS = [
  "leasedTickets(lease: number) {",
  "leasedTickets(lease: number) {\n  lease = 4;",
] as const;

const faults: Readonly<Record<string, Mutant<PickCompetitor, PickLaw>>> = {
  "a fold that does not compare": plantedIn(
    "pick/parts/rotation.ts",
    "shuffled-round-robin",
    "rotationIsConserved",
    [
      "const seen = Atomics.compareExchange(memory, at, next, next - fold);",
      "const seen = Atomics.sub(memory, at, fold);",
    ],
  ),
  "a reshuffle that does not ask the first worker": planted(
    "background-reshuffle",
    "epochsKeepTheirRotation",
    [
      "for (let worker = 0; worker < workers; worker++) {\n        // Somebody",
      "for (let worker = 1; worker < workers; worker++) {\n        // Somebody",
    ],
  ),
  "a reshuffle that does not ask the last worker": planted(
    "background-reshuffle",
    "epochsKeepTheirRotation",
    [
      "for (let worker = 0; worker < workers; worker++) {\n        // Somebody",
      "for (let worker = 0; worker < workers - 1; worker++) {\n        // Somebody",
    ],
  ),
  "a fold beside the epoch that does not compare": planted("background-reshuffle", "counterIsFolded", [
    "const found = Atomics.compareExchange(memory, CONTROL, control, control - fold);",
    "const found = Atomics.sub(memory, CONTROL, fold);",
  ]),
  "a worker that does not tell what it saw": planted("background-reshuffle", "orderChanges", [
    "Atomics.store(memory, seenAt, epoch);",
    "",
  ]),
  "a ticket in two steps": planted("shuffled-round-robin", "rotationIsConserved", [
    "Atomics.add(memory, NEXT, 1)",
    "Atomics.store(memory, NEXT, Atomics.load(memory, NEXT) + 1)",
  ]),
  "a head that is tried again as it was": plantedIn("pick/parts/ring.ts", "cas-ring", "everyWorkerFinishes", [
    "      for (;;) {\n        const node = Atomics.load(memory, HEAD);",
    "      const node = Atomics.load(memory, HEAD);\n      for (;;) {",
  ]),
  "a lease of one too few": plantedIn(LEASE, "leased-tickets-16", "totalsAreRight", FEW_TICKETS, [
    "end = position + size;",
    "end = position + size - 1;",
  ]),
  "a request that is counted twice": planted("two-choices", "totalsAreRight", [
    "Atomics.add(memory, chosen * STRIDE_WORDS, 1);",
    "Atomics.add(memory, chosen * STRIDE_WORDS, chosen === second ? 1 : 2);",
  ]),
  "a backend that there is not": planted("shuffled-round-robin", "picksAreInRange", [
    "return rotation[ticket % backends]!;",
    "return rotation[ticket % backends]! + 1;",
  ]),
  "a head that moves without comparing": plantedIn("pick/parts/ring.ts", "cas-ring", "gapIsBounded", [
    "if (Atomics.compareExchange(memory, HEAD, node, memory[node + NEXT]!) === node) {",
    "if (Atomics.store(memory, HEAD, memory[node + NEXT]!) > 0) {",
  ]),
  "a backend by the head as it is after the move": plantedIn(
    "pick/parts/ring.ts",
    "cas-ring",
    "gapIsBounded",
    [
      "          return memory[node + BACKEND]!;\n        }\n        casFailures++;",
      "          return memory[Atomics.load(memory, HEAD) + BACKEND]!;\n        }\n        casFailures++;",
    ],
  ),
  "a reshuffle that takes epochs for numbers that do not wrap": planted(
    "background-reshuffle",
    "epochsKeepTheirRotation",
    [
      "if (Atomics.load(memory, seenOf(worker)) !== epoch) return false;",
      "if (Atomics.load(memory, seenOf(worker)) < epoch) return false;",
    ],
  ),
  "a release that looks for a request, and then takes it off": planted("two-choices", "inFlightIsConserved", [
    "        if (Atomics.sub(memory, backend * STRIDE_WORDS, 1) > 0) return;\n        Atomics.add(memory, backend * STRIDE_WORDS, 1);\n        throw",
    "        if (Atomics.load(memory, backend * STRIDE_WORDS) > 0) {\n          Atomics.sub(memory, backend * STRIDE_WORDS, 1);\n          return;\n        }\n        throw",
  ]),
  "a load in two steps": planted("two-choices", "inFlightIsConserved", [
    "if (Atomics.sub(memory, backend * STRIDE_WORDS, 1) > 0) return;",
    "Atomics.store(memory, backend * STRIDE_WORDS, Atomics.load(memory, backend * STRIDE_WORDS) - 1); return;",
  ]),
  "leases that are said to keep the order": plantedIn(
    LEASE,
    "leased-tickets-16",
    "ticketsAreLinearizable",
    FEW_TICKETS,
    ['tickets: "conserved"', 'tickets: "linearizable"'],
  ),
  "a fold that is late": plantedIn("pick/parts/rotation.ts", "shuffled-round-robin", "counterIsFolded", [
    "while (next >= fold) {",
    "while (next >= 2 * fold) {",
  ]),
  "a ticket behind a lock": planted("shuffled-round-robin", "nobodyIsHeldUp", [
    "const ticket = Atomics.add(memory, NEXT, 1);",
    `while (Atomics.compareExchange(memory, 1, 0, 1) !== 0);
     const ticket = Atomics.add(memory, NEXT, 1);
     Atomics.store(memory, 1, 0);`,
  ]),
};

describe("pick: in every interleaving of a few workers that pick a few times", () => {
  for (const { name, competitor } of explored) {
    it(`${name}: the laws hold`, () => {
      assert.deepEqual(explorePicks(competitor), []);
    });
  }

  it("the pickers in WebAssembly that share words: the laws hold of their text", async () => {
    const { "wasm-per-worker-random": _, ...sharing } = await observedPickers();
    for (const picker of Object.values(sharing)) assert.deepEqual(explorePicks(picker), []);
  });

  for (const [what, name, breaks, fault] of [
    [
      "folds without comparing",
      "wasm-round-robin",
      "counterIsFolded",
      [
        `(i32.atomic.rmw.cmpxchg
          (global.get $base)
          (local.get $next)
          (i32.sub (local.get $next) (global.get $fold)))`,
        "(i32.atomic.rmw.add (global.get $base) (i32.sub (i32.const 0) (global.get $fold)))",
      ],
    ],
    [
      "moves its head without comparing",
      "wasm-cas-ring",
      "gapIsBounded",
      [
        `(i32.atomic.rmw.cmpxchg
              (global.get $base)
              (local.get $node)
              (i32.load offset=4 (local.get $address)))
            (local.get $node)`,
        `(i32.and
              (i32.atomic.rmw.xchg (global.get $base) (i32.load offset=4 (local.get $address)))
              (i32.const 0))
            (i32.const 0)`,
      ],
    ],
  ] as const)
    it(`a text of ${name} that ${what} breaks ${breaks}`, async () => {
      const broken = explorePicks((await observedPickers(fault))[name], breaks);
      assertBroken(breaks, broken);
    });

  findsFaults("pick", pickLaws, faults, (mutant, { breaks }) => explorePicks(mutant, breaks));

  // What threads meet by luck, this meets for certain.
  it("mutants that are wrong only beside other workers are caught", async () => {
    for (const { name, url, isRacy } of mutants) {
      const competitor = await load(url);
      if (isRacy && unexplored(competitor) === undefined)
        assert.notDeepEqual(explorePicks(competitor), [], name);
    }
  });
});
