import { foldAt } from "../../pick/parts/rotation.ts";
import type { LinearMemory, Region } from "../../shared/layout.ts";
import { codeIn, placeIn } from "../../shared/wasm.ts";
import type { SlotAllocator } from "../slots.contract.ts";
import CODE from "./slots.wasm.ts";

/** The functions of slots.wasm, whose text (slots.wat) says what they do to the region that they were instantiated for. */
export interface SlotsCode {
  takeTicket(): number;
}

/** The code in slots.wasm, or `other`, for one worker: where its region is and the sizes are constants of an instance. */
export function slotsCode(
  memory: Region,
  slots: number,
  linear: LinearMemory | undefined,
  other = instantiate,
): SlotsCode {
  return other({ slots: { ...placeIn(linear, memory), slots, fold: foldAt(slots) } });
}

const instantiate = codeIn<SlotsCode>(CODE);

/** An allocator of shared-ticket that takes in `code`. */
export function ticketsIn({ takeTicket }: SlotsCode): SlotAllocator {
  return { take: takeTicket, give() {} };
}
