import assert from "node:assert/strict";
import { it } from "node:test";
import { Random } from "../../shared/sfc32.ts";
import ringOfSlots from "../competitors/ring-of-slots.ts";
import wasmRingOfSlots from "../competitors/wasm-ring-of-slots.ts";
import type { DispatchCompetitor } from "../dispatch.contract.ts";

const SEED = 20_261_122;
const STEPS = 5_000;
const CLIENTS = 40;

it("dispatch: wasm-ring-of-slots takes, refuses and returns what the original does, in the same order", () => {
  for (const reach of [1, 7, 8, 600])
    assert.deepEqual(played(wasmRingOfSlots, reach), played(ringOfSlots, reach), `a reach of ${reach}`);
});

/** What a list returns for the same calls, including the calls that it has to refuse. */
function played(competitor: DispatchCompetitor, reach: number) {
  const list = competitor.create(CLIENTS, reach);
  const random = new Random(SEED);
  let clock = 0;
  return Array.from({ length: STEPS }, () => {
    const client = random.below(CLIENTS + 1);
    const delay = random.below(reach + 3) - 1;
    if (random.below(8) === 0) clock += random.below(2 * reach);
    try {
      switch (random.below(4)) {
        case 0:
          return list.remove(client);
        case 1:
          return list.take(clock);
        default:
          return list.enter(client, clock + delay);
      }
    } catch (error) {
      return (error as Error).message;
    }
  });
}
