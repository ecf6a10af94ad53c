import { foldAt } from "../../pick/parts/rotation.ts";
import { codeIn, type Instantiate, placeIn } from "../../shared/wasm.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";

/** The functions of slots.wasm, whose text (slots.wat) says what they do to the region that they were instantiated for. */
export interface SlotsCode {
  takeTicket(): number;
}

export const slotsCode = codeIn<SlotsCode>(new URL("./slots.wasm", import.meta.url));

/** An allocator of shared-ticket that takes in `code`: where a region is and its sizes are constants of an instance. */
export function ticketsIn(code: Instantiate<SlotsCode>): SlotsCompetitor["attach"] {
  return (memory, slots, _worker, linear) => {
    const { takeTicket } = code({ slots: { ...placeIn(linear, memory), slots, fold: foldAt(slots) } });
    return { take: takeTicket, give() {} };
  };
}
