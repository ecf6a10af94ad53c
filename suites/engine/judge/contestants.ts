import type { CellRecord } from "../schema/record.ts";
import type { Instrument } from "../schema/verdict.ts";

/** Whether a cell is a row of the table; the engine's own crews know no roles. */
export function isContestant({ kind }: Pick<CellRecord, "kind">): boolean {
  return !isInstrument(kind);
}

/** Whether a crew is the engine's own: a control or the empty operation. */
export function isInstrument(kind: CellRecord["kind"]): kind is Instrument {
  return kind === "control" || kind === "control-alone" || kind === "empty";
}
