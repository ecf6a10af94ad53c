import type { LinearMemory, Region } from "../../shared/layout.ts";
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
  return slotsBy((memory, linear) => instantiate(importsFor(memory, linear)));
}

/**
 * The same for a model, which attaches for each lookup and then drops earlier handles: making an instance takes longer
 * than a lookup. So each memory has one instance, which begins anew for every handle.
 */
export async function exploredSlots(...faults: readonly Edit[]): Promise<ClaimsCompetitor> {
  const edits = [...faults, BEGINS_WHEN_CALLED];
  const instantiate = await mutatedCode<LookupCode & { begin(): void }>(TEXT, edits, observable);
  const instances = new WeakMap<Region, ReturnType<typeof instantiate>>();
  return slotsBy((memory, linear) => {
    const code = instances.get(memory) ?? instantiate(importsFor(memory, linear));
    instances.set(memory, code);
    code.begin();
    return code;
  });
}

/** An instance keeps the watermark that it loaded last, and nothing else: as it begins, it loads it. */
const BEGINS_WHEN_CALLED: Edit = ["(start $loadWatermark)", '(export "begin" (func $loadWatermark))'];

function importsFor(memory: Region, linear: LinearMemory | undefined) {
  return { ownership: placeIn(linear, memory), ...observed(memory) };
}

function slotsBy(
  codeFor: (memory: Region, linear: LinearMemory | undefined) => LookupCode,
): ClaimsCompetitor {
  return {
    ...wasmSeqlockSlots,
    attach: (memory, capacity, _worker, linear) => attachCode(memory, capacity, codeFor(memory, linear)),
  };
}
