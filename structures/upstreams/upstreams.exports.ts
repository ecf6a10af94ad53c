/** What a program needs to try several ways of balancing; they are modules of their own, `hotpath-lab/upstreams/<name>`. */
export type { PoolOptions, Upstreams, UpstreamsCompetitor } from "./upstreams.contract.ts";
