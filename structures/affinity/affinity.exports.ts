/**
 * Picks by key, for `balancer` and `Balanced`; the placements are modules of their own, `hotpath-lab/affinity/<name>`, each an
 * AffinityCompetitor.
 */
export type { Affinity, AffinityCompetitor, AffinityMember, Avoid } from "./affinity.contract.ts";
export { NONE } from "./affinity.contract.ts";
export { bounded } from "./parts/bounded.ts";
export { type ByKey, type ByKeyOptions, byKey } from "./parts/by-key.ts";
