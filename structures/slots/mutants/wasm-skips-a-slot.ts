import { mutatedCode } from "../../shared/mutated-code.ts";
import honest from "../competitors/wasm-shared-ticket.ts";
import { type SlotsCode, slotsCode, ticketsIn } from "../parts/wasm.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";

/** Mutant: draws two tickets in WebAssembly where it uses one. Every second slot stays empty. */
export const breaks = "conserved";

const faulty = await mutatedCode<SlotsCode>(import.meta.resolve("../parts/slots.wat"), [
  [
    "(i32.atomic.rmw.add (global.get $base) (i32.const 1))",
    "(i32.atomic.rmw.add (global.get $base) (i32.const 2))",
  ],
]);

export default {
  ...honest,
  summary: "mutant: shared ticket in WebAssembly that draws two for one",
  attach: (memory, slots, _worker, linear) => ticketsIn(slotsCode(memory, slots, linear, faulty)),
} satisfies SlotsCompetitor;
