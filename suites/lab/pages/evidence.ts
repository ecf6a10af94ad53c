import type { JudgedMeasured, JudgedScenario } from "../../engine/schema/verdict.ts";
import { formatNumber, formatRatio, type Table } from "../../reporter/src/index.ts";
import type { JudgedMetrics, Verdicts } from "../schema/verdict.ts";
import { left, right } from "../tables/columns.ts";
import { foldedText } from "../tables/folded.ts";
import { unbroken } from "../tables/markdown.ts";
import { cellMarkdown, SIGNS_LEGEND } from "../tables/matrix.ts";
import { workersText } from "../tables/phrases.ts";
import { referenceConditions } from "../tables/races.ts";
import { asShown, IN_THIS_RUN, shownRatio, shownVerdict } from "../verdicts/another-run.ts";
import { spreadText } from "../verdicts/spread.ts";

/**
 * The figures behind an answer, whose prose has none. A paragraph, list item or table row of an answer cites each
 * competitor that it names, in each scenario that it links to. A race shows its ratios; the title of a link names further
 * columns of the scenario, by their keys:
 *
 *     `sweep` keeps the [fewest bytes](steady-100k.md "bytesSteady bytesFilled").
 *
 * Empty where nothing is cited. Pure.
 */
export function evidenceText(answer: string, { races, metrics }: Verdicts): string {
  const cited = citedIn(answer);
  const isCited = ({ scenario }: { readonly scenario: string }) => cited.has(scenario);
  const tables = [
    ratiosTable(races.filter(isCited), cited),
    ...metricsTables(metrics.filter(isCited), cited),
  ].filter(({ rows }) => rows.length > 0);
  if (tables.length === 0) return "";
  return ["## The figures behind the answer\n", ...tables.map((table) => foldedText(table, 3))].join("\n");
}

/** What an answer cites of a scenario: names of competitors, and keys of columns. */
interface Cited {
  readonly competitors: ReadonlySet<string>;
  readonly keys: ReadonlySet<string>;
}

const BLOCK_ENDS = /\n(?:[^\S\n]*\n)+|\n(?=[|-])/;
const LINK = /\]\(([\w-]+)\.md(?:#[\w-]+)?(?:\s+"([^"]*)")?\)/g;

/** By scenario. */
export function citedIn(answer: string): ReadonlyMap<string, Cited> {
  const citations = answer.split(BLOCK_ENDS).flatMap((block) => {
    const competitors = namesIn(block);
    return [...block.matchAll(LINK)].map(([, scenario, keys = ""]) => ({
      scenario: scenario!,
      competitors,
      keys: keys.split(/\s+/),
    }));
  });
  return new Map(
    [...Map.groupBy(citations, ({ scenario }) => scenario)].map(([scenario, own]) => [
      scenario,
      {
        competitors: new Set(own.flatMap(({ competitors }) => competitors)),
        keys: new Set(own.flatMap(({ keys }) => keys)),
      },
    ]),
  );
}

/** What stands between backticks in markdown: each once, in their order. */
export function namesIn(markdown: string): string[] {
  return [...new Set([...markdown.matchAll(/`([^`]+)`/g)].map(([, name]) => name!))];
}

type Cells = Readonly<Record<string, string | null>>;

/** A row for each competitor in a scenario, a column for each title of a cell. */
function tableOf(title: string, rows: ReadonlyMap<string, Cells>, legend: readonly string[]): Table {
  const titles = new Set([...rows.values()].flatMap((cells) => Object.keys(cells)));
  return {
    title,
    provenance: [],
    columns: [left("of", "Scenario: competitor"), ...[...titles].map((each) => right(each, each))],
    rows: [...rows].map(([of, cells]) => ({ cells: { of, ...cells } })),
    legend,
  };
}

function ratiosTable(races: readonly JudgedScenario[], cited: ReadonlyMap<string, Cited>): Table {
  const byBaseline = Map.groupBy(races, baselineOf);
  const baselines = [...byBaseline].map(
    ([baseline, own]) => `${baseline} (${own.map(({ scenario }) => scenario).join(", ")})`,
  );
  return tableOf("Races", new Map(races.flatMap((race) => ratiosOf(race, cited.get(race.scenario)!))), [
    `Ratio to the baseline, with the interval for another run where that is known. Baselines: ${baselines.join("; ")}.`,
    SIGNS_LEGEND,
  ]);
}

function baselineOf({ rows }: JudgedScenario): string | undefined {
  return rows.find(({ kind }) => kind === "baseline")?.competitor;
}

function ratiosOf(race: JudgedScenario, { competitors, keys }: Cited): [row: string, Cells][] {
  const rows = race.rows.flatMap((row) =>
    row.noNumber === undefined && row.kind !== "aa-control" && competitors.has(row.competitor) ? [row] : [],
  );
  const extras = race.columns.filter(({ key }) => keys.has(key));
  return [...Map.groupBy(rows, nameOf)].map(([name, own]) => [
    `${race.scenario}: ${name}`,
    {
      ...Object.fromEntries(own.toSorted(fewestFirst).map((row) => [headingAt(race, row), ratioCell(row)])),
      ...Object.fromEntries(
        own
          .filter(({ workers }) => workers === referenceConditions(race).workers)
          .flatMap((row) => extras.map((extra) => [extra.title, extraCell(row.extra[extra.key])])),
      ),
    },
  ]);
}

function nameOf({ competitor, role }: JudgedMeasured): string {
  return role === undefined ? competitor : `${competitor} (${role})`;
}

function fewestFirst(a: JudgedMeasured, b: JudgedMeasured): number {
  return a.workers - b.workers;
}

function headingAt({ conditions }: JudgedScenario, { workers }: JudgedMeasured): string {
  const isOversubscribed = conditions.some((at) => at.workers === workers && at.oversubscribed);
  return `${workersText(workers)}${isOversubscribed ? ", oversubscribed" : ""}`;
}

/** The ratio of each group of processes of a row that depends; of another, none. */
export function groupRatios({ verdict, groups }: JudgedMeasured): string | undefined {
  return verdict === "depends"
    ? groups?.map((group) => formatRatio(shownRatio(group))).join(" or ")
    : undefined;
}

function ratioCell(row: JudgedMeasured): string | null {
  const both = groupRatios(row);
  if (both !== undefined) return both;
  const { ratio, verdict } = asShown(row);
  return ratio === undefined ? (verdict === "baseline" ? "1" : null) : cellMarkdown({ ratio, verdict });
}

function extraCell(value: number | undefined): string | null {
  return value === undefined ? null : formatNumber(value);
}

/** A table for each choice of columns: those of one scenario, mostly. */
function metricsTables(metrics: readonly JudgedMetrics[], cited: ReadonlyMap<string, Cited>): Table[] {
  const rows = metrics.flatMap((judged) => figuresOf(judged, cited.get(judged.scenario)!));
  const byColumns = Map.groupBy(rows, ([, cells]) => Object.keys(cells).join());
  byColumns.delete("");
  return [...byColumns.values()].map((own, index) => ({
    ...tableOf("Simulations and surveys", new Map(own), index + 1 < byColumns.size ? [] : [METRICS_LEGEND]),
    ...(index === 0 ? {} : { isContinuation: true }),
  }));
}

const METRICS_LEGEND =
  "The median and, in brackets where it is not one figure, the range over processes, or from 5 % to 95 % of the seeds.";

/** The columns that are cited; of a competitor that has none of them, nothing. */
function figuresOf(
  { scenario, metrics, rows }: JudgedMetrics,
  { competitors, keys }: Cited,
): [string, Cells][] {
  const columns = Object.entries(metrics).filter(([key]) => keys.has(key));
  return rows
    .filter(({ competitor }) => competitors.has(competitor))
    .map(({ competitor, spreads }) => [
      `${scenario}: ${competitor}`,
      Object.fromEntries(
        columns.map(([key, { title, unit, digits }]) => {
          const spread = spreads[key];
          return [`${title} (${unit})`, spread === undefined ? null : spreadText(spread, digits)];
        }),
      ),
    ]);
}

/**
 * The figures of the competitors `names` in each scenario that a piece of an answer links to: in a race the ratios with the
 * most workers that had a core each, elsewhere the columns that the title of the link names. Pure.
 */
export function figuresIn(
  piece: string,
  { races, metrics }: Verdicts,
  names: readonly string[] = namesIn(piece),
): string[] {
  return [...citedIn(piece)].flatMap(([scenario, { keys }]) => {
    const race = races.find((judged) => judged.scenario === scenario);
    const other = metrics.find((judged) => judged.scenario === scenario);
    const figures = names.flatMap((name) => [
      ...(race === undefined ? [] : ratiosWith(race, name)),
      ...(other === undefined ? [] : readingsOf(other, name, keys)),
    ]);
    const to =
      race && `, ${unbroken(workersText(referenceConditions(race).workers))}, to \`${baselineOf(race)}\``;
    return figures.length === 0 ? [] : [`${scenario}${to ?? ""}: ${figures.join(", ")}`];
  });
}

function ratiosWith(race: JudgedScenario, name: string): string[] {
  const { workers } = referenceConditions(race);
  return race.rows.flatMap((row) => {
    if (row.noNumber !== undefined || row.competitor !== name || row.workers !== workers) return [];
    const ratio = shownRatio(row);
    const text = groupRatios(row) ?? (ratio && formatRatio(ratio));
    if (text === undefined) return [];
    const verdict = shownVerdict(row);
    return [`\`${nameOf(row)}\` ${unbroken(text)}${verdict.endsWith(IN_THIS_RUN) ? `, ${verdict}` : ""}`];
  });
}

function readingsOf({ metrics, rows }: JudgedMetrics, name: string, keys: ReadonlySet<string>): string[] {
  const spreads = rows.find(({ competitor }) => competitor === name)?.spreads ?? {};
  const readings = Object.entries(metrics).flatMap(([key, { title, unit, digits }]) => {
    const spread = keys.has(key) ? spreads[key] : undefined;
    return spread === undefined ? [] : [`${title} ${unbroken(`${spreadText(spread, digits)} ${unit}`)}`];
  });
  return readings.length === 0 ? [] : [`\`${name}\` ${readings.join(", ")}`];
}
