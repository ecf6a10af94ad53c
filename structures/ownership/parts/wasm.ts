import type { LinearMemory, Region } from "../../shared/layout.ts";
import { codeIn, placeIn } from "../../shared/wasm.ts";
import CODE from "./ownership.wasm.ts";

/** The functions of ownership.wasm, whose text (ownership.wat) says how they look up. `resource` must be in range. */
export interface LookupCode {
  /** NO_EVIDENCE for what is no time. */
  ownerAt(resource: number, t: number): number;
  /** The same with a tolerance. */
  bridgedOwnerAt(resource: number, t: number, toleranceMs: number): number;
}

const instantiate = codeIn<LookupCode>(CODE);

/** The functions for one worker's region, which must view `linear`. */
export function lookupCode(memory: Region, linear: LinearMemory | undefined): LookupCode {
  return instantiate({ ownership: placeIn(linear, memory) });
}
