import { mutatedCode } from "../../shared/mutated-code.ts";
import honest from "../competitors/wasm-lemire.ts";
import type { DrawsCompetitor } from "../draws.contract.ts";
import { type DrawsCode, mappingIn } from "../parts/wasm.ts";

/** Mutant: rejects the word at the threshold, too, in WebAssembly: one value has a word less than the others. */
export const breaks = "biasIsWithinClaim";

const faulty = await mutatedCode<DrawsCode>(import.meta.resolve("../parts/draws.wat"), [
  ["i32.lt_u", "i32.le_u"],
]);

export default {
  ...honest,
  summary: "mutant: lemire in WebAssembly that rejects a word too many",
  attach: mappingIn(faulty),
} satisfies DrawsCompetitor;
