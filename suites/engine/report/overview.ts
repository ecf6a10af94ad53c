import type { JudgedScenario } from "../judge/judge.ts";
import { havingText, spreadOverProcesses, spreadOverSeeds } from "../judge/spread.ts";
import type { BenchRecord, OverviewRecord } from "../record/record.ts";
import { type Table, toMarkdown } from "./benchmark-reporter-markdown/src/index.ts";

/** The table that a page begins with: figures of several scenarios side by side, one row for each competitor. Pure. */
export function overviewText(
  overview: OverviewRecord,
  record: BenchRecord,
  judged: readonly JudgedScenario[],
): string | undefined {
  const figures = overview.columns.map((column) => figuresOf(column, overview.primitive, record, judged));
  const first = figures.find((column) => column.size > 0);
  if (first === undefined) return undefined;
  const competitors = [...first.keys()].filter((name) => !overview.variants.includes(name));
  const table: Table = {
    title: overview.title,
    provenance: [],
    columns: [
      { key: "competitor", title: "Competitor", align: "left" },
      ...overview.columns.map(({ title, unit }, index) => ({
        key: String(index),
        title,
        unit: unit === "" ? undefined : unit,
        align: "right" as const,
      })),
    ],
    rows: competitors.map((competitor) => ({
      cells: {
        competitor,
        ...Object.fromEntries(figures.map((column, index) => [index, column.get(competitor) ?? null])),
      },
    })),
    legend: ["Medians. How far they stray, and why there is none, stands in the tables below."],
  };
  return toMarkdown(table, { headingLevel: 2 });
}

/** A column's figure of each competitor of its scenario, in the order there; null for one that has no number. */
function figuresOf(
  { scenario, metric, workers, digits }: OverviewRecord["columns"][number],
  primitive: string,
  { simulations, surveys = [] }: BenchRecord,
  judged: readonly JudgedScenario[],
): ReadonlyMap<string, string | null> {
  const isMeant = (part: { readonly primitive: string; readonly scenario: string }) =>
    part.primitive === primitive && part.scenario === scenario;
  if (metric === undefined) {
    const rows = (judged.find(isMeant)?.rows ?? []).filter(
      (row) => row.kind !== "twin" && row.workers === workers,
    );
    const byCompetitor = Map.groupBy(rows, ({ competitor }) => competitor);
    return new Map(
      [...byCompetitor].map(([competitor, own]) => {
        const medians = own.flatMap((row) => {
          if (row.noNumber !== undefined) return [];
          const median = row.median.toFixed(digits);
          return row.role === undefined ? median : `${row.role} ${median}`;
        });
        return [competitor, medians.length === 0 ? null : medians.join(", ")];
      }),
    );
  }
  const spreads = [
    ...(simulations.find(isMeant)?.cells ?? []).map((cell) => ({
      cell,
      spread: spreadOverSeeds(cell, metric),
    })),
    ...(surveys.find(isMeant)?.cells ?? []).map((cell) => ({
      cell,
      spread: spreadOverProcesses(cell, metric),
    })),
  ];
  return new Map(
    spreads.map(({ cell, spread }) => [
      cell.competitor,
      spread === undefined ? null : `${spread.value.toFixed(digits)}${havingText(spread)}`,
    ]),
  );
}
