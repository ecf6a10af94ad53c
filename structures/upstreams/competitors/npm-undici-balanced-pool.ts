import { BalancedPool } from "undici";
import { Origins } from "../parts/origins.ts";
import { noPools } from "../parts/pools.ts";
import type { UpstreamsCompetitor } from "../upstreams.contract.ts";

/**
 * undici's BalancedPool: turns over the origins by weights, which errors of their connections lower.
 *
 * Promise: members have equal weights until a connection to one fails.
 * Progress: wait-free.
 * Threads: one.
 * Cost: one step for each member that is passed over, and the greatest common divisor of the weights after an error.
 * Memory: a pool of connections for each origin.
 * Limits: one that answers slowly keeps its weight, and so does one that answers with 503. One that is drained may be chosen once more while its pool
 *   closes: that request fails, with UND_ERR_CLOSED.
 * Bet: none; it is what undici gives for the purpose.
 * Source: npm undici 7.30.2, BalancedPool.
 */
export default {
  summary: "undici's BalancedPool: turns by weights that errors lower",
  source: "npm undici",
  progress: "wait-free",
  unavailable: noPools,
  drains: "cuts",
  ejects: true,
  byStatus: false,
  byLoad: false,

  create(origins, options) {
    const list = new Origins(origins);
    const pool = new BalancedPool([...list.members], options);
    return {
      dispatcher: pool,
      add(origin) {
        pool.addUpstream(list.add(origin));
      },
      async drain(origin) {
        const member = list.remove(origin);
        const drained = pool.getUpstream(member)!;
        pool.removeUpstream(member);
        // Removed it closes, and this resolves when it has.
        await drained.close();
      },
      close: () => pool.close(),
    };
  },
} satisfies UpstreamsCompetitor;
