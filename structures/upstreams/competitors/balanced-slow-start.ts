import { overBalanced } from "../parts/over-balanced.ts";
import type { UpstreamsCompetitor } from "../upstreams.contract.ts";

/**
 * Balanced by two choices with a slow start of a second: an upstream that was added, or is back, gets a tenth of its share
 * at first, and its full share after a second.
 *
 * Promise: that of balanced-two-choices, and that of pick/parts/slow-start.ts of each that is new or back.
 * Progress: wait-free: a choice waits for no upstream.
 * Threads: one.
 * Cost: as balanced-two-choices; during a slow start also a look at the clock and at every upstream for each request.
 * Memory: as balanced-two-choices.
 * Limits: goes by time: an upstream that is still cold after a second gets its full share.
 * Bet: where many clients share the upstreams, none of them sees how busy a cold one is. The ramp needs no such look.
 * Source: Envoy's slow_start_config; gRPC's A100.
 */
export default {
  ...overBalanced("two-choices", 1_000),
  summary: "Balanced by two choices, with a slow start of a second for upstreams that are added or back",
  source: "Envoy, slow start; gRPC A100",
  variantOf: "balanced-two-choices",
  byLoad: true,
} satisfies UpstreamsCompetitor;
