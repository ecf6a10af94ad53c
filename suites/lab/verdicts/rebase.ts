import { isOnGroups } from "../../engine/judge/groups.ts";
import {
  judgeContrast,
  NOTHING_TO_COMPARE,
  ratiosOfGroups,
  type Strictness,
} from "../../engine/judge/verdict.ts";
import type {
  Conditions,
  Contrast,
  JudgedMeasured,
  JudgedRow,
  JudgedScenario,
} from "../../engine/schema/verdict.ts";
import { present } from "../../engine/words/present.ts";
import { ofAnotherRun } from "./another-run.ts";

/**
 * A judged scenario with another of its competitors as the baseline. Ratios, intervals and verdicts of each worker
 * count and role are the contrasts to it, as strict as before. The one that was raced as the baseline is a rival then.
 * Rows have no ratio at a worker count where the competitor has no number. The raced baseline gives the scenario as it
 * is.
 */
export function rebased(judged: JudgedScenario, baseline: string): JudgedScenario {
  const conditions = judged.conditions.map((own) => ({ ...own, baseline }));
  const rows = judged.rows.map((row) => {
    const own = judged.conditions.find(({ workers }) => workers === row.workers)!;
    return row.noNumber !== undefined || own.baseline === baseline
      ? row
      : rebasedRow(row, judged.rows, own, baseline);
  });
  return { ...judged, conditions, rows };
}

/** Competitors that can be the baseline of a scenario: some worker count has a number of them. */
export function baselinesOf({ rows }: JudgedScenario): string[] {
  const measured = rows.filter(({ kind, noNumber }) => noNumber === undefined && competes(kind));
  return [...new Set(measured.map(({ competitor }) => competitor))].toSorted();
}

function rebasedRow(
  row: JudgedMeasured,
  rows: readonly JudgedRow[],
  { judged, looks, betweenRuns }: Conditions,
  baseline: string,
): JudgedMeasured {
  // What is left of the row is of it alone.
  const {
    ratio: _,
    halfWidth: __,
    sees: ___,
    toBaseline: ____,
    groups: _____,
    apartBy: ______,
    another: _______,
    ...own
  } = row;
  const rest = { ...own, flags: flagsOfItAlone(row) };
  const kind = row.kind === "baseline" ? "rival" : row.kind;
  if (row.competitor === baseline) return { ...rest, kind: "baseline", verdict: "baseline" };
  const seen = contrastTo(row, rows, baseline);
  if (seen === undefined)
    return { ...rest, kind, verdict: kind === "rival" ? NOTHING_TO_COMPARE : row.verdict };
  const rival = { ...rest, kind, ...judgedPart(seen, { rows: judged, looks }), toBaseline: seen };
  return betweenRuns === undefined ? rival : ofAnotherRun(rival, betweenRuns);
}

/** To the row of that competitor whose workers are as many and do the same. */
function contrastTo(row: JudgedMeasured, rows: readonly JudgedRow[], baseline: string): Contrast | undefined {
  const other = rows.find(
    ({ competitor, kind, workers, role }) =>
      competitor === baseline && competes(kind) && workers === row.workers && role === row.role,
  );
  const seen = row.against.find(({ cell }) => cell === other?.cell);
  if (seen === undefined) return undefined;
  const { cell: _, byWayOfBaseline: __, ...contrast } = seen;
  return contrast;
}

/** Without the remark on what its groups of processes are to the raced baseline. */
function flagsOfItAlone(row: JudgedMeasured): string[] {
  return row.flags.filter((flag) => !isOnGroups(flag, row));
}

function judgedPart(contrast: Contrast, strictness: Strictness) {
  const { ratio, halfWidth, sees, verdict } = judgeContrast(contrast, strictness);
  const groups = ratiosOfGroups(contrast, strictness);
  const part = { ratio, verdict, ...present({ groups }) };
  return Number.isFinite(halfWidth) ? { ...part, halfWidth, sees } : part;
}

function competes(kind: JudgedRow["kind"]): boolean {
  return kind === "baseline" || kind === "rival";
}
