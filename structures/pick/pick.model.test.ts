import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { competitorsOf, loadCompetitor, mutantsOf } from "../catalog.ts";
import { mutatedIn, type Planted } from "../shared/mutated.ts";
import { contract, type PickCompetitor } from "./pick.contract.ts";
import { explorePicks, unexplored } from "./pick.model.ts";

const load = async (url: string) => (await loadCompetitor(url, contract)) as PickCompetitor;

/** Behind a lock only one thread moves at a time, and the locks' own models ask whether that is so. */
const isLocked = ({ progress }: PickCompetitor) => progress === "blocking";

const competitors = await Promise.all(
  competitorsOf("pick").map(async ({ name, url }) => ({ name, competitor: await load(url) })),
);
const explored = competitors.filter(
  ({ competitor }) => !isLocked(competitor) && unexplored(competitor) === undefined,
);

/** Changes of real files, each with a competitor that they break and the law that finds it. */
const changes: Readonly<Record<string, Planted>> = {
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
    from: "end = position + lease;",
    to: "end = position + lease - 1;",
    breaks: "totalsAreRight",
  },
  "a request that is not counted": {
    name: "two-choices",
    file: "pick/competitors/two-choices.ts",
    from: "Atomics.add(memory, chosen * STRIDE_WORDS, 1);",
    to: "if (chosen === second) Atomics.add(memory, chosen * STRIDE_WORDS, 1);",
    breaks: "totalsAreRight",
  },
};

describe("pick: in every interleaving of a few workers that pick a few times", () => {
  for (const { name, competitor } of explored) {
    it(`${name}: the laws hold, and nobody waits for anybody`, () => {
      assert.deepEqual(explorePicks(competitor), []);
    });
  }

  for (const [what, { name, breaks, file, from, to }] of Object.entries(changes)) {
    it(`${what} breaks ${breaks}`, async () => {
      const { url } = competitorsOf("pick").find((entry) => entry.name === name)!;
      const mutant = await mutatedIn<PickCompetitor>(file, url, [from, to]);
      const broken = explorePicks(mutant, breaks);
      assert.ok(
        broken.some((sentence) => sentence.startsWith(`${breaks}:`)),
        `got ${broken.join("; ") || "nothing"}`,
      );
    });
  }

  // What threads meet by luck, this meets for certain.
  it("mutants that are wrong only beside other workers are caught", async () => {
    for (const { name, url } of mutantsOf("pick")) {
      const { racy = false } = (await import(url)) as { racy?: boolean };
      const competitor = await load(url);
      if (racy && unexplored(competitor) === undefined)
        assert.notDeepEqual(explorePicks(competitor), [], name);
    }
  });
});
