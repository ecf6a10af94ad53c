import { mutatedCode } from "../../shared/mutated-code.ts";
import honest, { WasmHashedWheel } from "../competitors/wasm-hashed-wheel.ts";
import { type WheelCode, wheelCode } from "../parts/wasm.ts";
import type { TimersCompetitor } from "../timers.contract.ts";

/** Takes whatever lies in a slot for due: what is due a rotation later comes too early. */
export const breaks = "neverEarly";

const SNIPPET = "(local.set $wait (i32.sub (i32.load (local.get $address)) (local.get $tick)))";
const instantiate = await mutatedCode<WheelCode>(import.meta.resolve("../parts/timers.wat"), [
  [SNIPPET, "(local.set $wait (i32.const 0))"],
]);

export default {
  ...honest,
  summary: "mutant: WebAssembly that reports a slot whatever its rotation",
  attach: (memory, capacity, _worker, linear) =>
    new WasmHashedWheel(memory, capacity, wheelCode(memory, capacity, linear, instantiate)),
} satisfies TimersCompetitor;
