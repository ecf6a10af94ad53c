import type { CellRecord } from "../schema/record.ts";

/** Whether a cell is a row of the table; the engine's own crews (controls, the empty operation) know no roles. */
export function isContestant({ kind }: Pick<CellRecord, "kind">): boolean {
  return kind === "baseline" || kind === "aa-control" || kind === "rival";
}
