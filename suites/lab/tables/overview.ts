import { METHOD_VERSION } from "../../engine/schema/envelope.ts";
import type { JudgedMeasured } from "../../engine/schema/verdict.ts";
import type { Table } from "../../reporter/src/index.ts";
import type { OverviewRecord } from "../schema/record.ts";
import type { Spread, Verdicts } from "../schema/verdict.ts";
import { havingText, spreadText } from "../verdicts/spread.ts";
import { left, right } from "./columns.ts";
import { foldedText } from "./folded.ts";

/** A single column compares nothing. */
const FEWEST_COLUMNS = 2;

/**
 * The table that a page begins with: figures of several scenarios side by side, one row for each competitor. Columns of
 * what was not run are left out, and the table if hardly any is left. `methodOf` says which version of the method measured
 * a scenario, where they may differ. Pure.
 */
export function overviewText(
  overview: OverviewRecord,
  verdicts: Verdicts,
  isOneOfSeveral: boolean,
  methodOf: (scenario: string) => number = () => METHOD_VERSION,
): string | undefined {
  const columns = overview.columns
    .map((column) => ({ ...column, figures: figuresOf(column, overview.primitive, verdicts) }))
    .filter(({ figures }) => figures.size > 0);
  if (columns.length < FEWEST_COLUMNS) return undefined;
  const competitors = new Set(columns.flatMap(({ figures }) => [...figures.keys()]));
  for (const variant of overview.variants) competitors.delete(variant);
  const table: Table = {
    title: isOneOfSeveral ? `${overview.primitive}: ${overview.title}` : overview.title,
    provenance: [],
    columns: [
      left("competitor", "Competitor"),
      ...columns.map(({ title, unit }, index) => right(String(index), title, unit)),
    ],
    rows: [...competitors].map((competitor) => ({
      cells: {
        competitor,
        ...Object.fromEntries(columns.map(({ figures }, index) => [index, figures.get(competitor) ?? null])),
      },
    })),
    legend: [
      "Medians. In brackets, where it is not one figure: for a simulation from 5 % to 95 % of the seeds, or the range of a few; for a survey the range over processes; for a race the 99 % interval over processes.",
      "A dash: the competitor has no such figure, or does not take part. The scenario's own table gives the reason.",
      ...methodLines(
        columns.filter((column) => "workers" in column),
        methodOf,
      ),
    ],
  };
  return foldedText(table, 2);
}

/** Where raced columns are of different methods, which column is of which. */
function methodLines(
  raced: readonly { readonly title: string; readonly scenario: string }[],
  methodOf: (scenario: string) => number,
): string[] {
  const byMethod = Map.groupBy(raced, ({ scenario }) => methodOf(scenario));
  if (byMethod.size < 2) return [];
  const parts = [...byMethod].map(
    ([method, those]) => `by method ${method} ${those.map(({ title }) => title).join(", ")}`,
  );
  return [`Times of different versions of the method do not compare: ${parts.join("; ")}.`];
}

/** A column's figure of each competitor of its scenario, in the order there; null for one that has no number. */
function figuresOf(
  column: OverviewRecord["columns"][number],
  primitive: string,
  { races, metrics }: Verdicts,
): ReadonlyMap<string, string | null> {
  const { scenario, digits } = column;
  const isMeant = (part: { readonly primitive: string; readonly scenario: string }) =>
    part.primitive === primitive && part.scenario === scenario;
  if ("workers" in column) {
    const rows = (races.find(isMeant)?.rows ?? []).filter(
      (row) => row.kind !== "aa-control" && row.workers === column.workers,
    );
    const byCompetitor = Map.groupBy(rows, ({ competitor }) => competitor);
    return new Map(
      [...byCompetitor].map(([competitor, own]) => {
        const medians = own.flatMap((row) => {
          if (row.noNumber !== undefined) return [];
          const median = spreadText(spreadOverForks(row), digits);
          return row.role === undefined ? median : `${row.role} ${median}`;
        });
        return [competitor, medians.length === 0 ? null : medians.join(", ")];
      }),
    );
  }
  const { metric: key } = column;
  const judged = metrics.find(isMeant);
  if (judged?.metrics[key] === undefined) return new Map();
  return new Map(
    judged.rows.map(({ competitor, spreads }) => {
      const spread = spreads[key];
      return [competitor, spread === undefined ? null : `${spreadText(spread, digits)}${havingText(spread)}`];
    }),
  );
}

/** What a race's row costs, with the interval of it that the row's error is half of. */
function spreadOverForks({ median: value, interval, forks }: JudgedMeasured): Spread {
  return { value, low: value, high: value, ...interval, having: forks, of: forks };
}
