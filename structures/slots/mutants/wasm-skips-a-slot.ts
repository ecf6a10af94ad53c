import { fileURLToPath } from "node:url";
import { assemble } from "../../shared/assemble.ts";
import { codeOf } from "../../shared/wasm.ts";
import honest from "../competitors/wasm-shared-ticket.ts";
import { type SlotsCode, ticketsIn } from "../parts/wasm.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";

/** Mutant: draws two tickets in WebAssembly where it uses one. Every second slot stays empty. */
export const breaks = "conserved";

const faulty = await assemble(fileURLToPath(import.meta.resolve("../parts/slots.wat")), [
  "(i32.atomic.rmw.add (global.get $base) (i32.const 1))",
  "(i32.atomic.rmw.add (global.get $base) (i32.const 2))",
]);

export default {
  ...honest,
  summary: "mutant: shared ticket in WebAssembly that draws two for one",
  attach: ticketsIn(codeOf<SlotsCode>(faulty)),
} satisfies SlotsCompetitor;
