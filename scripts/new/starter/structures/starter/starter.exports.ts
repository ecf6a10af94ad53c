/** What a program needs; the competitors are modules of their own, `hotpath-lab/starter/<name>`. */
export type { Starter, StarterCompetitor } from "./starter.contract.ts";
