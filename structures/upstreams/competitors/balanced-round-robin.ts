import rotatingRoundRobin from "../../pick/competitors/rotating-round-robin.ts";
import { overBalanced } from "../parts/over-balanced.ts";
import type { UpstreamsCompetitor } from "../upstreams.contract.ts";

/**
 * Balanced by a round robin over a shuffled order that starts at another place in every cycle.
 *
 * Promise: of as many requests as there are upstreams, each gets one. Upstreams whose requests fail are ejected. No
 *   request is lost when one is drained, nor because one cannot be reached while another can.
 * Progress: wait-free: a choice waits for no upstream.
 * Threads: one.
 * Cost: as balanced-two-choices, with a hash in place of the draws.
 * Memory: as balanced-two-choices, with a word in place of a stride.
 * Limits: ignores load, so that requests pile up at a slow upstream. A change of members begins a new cycle.
 * Bet: as good as two choices while all upstreams are alike, and no cheaper: what a request costs elsewhere hides it.
 * Source: this lab, pick/rotating-round-robin; undici's BalancedPool for the rest.
 */
export default {
  ...overBalanced(rotatingRoundRobin),
  summary: "Balanced: each upstream once in every cycle, ejects, redispatches what was not sent",
  source: "this lab, rotating-round-robin; undici, BalancedPool",
  byLoad: false,
} satisfies UpstreamsCompetitor;
