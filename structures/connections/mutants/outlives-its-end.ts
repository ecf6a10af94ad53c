import honest from "../competitors/hashed-wheel.ts";
import type { ConnectionsCompetitor } from "../connections.contract.ts";
import { changed } from "../parts/changed.ts";

/** Goes on after its end. */
export const breaks = "endsWhole";

export default {
  ...honest,
  summary: "mutant: its end ends nothing",
  watch: (setup) => changed(honest.watch(setup), () => ({ end() {} })),
} satisfies ConnectionsCompetitor;
