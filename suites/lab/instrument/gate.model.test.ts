// Before the gate, which keeps functions of Atomics.
import "../../../structures/interleave/register.ts";
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { faultsBreakLaws } from "../../../structures/shared/law-tests.ts";
import { mutatedModule } from "../../../structures/shared/mutated.ts";
import * as gate from "../../engine/measure/fork/gate.ts";
import { exploreGate, type Gate, type GateLaw, gateLaws } from "./gate.model.ts";

const GATE = new URL("../../engine/measure/fork/gate.ts", import.meta.url).href;
const FAULTS = new URL("testdata/gate-faults.txt", import.meta.url);

describe("the gate: in every interleaving of a coordinator and a few workers", () => {
  it("the laws hold", () => {
    assert.deepEqual(exploreGate(gate), []);
  });

  const laws = Object.fromEntries(gateLaws.map((law) => [law, law]));
  faultsBreakLaws(FAULTS, laws, async ({ edits, breaks }) =>
    exploreGate(await mutatedModule<Gate>(GATE, ...edits), breaks as GateLaw),
  );
});
