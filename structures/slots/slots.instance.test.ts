import { itRefusesAsWritten } from "../interleave/calls.trials.ts";
import perWorkerSequential from "./competitors/per-worker-sequential.ts";
import sharedTicket from "./competitors/shared-ticket.ts";
import { attachSlots, makeSlots } from "./slots.instance.ts";

const REFUSALS = new URL("testdata/refusals.txt", import.meta.url);

itRefusesAsWritten("slots: instances of others and of other setups, and a taken seat", REFUSALS, () => {
  const setup = { slots: 600, workers: 2, seed: 1 };
  const instance = makeSlots(sharedTicket, setup);
  attachSlots(sharedTicket, instance, 0);
  attachSlots(sharedTicket, instance, 1);
  return { attachSlots, sharedTicket, instance, another: makeSlots(perWorkerSequential, setup) };
});
