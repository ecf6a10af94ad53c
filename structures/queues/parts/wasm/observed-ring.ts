import type { Edit } from "../../../shared/mutated.ts";
import { mutatedCode } from "../../../shared/mutated-code.ts";
import { observable, observed, UNUSED } from "../../../shared/observable.ts";
import sequenceRing from "../../competitors/sequence-ring.ts";
import type { QueuesCompetitor } from "../../queues.contract.ts";
import { type QueuesCode, sequenceRingIn, sizesOf } from "./sequence-ring.ts";

/** wasm-sequence-ring from a text whose accesses a model can see, with planted faults, if any. It needs no Memory. */
export async function observedRing(...faults: readonly Edit[]): Promise<QueuesCompetitor> {
  const text = new URL("./queues.wat", import.meta.url).href;
  const instantiate = await mutatedCode<QueuesCode>(text, faults, observable);
  return {
    ...sequenceRing,
    ...sequenceRingIn((memory, setup) =>
      instantiate({ queues: { ...UNUSED, ...sizesOf(setup) }, ...observed(memory, 0) }),
    ),
  };
}
