import { fileURLToPath } from "node:url";
import { assemble } from "../../shared/assemble.ts";
import { type Edit, edited } from "../../shared/mutated.ts";
import { observable, observed } from "../../shared/observable.ts";
import { codeOf, placeIn } from "../../shared/wasm.ts";
import wasmSeqlockSlots, { attachCode } from "../competitors/wasm-seqlock-slots.ts";
import type { ClaimsCompetitor } from "../ownership.contract.ts";
import type { LookupCode } from "./wasm.ts";

const TEXT = fileURLToPath(new URL("./ownership.wat", import.meta.url));

/** wasm-seqlock-slots from a text whose loads a model can see, with faults planted in it, if any. */
export async function observedSlots(...faults: readonly Edit[]): Promise<ClaimsCompetitor> {
  const bytes = await assemble(TEXT, (text) => observable(edited(text, faults, TEXT)));
  const instantiate = codeOf<LookupCode>(bytes);
  return {
    ...wasmSeqlockSlots,
    attach: (memory, capacity, _worker, linear) =>
      attachCode(memory, capacity, instantiate({ ownership: placeIn(linear, memory), ...observed(memory) })),
  };
}
