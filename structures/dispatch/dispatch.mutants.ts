import { like, type Mutants, mutantAsked, mutantsIn, writtenIn } from "../shared/mutants.ts";
import { mutatedCode } from "../shared/mutated-code.ts";
import type { DispatchCompetitor } from "./dispatch.contract.ts";
import { type DispatchCode, RingInCode } from "./parts/wasm.ts";

const TABLE: Mutants<DispatchCompetitor> = {
  ...writtenIn<DispatchCompetitor>(new URL("testdata/mutants.txt", import.meta.url)),
  /** Moves a list in WebAssembly and leaves its back out of the way back: the client entered next cuts it off. */
  "wasm-forgets-the-back": like("wasm-ring-of-slots", "conserved", async () => {
    const faulty = await mutatedCode<DispatchCode>(import.meta.resolve("./parts/dispatch.wat"), [
      ["(i32.store offset=4 (local.get $to) (local.get $back))", ""],
    ]);
    return { create: (clients, reach, start = 0) => new RingInCode(faulty, clients, reach, start) };
  }),
};

export const mutants = mutantsIn(TABLE, import.meta.url);
export default await mutantAsked(TABLE, import.meta.url);
