import { resultsOf } from "../../engine/measure/fork/gate.ts";
import type { Region } from "../../engine/words/layout.ts";
import { turningPicker } from "./turning-picker.ts";

/**
 * A cheat: it looks on as the instrument next uses `Atomics`, and knows the gate from then on. After each slice, when the
 * instrument asks its runner for a method that it has not, it doubles the operations that stand there.
 */
export default turningPicker("finds the gate, and doubles its operations there", (_, { index }) => {
  const { load } = Atomics;
  Reflect.set(Atomics, "load", (gate: Region, word: number) => {
    Reflect.set(Atomics, "load", load);
    const results = resultsOf(gate, index);
    const value = () => {
      results[0] = results[0]! * 2;
    };
    Object.defineProperty(Object.prototype, "rest", { value });
    return load(gate, word);
  });
});
