import { like, type Mutants, mutantAsked, mutantsIn, writtenIn } from "../shared/mutants.ts";
import { mutatedCode } from "../shared/mutated-code.ts";
import type { DrawsCompetitor } from "./draws.contract.ts";
import { type DrawsCode, mappingIn } from "./parts/wasm.ts";

const TABLE: Mutants<DrawsCompetitor> = {
  ...writtenIn<DrawsCompetitor>(new URL("testdata/mutants.txt", import.meta.url)),
  /** Rejects the word at the threshold, too, in WebAssembly: one value has a word less than the others. */
  "wasm-rejects-one-too-many": like("wasm-lemire", "biasIsWithinClaim", async () => ({
    attach: mappingIn(
      await mutatedCode<DrawsCode>(import.meta.resolve("./parts/draws.wat"), [["i32.lt_u", "i32.le_u"]]),
    ),
  })),
};

export const mutants = mutantsIn(TABLE, import.meta.url);
export default await mutantAsked(TABLE, import.meta.url);
