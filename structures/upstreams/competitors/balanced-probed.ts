import hotColdProbes from "../../pick/competitors/hot-cold-probes.ts";
import { overBalanced } from "../parts/over-balanced.ts";
import type { UpstreamsCompetitor } from "../upstreams.contract.ts";

/**
 * Balanced by hot-cold-probes: upstreams report their load with their answers, and the quickest that is not overloaded
 * gets the request.
 *
 * Promise: a choice goes by reports that are at most a second old. Without them it is a uniform draw. Upstreams whose
 *   requests fail are ejected. No request is lost when one is drained, nor because one cannot be reached while another
 *   can.
 * Progress: wait-free: a choice waits for no upstream.
 * Threads: one.
 * Cost: as balanced-two-choices, and the reading of a header for each answer.
 * Memory: as hot-cold-probes, and a report for each upstream.
 * Limits: no probes are sent. An upstream is probed by a look at its last report, so one that gets no requests is not
 *   known. Upstreams have to report, by ORCA's header or one that the option `report` reads.
 * Bet: where many clients use the same upstreams, sees load that two choices, which counts its own requests, does not.
 * Source: pick/hot-cold-probes, after Prequal (NSDI 2024); ORCA (cncf/xds, orca_load_report.proto; gRPC's A51).
 */
export default {
  ...overBalanced(hotColdProbes),
  summary: "Balanced: the quickest upstream that is not overloaded, by the ORCA reports in its answers",
  source: "Wydrowski et al., Prequal (NSDI 2024); ORCA",
  byLoad: false,
} satisfies UpstreamsCompetitor;
