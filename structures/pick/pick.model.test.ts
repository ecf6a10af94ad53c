import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { competitorsOf, loadCompetitor } from "../catalog.ts";
import { assertBroken } from "../shared/broken.ts";
import { findsFaults, type Planted } from "../shared/planted.ts";
import { observedPickers } from "./parts/observed-pickers.ts";
import { contract, type PickCompetitor } from "./pick.contract.ts";
import { explorePicks, type PickLaw, pickLaws, unexplored } from "./pick.model.ts";
import { mutants } from "./pick.mutants.ts";

const load = async (url: string) => (await loadCompetitor(url, contract)) as PickCompetitor;

const competitors = await Promise.all(
  competitorsOf("pick").map(async ({ name, url }) => ({ name, competitor: await load(url) })),
);
const explored = competitors.filter(({ competitor }) => unexplored(competitor) === undefined);

const faults: Readonly<Record<string, Planted<PickLaw>>> = {
  "a fold that does not compare": {
    name: "shuffled-round-robin",
    file: "pick/parts/rotation.ts",
    from: "const seen = Atomics.compareExchange(memory, at, next, next - fold);",
    to: "const seen = Atomics.sub(memory, at, fold);",
    breaks: "rotationIsConserved",
  },
  "a reshuffle that does not ask the first worker": {
    name: "background-reshuffle",
    file: "pick/competitors/background-reshuffle.ts",
    from: "for (let worker = 0; worker < workers; worker++) {\n        // Somebody",
    to: "for (let worker = 1; worker < workers; worker++) {\n        // Somebody",
    breaks: "epochsKeepTheirRotation",
  },
  "a reshuffle that does not ask the last worker": {
    name: "background-reshuffle",
    file: "pick/competitors/background-reshuffle.ts",
    from: "for (let worker = 0; worker < workers; worker++) {\n        // Somebody",
    to: "for (let worker = 0; worker < workers - 1; worker++) {\n        // Somebody",
    breaks: "epochsKeepTheirRotation",
  },
  "a fold beside the epoch that does not compare": {
    name: "background-reshuffle",
    file: "pick/competitors/background-reshuffle.ts",
    from: "const found = Atomics.compareExchange(memory, CONTROL, control, control - fold);",
    to: "const found = Atomics.sub(memory, CONTROL, fold);",
    breaks: "counterIsFolded",
  },
  "a worker that does not tell what it saw": {
    name: "background-reshuffle",
    file: "pick/competitors/background-reshuffle.ts",
    from: "Atomics.store(memory, seenAt, epoch);",
    to: "",
    breaks: "orderChanges",
  },
  "a ticket in two steps": {
    name: "ticket-hash",
    file: "pick/competitors/ticket-hash.ts",
    from: "Atomics.add(memory, NEXT, 1)",
    to: "Atomics.store(memory, NEXT, Atomics.load(memory, NEXT) + 1)",
    breaks: "rotationIsConserved",
  },
  "a generator that tries again with what it had": {
    name: "cas-random",
    file: "pick/competitors/cas-random.ts",
    from: "state = seen;",
    to: "",
    breaks: "everyWorkerFinishes",
  },
  "a lease of one too few": {
    name: "leased-tickets-4",
    file: "pick/parts/lease.ts",
    from: "end = position + size;",
    to: "end = position + size - 1;",
    breaks: "totalsAreRight",
  },
  "a request that is counted twice": {
    name: "two-choices",
    file: "pick/competitors/two-choices.ts",
    from: "Atomics.add(memory, chosen * STRIDE_WORDS, 1);",
    to: "Atomics.add(memory, chosen * STRIDE_WORDS, chosen === second ? 1 : 2);",
    breaks: "totalsAreRight",
  },
  "a backend that there is not": {
    name: "ticket-hash",
    file: "pick/competitors/ticket-hash.ts",
    from: "GOLDEN)) | 0), backends)",
    to: "GOLDEN)) | 0), backends + 1)",
    breaks: "picksAreInRange",
  },
  "a head that moves without comparing": {
    name: "cas-ring",
    file: "pick/parts/ring.ts",
    from: "if (Atomics.compareExchange(memory, HEAD, node, memory[node + NEXT]!) === node) {",
    to: "if (Atomics.store(memory, HEAD, memory[node + NEXT]!) > 0) {",
    breaks: "gapIsBounded",
  },
  "a load in two steps": {
    name: "two-choices",
    file: "pick/competitors/two-choices.ts",
    from: "if (Atomics.sub(memory, backend * STRIDE_WORDS, 1) > 0) return;",
    to: "Atomics.store(memory, backend * STRIDE_WORDS, Atomics.load(memory, backend * STRIDE_WORDS) - 1); return;",
    breaks: "inFlightIsConserved",
  },
  "leases that are said to keep the order": {
    name: "leased-tickets-4",
    file: "pick/parts/lease.ts",
    from: 'tickets: "conserved"',
    to: 'tickets: "linearizable"',
    breaks: "ticketsAreLinearizable",
  },
  "a fold that is late": {
    name: "shuffled-round-robin",
    file: "pick/parts/rotation.ts",
    from: "while (next >= fold) {",
    to: "while (next >= 2 * fold) {",
    breaks: "counterIsFolded",
  },
  "a ticket behind a lock": {
    name: "ticket-hash",
    file: "pick/competitors/ticket-hash.ts",
    from: "return {\n      pick: () =>",
    to: `const behindLock = (pick) => () => {
      while (Atomics.compareExchange(memory, 1, 0, 1) !== 0);
      const backend = pick();
      Atomics.store(memory, 1, 0);
      return backend;
    };
    return { pick: behindLock(() => bounded(mixed((start + Math.imul(Atomics.add(memory, NEXT, 1), GOLDEN)) | 0), backends)) };
    return { pick: () =>`,
    breaks: "nobodyIsHeldUp",
  },
};

describe("pick: in every interleaving of a few workers that pick a few times", () => {
  for (const { name, competitor } of explored) {
    it(`${name}: the laws hold`, () => {
      assert.deepEqual(explorePicks(competitor), []);
    });
  }

  it("the pickers in WebAssembly: the laws hold of their text", async () => {
    for (const picker of Object.values(await observedPickers())) assert.deepEqual(explorePicks(picker), []);
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

  findsFaults("pick", pickLaws, faults, (mutant: PickCompetitor, { breaks }) => explorePicks(mutant, breaks));

  // What threads meet by luck, this meets for certain.
  it("mutants that are wrong only beside other workers are caught", async () => {
    for (const { name, url, isRacy } of mutants) {
      const competitor = await load(url);
      if (isRacy && unexplored(competitor) === undefined)
        assert.notDeepEqual(explorePicks(competitor), [], name);
    }
  });
});
