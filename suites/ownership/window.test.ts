import assert from "node:assert/strict";
import { it } from "node:test";
import seqlockSlots from "../../structures/ownership/competitors/seqlock-slots.ts";
import { fillWindow, prepareWindow, type WindowParams, Writer } from "./window.ts";

it("a writer also looks at one claim in 1,021, and at none where the plan says so", () => {
  const params: WindowParams = { resources: 64, rowMs: 8, lookups: 1 };
  const checksOf = (operationsPerSample?: number) => {
    const shared = prepareWindow(seqlockSlots, { params, workers: 1, seed: 1, fork: 0 });
    const ownership = seqlockSlots.attach(shared.memory, shared.capacity);
    fillWindow(ownership, shared.visits, params.rowMs);
    const writer = new Writer(ownership, shared, params, operationsPerSample);
    for (let claims = 0; claims < 5 * 1021; claims++) writer.run(1);
    return writer.counters().checks;
  };
  assert.equal(checksOf(), 5);
  assert.equal(checksOf(Number.POSITIVE_INFINITY), 0);
});
