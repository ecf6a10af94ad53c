import type { JudgedRow, JudgedScenario, Ratio } from "./schema/verdict.ts";
import { columnsIn, fitting, lettersOf } from "./words/letters.ts";

/** A table of a race as plain text. */

const COLUMNS = ["competitor", "time", "interval", "ratio", "interval", "verdict"] as const;

/** What intervals cannot say. */
export const OF_THIS_RUN = "Intervals are this run's: another run may lie outside.";

/** `isProved`: whether a law was checked. */
export function raceText(judged: JudgedScenario, { isProved }: { readonly isProved: boolean }): string {
  const blocks = judged.conditions.map(({ workers, baseline, oversubscribed, floors, forks, lostForks }) => {
    const rows = judged.rows.filter((row) => row.workers === workers);
    const count = `${workers} worker${workers === 1 ? "" : "s"}`;
    const floor = floors.length === 0 ? "not measured" : percent(Math.max(...floors));
    return [
      `${judged.title}: ${count}${oversubscribed ? ", more than cores" : ""}`,
      "",
      ...aligned([[...COLUMNS], ...rows.map((row) => cellsOf(row, judged.operation))]),
      "",
      `${forks} processes. Ratios are times relative to ${baseline ?? "none"}; the noise floor is ${floor}.`,
      OF_THIS_RUN,
      ...rows.flatMap((row) =>
        row.noNumber === undefined ? [] : [`${row.competitor} has no number: ${row.noNumber}.`],
      ),
      ...lostForks.map((reason) => `A process was lost: ${reason}.`),
    ];
  });
  const absent = judged.absent.map(
    ({ reason, competitors }) => `${competitors.join(", ")}: absent, ${reason}.`,
  );
  const unproved = isProved ? [] : ["No law was checked: nothing shows that all did the same work."];
  return `${[...blocks.flat(), ...absent, ...unproved].join("\n")}\n`;
}

function cellsOf(row: JudgedRow, operation: string): string[] {
  const name = row.role === undefined ? row.competitor : `${row.competitor} (${row.role})`;
  if (row.noNumber !== undefined) return [name, "", "", "", "", "no number"];
  const { median, interval, ratio, verdict } = row;
  return [
    name,
    `${digits(median)} ns/${operation}`,
    interval === undefined ? "" : rangeOf(interval),
    ratio === undefined ? "" : digits(ratio.value),
    ratio === undefined ? "" : rangeOf(ratio),
    verdict,
  ];
}

export function rangeOf({ low, high }: Pick<Ratio, "low" | "high">): string {
  return `${digits(low)} to ${digits(high)}`;
}

/** Three digits, which is more than most intervals allow. */
export function digits(value: number): string {
  return Number.isFinite(value) ? Number(value.toPrecision(3)).toString() : "unknown";
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** How a table is shown. */
export interface TextOptions {
  /** Columns of a terminal in a line; any number fits if absent. Names are cut to fit, other columns are not. */
  readonly width?: number;
  /** How a verdict is shown; as it is if absent. */
  readonly styled?: (verdict: string) => string;
}

/** Rows of as many cells as the first. The first and the last column to the left, figures to the right. */
export function aligned(rows: readonly (readonly string[])[], options: TextOptions = {}): string[] {
  const widths = widthsIn(rows, options);
  const { styled = String } = options;
  const padded = (cell: string, column: number) => {
    if (column === 0) return filled(cell, widths[0]!);
    return column === widths.length - 1 ? styled(cell) : cell.padStart(widths[column]!);
  };
  return rows.map((row) => row.map(padded).join(GAP).trimEnd());
}

const GAP = "  ";
/** A name is not cut below this. */
const LEAST_NAME = 16;

/** Of the columns of a table, in those of a terminal. */
export function widthsIn(
  rows: readonly (readonly string[])[],
  { width = Number.POSITIVE_INFINITY }: TextOptions,
): number[] {
  const [names, ...others] = rows[0]!.map((_, column) =>
    Math.max(...rows.map((row) => columnsIn(lettersOf(row[column]!)))),
  );
  const room = width - others.reduce((sum, other) => sum + other + GAP.length, 0);
  return [Math.min(names!, Math.max(LEAST_NAME, room)), ...others];
}

/** A text in `width` columns, with its middle left out where it is wider: names differ at their ends. */
export function filled(text: string, width: number): string {
  const letters = lettersOf(text);
  const shown = columnsIn(letters) <= width ? letters : shortened(letters, width);
  return shown.join("") + " ".repeat(width - columnsIn(shown));
}

function shortened(letters: readonly string[], width: number): string[] {
  const start = fitting(letters, Math.ceil((width - 1) / 2));
  const end = fitting(letters.toReversed(), Math.floor((width - 1) / 2));
  return [...start, "…", ...end.toReversed()];
}
