import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { foldAt } from "../../pick/parts/rotation.ts";
import sharedTicket from "../competitors/shared-ticket.ts";
import wasmSharedTicket from "../competitors/wasm-shared-ticket.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";
import { attachSlots, makeSlots } from "../slots.instance.ts";
import { NEXT } from "./tickets.ts";

describe("slots: a yardstick in WebAssembly does the same as the original to the same bytes", () => {
  for (const slots of [1, 7, 600, 2 ** 20])
    it(`wasm-shared-ticket, ${slots} slots`, () => {
      // The last ones: another worker has drawn the fold and has not taken it off yet.
      for (const next of [0, foldAt(slots) - 3, foldAt(slots), foldAt(slots) + 63])
        assert.deepEqual(tenTakes(wasmSharedTicket, slots, next), tenTakes(sharedTicket, slots, next));
    });
});

/** What two workers get that take in turn, and the words afterwards. */
function tenTakes(competitor: SlotsCompetitor, slots: number, next: number) {
  const instance = makeSlots(competitor, { slots, workers: 2, seed: 0 });
  instance.memory[NEXT] = next;
  const crew = [0, 1].map((index) => attachSlots(competitor, instance, index));
  return {
    taken: Array.from({ length: 10 }, (_, take) => crew[take % 2]!.take()),
    words: [...instance.memory],
  };
}
