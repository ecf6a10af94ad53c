import type { Edit } from "../../shared/mutated.ts";
import { mutatedCode } from "../../shared/mutated-code.ts";
import { observable, observed } from "../../shared/observable.ts";
import { placeIn } from "../../shared/wasm.ts";
import wasmSeqlockSlots, { attachCode } from "../competitors/wasm-seqlock-slots.ts";
import type { ClaimsCompetitor } from "../ownership.contract.ts";
import type { LookupCode } from "./wasm.ts";

const TEXT = new URL("./ownership.wat", import.meta.url).href;

/** wasm-seqlock-slots from a text whose loads a model can see, with faults planted in it, if any. */
export async function observedSlots(...faults: readonly Edit[]): Promise<ClaimsCompetitor> {
  const instantiate = await mutatedCode<LookupCode>(TEXT, faults, observable);
  return {
    ...wasmSeqlockSlots,
    attach: (memory, capacity, _worker, linear) =>
      attachCode(memory, capacity, instantiate({ ownership: placeIn(linear, memory), ...observed(memory) })),
  };
}
