import { mutatedCode } from "../../shared/mutated-code.ts";
import honest from "../competitors/wasm-ring-of-slots.ts";
import type { DispatchCompetitor } from "../dispatch.contract.ts";
import { type DispatchCode, RingInCode } from "../parts/wasm.ts";

/** Mutant: moves a list in WebAssembly and leaves its back out of the way back: the client entered next cuts it off. */
export const breaks = "conserved";

const faulty = await mutatedCode<DispatchCode>(import.meta.resolve("../parts/dispatch.wat"), [
  ["(i32.store offset=4 (local.get $to) (local.get $back))", ""],
]);

export default {
  ...honest,
  summary: "mutant: ring of slots in WebAssembly that forgets the back of what it moved",
  create: (clients, reach, start = 0) => new RingInCode(faulty, clients, reach, start),
} satisfies DispatchCompetitor;
