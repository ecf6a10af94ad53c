import type { Region } from "../../shared/layout.ts";
import type { Edit } from "../../shared/mutated.ts";
import { mutatedCode } from "../../shared/mutated-code.ts";
import { observable, observed, UNUSED } from "../../shared/observable.ts";
import wasmSeqlockSlots, { attachCode } from "../competitors/wasm-seqlock-slots.ts";
import type { ClaimsCompetitor, Ownership } from "../ownership.contract.ts";
import type { LookupCode } from "./wasm.ts";

const TEXT = new URL("./ownership.wat", import.meta.url).href;

/**
 * wasm-seqlock-slots from a text whose loads a model can see, with faults planted in it, if any. It needs no Memory.
 */
export async function observedSlots(...faults: readonly Edit[]): Promise<ClaimsCompetitor> {
  const instantiate = await mutatedCode<LookupCode>(TEXT, faults, observable);
  return slotsBy((memory) => instantiate(importsFor(memory)));
}

/**
 * The same for a model, which attaches for each lookup and then drops earlier handles: making an instance takes longer
 * than a lookup. So each memory has one instance, which begins anew for every handle.
 */
export async function exploredSlots(...faults: readonly Edit[]): Promise<ClaimsCompetitor> {
  const edits = [...faults, BEGINS_WHEN_CALLED];
  const instantiate = await mutatedCode<LookupCode & { begin(): void }>(TEXT, edits, observable);
  const instances = new WeakMap<Region, ReturnType<typeof instantiate>>();
  return slotsBy((memory) => {
    const code = instances.get(memory) ?? instantiate(importsFor(memory));
    instances.set(memory, code);
    code.begin();
    return code;
  });
}

/** An instance keeps the watermark that it loaded last, and nothing else: as it begins, it loads it. */
const BEGINS_WHEN_CALLED: Edit = ["(start $loadWatermark)", '(export "begin" (func $loadWatermark))'];

function importsFor(memory: Region) {
  return { ownership: UNUSED, ...observed(memory, 0) };
}

function slotsBy(codeFor: (memory: Region) => LookupCode): ClaimsCompetitor {
  const { needsLinear: _, ...seqlockSlots } = wasmSeqlockSlots;
  return {
    ...seqlockSlots,
    attach(memory, capacity) {
      const code = codeFor(memory);
      // A watermark of its own, which a reader has no use for: to read it too would multiply the states.
      let whole: Ownership | undefined;
      const writer = () => {
        whole ??= attachCode(memory, capacity, code);
        return whole;
      };
      return {
        ownerAt: (resource, t, toleranceMs = 0) =>
          toleranceMs > 0 ? code.bridgedOwnerAt(resource, t, toleranceMs) : code.ownerAt(resource, t),
        claim: (...claim) => writer().claim(...claim),
        trim: (to) => writer().trim(to),
        rangesOf: (resource) => writer().rangesOf(resource),
      };
    },
  };
}
