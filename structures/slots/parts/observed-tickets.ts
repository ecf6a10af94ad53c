import { foldAt } from "../../pick/parts/rotation.ts";
import type { Edit } from "../../shared/mutated.ts";
import { mutatedCode } from "../../shared/mutated-code.ts";
import { observable, observed, UNUSED } from "../../shared/observable.ts";
import sharedTicket from "../competitors/shared-ticket.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";
import { type SlotsCode, ticketsIn } from "./wasm.ts";

const TEXT = new URL("./slots.wat", import.meta.url).href;
/**
 * wasm-shared-ticket from a text whose accesses a model can see, with faults planted in it, if any. It needs no Memory.
 */
export async function observedTickets(...faults: readonly Edit[]): Promise<SlotsCompetitor> {
  const instantiate = await mutatedCode<SlotsCode>(TEXT, faults, observable);
  return {
    ...sharedTicket,
    attach: (memory, slots) =>
      ticketsIn(
        instantiate({
          slots: { ...UNUSED, slots, fold: foldAt(slots) },
          ...observed(memory, 0),
        }),
      ),
  };
}
