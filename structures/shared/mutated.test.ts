import assert from "node:assert/strict";
import { it } from "node:test";
import lemire from "../draws/competitors/lemire.ts";
import ticket from "../locks/competitors/ticket.ts";
import { STRIDE_WORDS } from "./layout.ts";
import { mutated, mutatedIn } from "./mutated.ts";

const TICKET = import.meta.resolve("../locks/competitors/ticket.ts");
const LEMIRE = import.meta.resolve("../draws/competitors/lemire.ts");

it("a mutant has the fault, and the competitor that it is made of has not", async () => {
  const mutant = await mutated<typeof lemire>(
    LEMIRE,
    [lemire.summary, "another"],
    [lemire.source, "elsewhere"],
  );
  assert.deepEqual([mutant.summary, mutant.source], ["another", "elsewhere"]);
  assert.equal(mutant.progress, lemire.progress);
  assert.notEqual(lemire.summary, "another");
});

it("two mutants of one competitor have each their own fault", async () => {
  const summaries = await Promise.all(
    ["one", "other"].map(
      async (word) => (await mutated<typeof lemire>(LEMIRE, [lemire.summary, word])).summary,
    ),
  );
  assert.deepEqual(summaries, ["one", "other"]);
});

it("a fault without a place, or with several, is an error", async () => {
  await assert.rejects(mutated(LEMIRE, ["not in there", ""]), /0 times, not once: not in there/);
  await assert.rejects(
    mutated(LEMIRE, ["export", ""], ["bound", ""]),
    /lemire\.ts has \d\d? times, not once: bound/,
  );
});

it("a fault of a file that a competitor imports is in its own copy of that file alone", async () => {
  const edit = ["STRIDE_BYTES = 128", "STRIDE_BYTES = 256"] as const;
  const mutant = await mutatedIn<typeof ticket>("shared/layout.ts", TICKET, edit);
  assert.deepEqual([ticket.words(), mutant.words()], [STRIDE_WORDS + 1, 2 * STRIDE_WORDS + 1]);
  await assert.rejects(mutatedIn("shared/layout.ts", TICKET, ["nowhere", ""]), /0 times, not once: nowhere/);
  await assert.rejects(mutatedIn("shared/interner.ts", TICKET, ["a", "b"]), /does not import .*interner\.ts/);
});
