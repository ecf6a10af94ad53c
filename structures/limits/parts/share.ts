import type { WorkerIdentity } from "../../shared/worker-identity.ts";
import type { LimitsSetup } from "../limits.contract.ts";

/** One worker's part of a limit: whole tokens, which differ by one at most, and the rate in proportion. */
export function shareOf(
  { capacity, perSecond, workers }: LimitsSetup,
  { index }: Pick<WorkerIdentity, "index">,
): { readonly tokens: number; readonly perSecond: number } {
  const tokens = Math.floor((capacity + index) / workers);
  return { tokens, perSecond: (perSecond * tokens) / capacity };
}
