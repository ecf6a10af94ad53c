import { observedLocks } from "../../../../structures/locks/parts/observed-locks.ts";
import { observedSlots } from "../../../../structures/ownership/parts/observed-lookups.ts";
import { observedPickers } from "../../../../structures/pick/parts/observed-pickers.ts";
import { observedRing } from "../../../../structures/queues/parts/wasm/observed-ring.ts";

/**
 * A competitor in WebAssembly in a form whose accesses are observed. It takes part in its primitive's races as it is; it
 * needs no Memory, and its words may be stand-ins. Each thread that asks makes it from the text, which takes some 50 ms
 * the first time. Throws an Error for a competitor that has no such form.
 */
export async function observedCompetitor(primitive: string, name: string): Promise<unknown> {
  const forms = made.get(primitive) ?? FORMS[primitive]?.() ?? Promise.resolve<Forms>({});
  made.set(primitive, forms);
  const form = (await forms)[name];
  if (form !== undefined) return form;
  throw new Error(
    `${primitive}/${name} has no form whose accesses in WebAssembly are observed: write one in structures/${primitive}/parts`,
  );
}

/** Of this thread. */
const made = new Map<string, Promise<Forms>>();

type Forms = Readonly<Record<string, unknown>>;

/** By primitive, and by the names of competitors. */
const FORMS: Readonly<Record<string, () => Promise<Forms>>> = {
  locks: () => observedLocks(),
  ownership: async () => ({ "wasm-seqlock-slots": await observedSlots() }),
  pick: () => observedPickers(),
  queues: async () => ({ "wasm-sequence-ring": await observedRing() }),
};
