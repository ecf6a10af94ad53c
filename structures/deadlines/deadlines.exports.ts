/** What a program needs; the competitors are modules of their own, `hotpath-lab/deadlines/<name>`. */
export type { Deadline, DeadlineLoop, Deadlines, DeadlinesCompetitor } from "./deadlines.contract.ts";
export { runtimeLoop } from "./parts/runtime-loop.ts";
