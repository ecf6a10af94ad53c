import type { SuiteModule } from "../shared/vocabulary.ts";

/**
 * Question: which member gets the requests of one key, so that few keys move when members change?
 * Workload and why it is realistic: `pick-3` to `pick-1000`: one thread picks for 16,384 users in turn, more than a cache of
 *   keys holds, as a balancer does before each request. It has 64 requests in flight, which counts where loads are bounded. `moves-3` to
 *   `moves-1000` judge nothing: they count what one member that joins or leaves moves, and how busy the busiest is.
 * Not measured: a change of members takes time, and maglev most. Keys that are asked for more often than others. Several
 *   threads, because picks share nothing.
 * How to run: npm run bench -- affinity --all
 */
export default { primitive: "affinity", order: ["pick", "moves"] } satisfies SuiteModule;
