import { overBalanced } from "../parts/over-balanced.ts";
import type { UpstreamsCompetitor } from "../upstreams.contract.ts";

/**
 * Balanced by two choices: of two random upstreams, the one with fewer requests in flight.
 *
 * Promise: every pair of upstreams is as likely. Upstreams whose requests fail are ejected. No request is lost when one
 *   is drained, nor because one cannot be reached while another can.
 * Progress: wait-free: a choice waits for no upstream.
 * Threads: one.
 * Cost: two draws, a handler between undici's and the caller's, and a copy of the options for each request.
 * Memory: a pool of connections and a stride for each upstream; an object for each request in flight.
 * Limits: goes by the requests of this process alone. Of two upstreams with none in flight, a slow one is as likely as a
 *   quick one.
 * Bet: the slowest requests wait far less than in any order that ignores load, when an upstream is slow.
 * Source: M. Mitzenmacher, "The Power of Two Choices in Randomized Load Balancing" (2001); undici's BalancedPool for
 *   what a dispatcher over several origins does.
 */
export default {
  ...overBalanced("two-choices"),
  summary: "Balanced: the less loaded of two random upstreams, ejects, redispatches what was not sent",
  source: "Mitzenmacher 2001; undici, BalancedPool",
  byLoad: true,
} satisfies UpstreamsCompetitor;
