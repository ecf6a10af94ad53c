import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadCompetitor } from "../catalog.ts";
import { itJudgesAsWritten } from "../interleave/calls.trials.ts";
import { assertBroken, isBroken } from "../shared/broken.ts";
import { faultsIn } from "../shared/faults.ts";
import { testLaws } from "../shared/law-tests.ts";
import { allocateRegion, STRIDE_WORDS } from "../shared/layout.ts";
import { type Edit, mutated, mutatedIn } from "../shared/mutated.ts";
import futex from "./competitors/futex-three-state.ts";
import ticket from "./competitors/ticket.ts";
import { contract, type LockCompetitor } from "./locks.contract.ts";
import { examination } from "./locks.examination.ts";
import * as laws from "./locks.laws.ts";
import { exploreLock, standsFor, unexplored } from "./locks.model.ts";
import { mutants as mutantEntries } from "./locks.mutants.ts";
import { FEW_POLLS } from "./parts/few-polls.ts";
import { observedLocks } from "./parts/observed-locks.ts";

const mutants = await Promise.all(
  mutantEntries.map(async (mutant) => ({
    ...mutant,
    competitor: (await loadCompetitor(mutant.url, contract)) as LockCompetitor,
  })),
);
/** Edits of locks as they are, which need a certain moment to show. */
const FAULTS = new URL("testdata/model-faults.txt", import.meta.url);
const TEXT_FAULTS = new URL("testdata/text-faults.txt", import.meta.url);
const lawsExplored = Object.values(standsFor).flat();

const competitors = await testLaws<LockCompetitor>({
  primitive: "locks",
  examination,
  mutants,
  laws,
  // A worker that waits for a dead holder needs no core, and mutants that strand a waiter are only waited for.
  concurrency: [3, mutants.length],
});

describe("locks: in every interleaving of two or three threads", () => {
  const polls: Readonly<Record<string, readonly Edit[]>> = FEW_POLLS;
  for (const { name, url, competitor } of competitors) {
    if (unexplored(competitor) !== undefined) continue;
    it(`${name} lets one inside at a time and can always finish`, async () => {
      const fewer = polls[name];
      const lock = fewer === undefined ? competitor : await mutated<LockCompetitor>(url, ...fewer);
      assert.deepEqual(exploreLock(lock), []);
    });
  }

  it("the locks in WebAssembly do, too, by their text", async () => {
    for (const lock of Object.values(await observedLocks(...FEW_POLLS["locks.wat"])))
      assert.deepEqual(exploreLock(lock), []);
  });

  for (const { name, of, breaks, edits } of faultsIn(TEXT_FAULTS))
    it(`a text of ${of} that ${name}`, async () => {
      const lock = (await observedLocks(...FEW_POLLS["locks.wat"], ...edits))[of as "wasm-ticket"];
      assertBroken(breaks, exploreLock(lock, breaks));
    });

  const explored = mutants.filter(
    ({ breaks, competitor }) => lawsExplored.includes(breaks) && unexplored(competitor) === undefined,
  );
  for (const { name, breaks, competitor } of explored) {
    it(`${name} does not`, () => {
      const standing = Object.keys(standsFor).filter((law) => standsFor[law]!.includes(breaks));
      const isFound = standing.some((law) => isBroken(law, exploreLock(competitor, law)));
      assert.ok(isFound, `expected ${standing.join(" or ")}`);
    });
  }

  it("a futex that wakes nobody when a waiter's seat is freed leaves the others asleep", () => {
    const { sleepWord: _, ...forgetful } = futex;
    assertBroken("waitersAreWoken", exploreLock(forgetful, "waitersAreWoken"));
  });

  for (const { name: what, of, in: file, breaks, edits } of faultsIn(FAULTS))
    it(`${what} breaks ${breaks}`, async () => {
      const { url } = competitors.find(({ name }) => name === of)!;
      const broken = file === undefined ? mutated : mutatedIn.bind(undefined, file);
      const fewer = file === undefined ? (polls[of!] ?? []) : [];
      const mutant = (await broken(url, ...edits, ...fewer)) as LockCompetitor;
      assertBroken(breaks, exploreLock(mutant, breaks));
    });
});

describe("locks: tickets go on where their numbers wrap", () => {
  for (const wrap of [2 ** 31, 2 ** 32]) {
    it(`at ${wrap}`, () => {
      const memory = allocateRegion(ticket.words());
      ticket.format(memory);
      const [next, serving] = [0, STRIDE_WORDS];
      memory[next] = memory[serving] = wrap - 2;
      const one = ticket.attach(memory);
      const other = ticket.attach(memory);
      for (let turn = 0; turn < 2; turn++) {
        one.lock();
        assert.equal(other.tryLock(), false);
        one.unlock();
        assert.equal(other.tryLock(), true);
        assert.equal(one.tryLock(), false);
        other.unlock();
      }
      assert.deepEqual([memory[next], memory[serving]], [(wrap + 2) | 0, (wrap + 2) | 0]);
    });
  }
});

itJudgesAsWritten(
  "locks: laws on observations made by hand",
  new URL("testdata/laws.txt", import.meta.url),
  laws,
);
