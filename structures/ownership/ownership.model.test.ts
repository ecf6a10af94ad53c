import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { competitorsOf, loadCompetitor } from "../catalog.ts";
import { faultsIn } from "../shared/faults.ts";
import { writtenIn } from "../shared/mutants.ts";
import { mutated } from "../shared/mutated.ts";
import seqlockSlots from "./competitors/seqlock-slots.ts";
import plainLoads from "./competitors/seqlock-slots-plain-loads.ts";
import { type ClaimsCompetitor, contract, type OwnershipCompetitor } from "./ownership.contract.ts";
import { exploreLookups, interleavedLookups, mutants, scripts } from "./ownership.model.ts";
import { mutants as mutantEntries } from "./ownership.mutants.ts";
import { exploredSlots } from "./parts/observed-lookups.ts";

const load = (url: string) => loadCompetitor(url, contract) as Promise<OwnershipCompetitor>;

const urlOf = (of: string) => competitorsOf("ownership").find(({ name }) => name === of)!.url;

/** Faults of ownership.wat, each with the tolerance of the lookups that it is in, and a script that it breaks. */
const TEXT_FAULTS = new URL("testdata/text-faults.txt", import.meta.url);

/** Faults of the writer's and the readers' code in JavaScript. */
const FAULTS = writtenIn<ClaimsCompetitor>(new URL("testdata/model-faults.txt", import.meta.url));

describe("ownership: in every interleaving of a lookup with a writer", async () => {
  // That the answer was true at some instant is a law of every examination, which explores each competitor.
  // More than the contract asks, which is content with each millisecond as it was before or after.
  it("seqlock-slots: so was an answer from both sides of a gap", () =>
    assert.equal(interleavedLookups(seqlockSlots, 3), undefined));

  it("where plain loads are weak, seqlock-slots-plain-loads breaks its promise and seqlock-slots keeps it", () => {
    const [sound, weak] = [seqlockSlots, plainLoads].map((competitor) =>
      exploreLookups(competitor, scripts.join!, 0, { weak: true }),
    );
    assert.equal(typeof sound, "number");
    assert.match(String(weak), /said .* where it was/);
  });

  it("a lookup that waits for the writer is caught, before it looks", async () => {
    const waiting = await mutated<ClaimsCompetitor>(urlOf("dense-timeline"), [
      "const from = cleared.load();",
      "let from = cleared.load(); while (from !== watermark.load()) from = cleared.load();",
    ]);
    assert.match(String(exploreLookups(waiting, scripts["forget all"]!)), /does not end/);
  });

  it("a lookup that waits for the writer is caught, once it begins anew", async () => {
    const waiting = await mutated<ClaimsCompetitor>(urlOf("seqlock-slots"), [
      "if (Atomics.load(memory, block + VERSION) === version) return answer;",
      `if (Atomics.load(memory, block + VERSION) === version) return answer;
      while (Atomics.load(memory, block + VERSION) === version + 1);`,
    ]);
    assert.match(String(exploreLookups(waiting, scripts["two claims of a millisecond"]!)), /no way out/);
  });

  describe("wasm-seqlock-slots, of a text whose loads can be seen", () => {
    it("the answer was true at some instant, also where the writer stops for ever", async () =>
      assert.equal(interleavedLookups(await exploredSlots()), undefined));

    it("so was an answer from both sides of a gap", async () => {
      const competitor = await exploredSlots();
      for (const script of Object.values(scripts))
        assert.equal(typeof exploreLookups(competitor, script, 3), "number");
    });

    for (const { name, tolerance, script, edits } of faultsIn<string, "tolerance" | "script">(TEXT_FAULTS))
      it(`${name} is caught in "${script}"`, async () => {
        const mutant = await exploredSlots(...edits);
        assert.equal(typeof exploreLookups(mutant, scripts[script]!, Number(tolerance)), "string");
      });
  });

  for (const [name, { script, fault }] of Object.entries(mutants)) {
    it(`${name} is caught in "${script}"`, async () => {
      const mutant = await mutated<ClaimsCompetitor>(urlOf("seqlock-slots"), fault);
      assert.equal(typeof exploreLookups(mutant, scripts[script]!), "string");
    });
  }

  for (const [what, mutant] of Object.entries(FAULTS)) {
    it(`${mutant.of}: ${what} is caught`, async () => {
      const faulty = await mutant.make((of) => import.meta.resolve(`./competitors/${of}.ts`));
      assert.notEqual(interleavedLookups(faulty), undefined);
    });
  }

  // What threads meet by luck, this meets for certain.
  it("a mutant that is wrong only beside a writer is caught", async () => {
    for (const { name, url, breaks } of mutantEntries) {
      if (breaks !== "seesSomeInstant") continue;
      const competitor = await load(url);
      assert.equal(competitor.hears, "claims");
      if (competitor.hears === "claims") assert.notEqual(interleavedLookups(competitor), undefined, name);
    }
  });
});
