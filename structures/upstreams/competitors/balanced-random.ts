import { overBalanced } from "../parts/over-balanced.ts";
import type { UpstreamsCompetitor } from "../upstreams.contract.ts";

/**
 * Balanced by independent uniform draws.
 *
 * Promise: every upstream is as likely. Upstreams whose requests fail are ejected. No request is lost when one is
 *   drained, nor because one cannot be reached while another can.
 * Progress: wait-free: a choice waits for no upstream.
 * Threads: one.
 * Cost: as balanced-two-choices, with one draw.
 * Memory: as balanced-two-choices, without the strides.
 * Limits: ignores load, and by chance one upstream has several requests while another has none.
 * Bet: loses to a round robin in the slowest requests, by what chance adds to the queues.
 * Source: the textbook; undici's BalancedPool for the rest.
 */
export default {
  ...overBalanced("random"),
  summary: "Balanced: a uniform draw, ejects, redispatches what was not sent",
  source: "textbook; undici, BalancedPool",
  byLoad: false,
} satisfies UpstreamsCompetitor;
