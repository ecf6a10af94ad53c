import type { JudgedRow, JudgedScenario, Ratio } from "./schema/verdict.ts";

/** A table of a race as plain text. */

const COLUMNS = ["competitor", "time", "interval", "ratio", "interval", "verdict"] as const;

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

/** Rows of as many cells as the first. The first and the last column to the left, figures to the right. */
export function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const padded = (cell: string, column: number) =>
    column === 0 || column === widths.length - 1
      ? cell.padEnd(widths[column]!)
      : cell.padStart(widths[column]!);
  return rows.map((row) => row.map(padded).join("  ").trimEnd());
}
