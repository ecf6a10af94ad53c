import { uniform } from "../picking.ts";

/**
 * The source's own pickers, pickers that share nothing, pickers that share an order, and what a programmer would write
 * or take elsewhere.
 */
const CONTENDERS = [
  "locked-random",
  "per-worker-random",
  "shuffled-round-robin",
  "cas-ring",
  "per-worker-round-robin-offset",
  "per-worker-round-robin-rotated",
  "leased-tickets-16",
  "rotating-round-robin",
  "two-choices",
  "per-worker-math-random",
  "no-op",
];

export default { ...uniform(8, { headline: true }), contenders: CONTENDERS };
