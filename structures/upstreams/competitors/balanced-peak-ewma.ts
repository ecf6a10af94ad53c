import peakEwma from "../../pick/competitors/peak-ewma.ts";
import { overBalanced } from "../parts/over-balanced.ts";
import type { UpstreamsCompetitor } from "../upstreams.contract.ts";

/**
 * Balanced by peak-ewma: of two random upstreams the one whose latency times its requests in flight is less.
 *
 * Promise: that of balanced-two-choices, with the latency of pick/peak-ewma, from a request's dispatch to its end.
 * Progress: wait-free: a choice waits for no upstream.
 * Threads: one.
 * Cost: as balanced-two-choices, and two looks at the clock for each request.
 * Memory: as balanced-two-choices, in the same strides.
 * Limits: a single slow answer sends an upstream's requests elsewhere for tens of seconds. One that was added gets a single
 *   request before its first answer, of each process.
 * Bet: where a slow upstream has few requests in flight, sees what two choices cannot.
 * Source: pick/peak-ewma, after Finagle's PeakEwma.
 */
export default {
  ...overBalanced(peakEwma),
  summary: "Balanced: the cheaper of two random upstreams, by latency that peaks and decays",
  source: "Finagle, PeakEwma; linkerd",
  byLoad: true,
} satisfies UpstreamsCompetitor;
