import type { JudgedScenario } from "../../engine/schema/verdict.ts";
import { formatRatio, type Table } from "../../reporter/src/index.ts";
import type { JudgedMetrics, Verdicts } from "../schema/verdict.ts";
import { shownRatio } from "../verdicts/another-run.ts";
import type { Block, Items } from "./blocks.ts";
import { apartAs, type Labels, type RaceResult, raceResults, raceTables, raceTitle } from "./races.ts";
import { metricsTable } from "./tables.ts";

/** What a run prints as it goes, and at its end: what a reader looks at first. Its page has the rest. Pure. */

/** The competing rows of a race at each worker count, and a line on how it went. */
export function briefRace(judged: JudgedScenario, labels: Labels | undefined): Block[] {
  const tables = raceTables(judged, labels, "brief");
  return [`**${raceTitle(judged)}**`, ...tables.map(({ rivals }) => rivals)];
}

/** The metrics that a scenario names first. */
const FOREMOST_METRICS = 3;

/** A simulation or a survey by its first metrics. */
export function briefMetrics(judged: JudgedMetrics): Table {
  const columns = Object.entries(judged.metrics);
  const rest = columns.length - FOREMOST_METRICS;
  const table = metricsTable({ ...judged, metrics: Object.fromEntries(columns.slice(0, FOREMOST_METRICS)) });
  return { ...table, legend: rest > 0 ? [`${rest} more in the page.`] : [] };
}

/** A line for each race: the lowest ratio, and how many rows are undecided. Undefined for a single race. */
export function briefResults(
  { races, metrics }: Verdicts,
  labels: ReadonlyMap<string, Labels>,
): Items | undefined {
  if (races.length < 2) return undefined;
  const items = races.flatMap((judged) => {
    const own = labels.get(judged.primitive);
    return raceResults(judged, own).map((result) => resultText(judged, result, own));
  });
  const rest =
    metrics.length === 0 ? [] : [`simulations and surveys, which judge nothing: ${metrics.length}`];
  return { title: "The lowest ratio to the baseline of each race", items: [...items, ...rest] };
}

function resultText(
  { primitive, scenario, rows }: JudgedScenario,
  { conditions: { workers }, role, leading: [first, ...others] }: RaceResult,
  labels: Labels | undefined,
): string {
  const where = `${primitive}/${scenario}/${workers}w${role === undefined ? "" : ` (${role})`}`;
  if (first === undefined) return `${where}: no number`;
  const rivals = rows.filter(
    (row) => row.workers === workers && row.role === role && apartAs(row, labels) === undefined,
  );
  const open = rivals.filter((row) => row.noNumber === undefined && UNDECIDED.has(row.verdict)).length;
  return [
    `${where}: **${first.competitor}** ${first.ratio === undefined ? "1" : formatRatio(shownRatio(first)!)}`,
    ...(others.length === 0 ? [] : [`${others.length} cannot be distinguished from it`]),
    ...(open === 0 ? [] : [`${open} of ${rivals.length} rows undecided`]),
  ].join("; ");
}

const UNDECIDED: ReadonlySet<string> = new Set(["cannot tell", "no power"]);
