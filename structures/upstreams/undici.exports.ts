/** undici's dispatcher over several servers; undici is a peer dependency, 6 or later. */

export type { SlowStartOptions } from "../pick/parts/slow-start.ts";
export type { EjectOptions } from "../pick/parts/standing.ts";
export { Balanced, type BalancedOptions, type UpstreamStats } from "./parts/balanced.ts";
export type { HeaderOf } from "./parts/carried.ts";
export type { DrainOptions } from "./parts/drain-end.ts";
export type { LoadReport } from "./parts/load-report.ts";
