import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { faultsBreakLaws } from "../../shared/law-tests.ts";
import { mutatedModuleIn } from "../../shared/mutated.ts";
import wheel from "../competitors/hashed-wheel.ts";
import { LINGER_MS, Timeouts } from "./callbacks.ts";
import * as laws from "./lingering.laws.ts";
import { World } from "./world.synthetic.ts";

class CountingWorld extends World {
  made = 0;

  protected override arm(...given: Parameters<World["arm"]>) {
    this.made++;
    return super.arm(...given);
  }
}

const REQUESTS = 1_000;
/** From one request to the next, in ms; each is done within its own. */
const GAP_MS = 2;
const LONG_MS = 30_000;
const SHORT_MS = 20;

/** The sentences of the laws that requests break which come one after another, each with a timeout. */
function brokenBy(Made: typeof Timeouts): string[] {
  const world = new CountingWorld();
  const timeouts = new Made(wheel, 4, { clock: world.clock, native: world.native });
  let held = 0;
  let free = 0;
  for (let request = 0; request < REQUESTS; request++) {
    const handle = timeouts.set(() => assert.fail("it was cleared"), LONG_MS);
    if (!world.keepsAlive) free++;
    world.pass(GAP_MS / 2);
    timeouts.clear(handle);
    if (world.keepsAlive) held++;
    world.pass(GAP_MS / 2);
  }
  const { made } = world;
  world.pass(LINGER_MS);
  const left = world.size;
  // A request that took long, and a short timeout after it.
  const long = timeouts.set(() => {}, LONG_MS);
  world.pass(LONG_MS / 2);
  timeouts.clear(long);
  let lateMs = Number.POSITIVE_INFINITY;
  const dueMs = world.now + SHORT_MS;
  timeouts.set(() => (lateMs = world.now - dueMs), SHORT_MS);
  world.pass(LONG_MS);
  return [
    laws.nativeTimerIsKept(made, REQUESTS, (REQUESTS * GAP_MS) / LINGER_MS),
    laws.noneHoldsProcess(held),
    laws.liveHoldsProcess(free),
    laws.noneIsLeft(left),
    laws.runsInTime(lateMs),
  ].filter((sentence) => sentence !== undefined);
}

describe("timers: the native timer of a Timeouts outlasts the last timeout for a while", () => {
  it("and keeps its laws", () => {
    assert.deepEqual(brokenBy(Timeouts), []);
  });

  const FAULTS = new URL("../testdata/lingering-faults.txt", import.meta.url);
  faultsBreakLaws(FAULTS, laws, async ({ edits }) => {
    const url = import.meta.resolve("./callbacks.ts");
    const { Timeouts: Mutant } = await mutatedModuleIn<{ Timeouts: typeof Timeouts }>(
      "timers/parts/callbacks.ts",
      url,
      ...edits,
    );
    return brokenBy(Mutant);
  });
});
