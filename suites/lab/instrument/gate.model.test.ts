// Before the gate, which keeps functions of Atomics.
import "../../../structures/interleave/register.ts";
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertBroken } from "../../../structures/shared/broken.ts";
import { type Edit, mutatedModule } from "../../../structures/shared/mutated.ts";
import * as gate from "../../engine/measure/fork/gate.ts";
import { exploreGate, type Gate, type GateLaw, gateLaws } from "./gate.model.ts";

const GATE = new URL("../../engine/measure/fork/gate.ts", import.meta.url).href;

/** The wait that stood in the worker until two crews were seen in one memory. */
const LOOKS_ONCE: Edit = ["while (load(gate, GENERATION) === acknowledged) wait(", "wait("];
const ASKS_NOBODY: Edit = ["if (!isOrdered(gate, worker)) breakOff(gate, NOT_ORDERED);", ""];
const OPENS_ANYHOW: Edit = ["if (!isAtRest(ranLast) || !isAtRest(gate))", "if (false)"];

interface Fault {
  readonly edits: readonly Edit[];
  readonly breaks: GateLaw;
}

const faults: Readonly<Record<string, Fault>> = {
  "a worker that does not look again when it is woken": {
    edits: [LOOKS_ONCE, ASKS_NOBODY],
    breaks: "onlyOrderedSlicesRun",
  },
  "the same beside another crew": {
    edits: [LOOKS_ONCE, ASKS_NOBODY, OPENS_ANYHOW],
    breaks: "oneCrewAtATime",
  },
  "the same, which the worker then finds out": { edits: [LOOKS_ONCE], breaks: "nothingIsFoundBroken" },
  "the same, which the next to open finds out": {
    edits: [LOOKS_ONCE, ASKS_NOBODY],
    breaks: "nothingIsFoundBroken",
  },
  "a worker that parks before it acknowledges": {
    edits: [
      ["  add(gate, acknowledgedBy(worker), 1);\n", ""],
      ["  add(gate, PARKED, 1);\n", "  add(gate, PARKED, 1);\n  add(gate, acknowledgedBy(worker), 1);\n"],
    ],
    breaks: "nothingIsFoundBroken",
  },
  "a coordinator that does not wait for the last worker": {
    edits: [
      ["for (let late = lateAt(gate); late > 0;", "for (let late = lateAt(gate); late > 1;"],
      OPENS_ANYHOW,
    ],
    breaks: "oneCrewAtATime",
  },
  "a coordinator that does not look again when it is woken": {
    edits: [
      [
        "for (let late = lateAt(gate); late > 0; late = lateAt(gate)) {",
        "for (let late = lateAt(gate), looks = 0; late > 0 && looks < 1; late = lateAt(gate), looks++) {",
      ],
    ],
    breaks: "nothingIsFoundBroken",
  },
  "a worker that does not wait for its crew's state": {
    edits: [["while (load(gate, PHASE) === LOADING) if", "if (load(gate, PHASE) > MEASURE) if"]],
    breaks: "stateIsCopiedAtRest",
  },
  "a worker that does not wait for the others before it copies": {
    edits: [["    awaitOthers(gate);\n", ""]],
    breaks: "stateIsCopiedAtRest",
  },
  "a window that opens before all have arrived": {
    edits: [["return load(gate, ARRIVED) >= workersOf(gate);", "return load(gate, ARRIVED) > 0;"]],
    breaks: "windowIsShared",
  },
  "a slice whose workers are not woken": {
    edits: [["  notify(gate, GENERATION);\n", ""]],
    breaks: "everyWorkerFinishes",
  },
  "a coordinator that is not woken": {
    edits: [["  notify(gate, PARKED);\n", ""]],
    breaks: "everyWorkerFinishes",
  },
  "workers that the last to stop does not wake": {
    edits: [["if (running === 0) notify(gate, ARRIVED);", ""]],
    breaks: "everyWorkerFinishes",
  },
};

describe("the gate: in every interleaving of a coordinator and a few workers", () => {
  it("the laws hold", () => {
    assert.deepEqual(exploreGate(gate), []);
  });

  for (const [what, { edits, breaks }] of Object.entries(faults)) {
    it(`${what} breaks ${breaks}`, async () => {
      assertBroken(breaks, exploreGate(await mutatedModule<Gate>(GATE, ...edits), breaks));
    });
  }

  it("every law finds a fault", () => {
    const broken = new Set(Object.values(faults).map(({ breaks }) => breaks));
    assert.deepEqual([...broken].sort(), [...gateLaws].sort());
  });
});
