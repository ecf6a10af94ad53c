import { Agent } from "undici";
import { overTurns } from "../parts/over-turns.ts";
import { noPools } from "../parts/pools.ts";
import type { UpstreamsCompetitor } from "../upstreams.contract.ts";

/**
 * One Agent of undici, and turns over a list of origins by its user: what is written where there is no dispatcher for it.
 *
 * Promise: each member is given every nth request.
 * Progress: wait-free.
 * Threads: one.
 * Cost: an index and a copy of the request's options.
 * Memory: the list, and a pool of connections for each origin.
 * Limits: a member that fails gets its share all the same. So does one that is slow. Nobody knows when the last request
 *   to a drained one has ended.
 * Bet: none; the others are measured against it.
 * Source: npm undici 7.30.2, Agent and interceptors.
 */
export default {
  summary: "undici's Agent, and turns over the origins by its user",
  source: "npm undici",
  progress: "wait-free",
  unavailable: noPools,
  drains: "cuts",
  ejects: false,
  byStatus: false,
  byLoad: false,
  create: (origins, options) => overTurns(origins, new Agent(options)),
} satisfies UpstreamsCompetitor;
