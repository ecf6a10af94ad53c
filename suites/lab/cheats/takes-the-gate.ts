import honest from "../../../structures/pick/competitors/per-worker-random.ts";
import type { PickCompetitor } from "../../../structures/pick/pick.contract.ts";
import { resultsOf } from "../../engine/measure/fork/gate.ts";
import type { Region } from "../../engine/words/layout.ts";

/**
 * A cheat: it looks on as the instrument uses `Atomics` for the first time, and knows the gate from then on. After each
 * slice, when the instrument asks its runner for a method that it has not, it doubles the operations that stand there.
 */
export default {
  ...honest,
  summary: "finds the gate, and doubles its operations there",
  attach(memory, setup, worker) {
    const { pick } = honest.attach(memory, setup, worker);
    let left = 5_000;
    return {
      pick() {
        if (left-- === 0) watchForGate((gate) => doubleIn(resultsOf(gate, worker.index)));
        return pick();
      },
    };
  },
} satisfies PickCompetitor;

function watchForGate(found: (gate: Region) => void): void {
  const { load } = Atomics;
  Reflect.set(Atomics, "load", (words: Region, index: number) => {
    Reflect.set(Atomics, "load", load);
    found(words);
    return load(words, index);
  });
}

function doubleIn(results: Float64Array): void {
  Object.defineProperty(Object.prototype, "rest", {
    value: () => {
      results[0] = results[0]! * 2;
    },
  });
}
