import { Agent, RoundRobinPool } from "undici";
import { overTurns } from "../parts/over-turns.ts";
import { noPools } from "../parts/pools.ts";
import type { UpstreamsCompetitor } from "../upstreams.contract.ts";

/**
 * A RoundRobinPool of undici for each origin, and turns over the origins by its user.
 *
 * Promise: each member is given every nth request, and each connection to it every nth of those.
 * Progress: wait-free.
 * Threads: one.
 * Cost: as npm-undici-agent, and a look for a connection that is free, after the one that was used last.
 * Memory: the list, and a pool of connections for each origin.
 * Limits: the pool takes turns over the connections to one origin, behind which it hopes for several servers. Which
 *   origin is next remains its user's to say, with the limits of npm-undici-agent.
 * Bet: which connection carries a request makes no difference where each origin is one server.
 * Source: npm undici 7.30.2, RoundRobinPool.
 */
export default {
  summary: "undici's RoundRobinPool for each origin, and turns over the origins by its user",
  source: "npm undici",
  progress: "wait-free",
  unavailable: noPools,
  variantOf: "npm-undici-agent",
  drains: "cuts",
  ejects: false,
  byStatus: false,
  byLoad: false,
  create: (origins, options) =>
    overTurns(
      origins,
      new Agent({ ...options, factory: (origin, ofOrigin) => new RoundRobinPool(origin, ofOrigin) }),
    ),
} satisfies UpstreamsCompetitor;
