import { runtimesOf } from "../../engine/judge/judge.ts";
import { scenarioOf } from "../../engine/measure/plan/plan.ts";
import type { JudgedScenario, RacedRuntime } from "../../engine/schema/verdict.ts";
import { type Table, toMarkdown } from "../../reporter/src/index.ts";
import type { JudgedMetrics } from "../schema/verdict.ts";
import { left, right } from "../tables/columns.ts";
import { foldedAway, foldedUnderHeading, list, pageText } from "../tables/markdown.ts";
import { isAcross, matrixLegend, matrixOf, matrixTables, withinTables } from "../tables/matrix.ts";
import { type Labels, raceResults } from "../tables/races.ts";
import { absenceLines } from "../tables/tables.ts";
import { spreadText } from "../verdicts/spread.ts";
import type { Newest } from "./newest.ts";
import { howToRead } from "./pages.ts";
import { ofStateText } from "./primitive-pages.ts";
import { footParts, sourcesInShort } from "./provenance.ts";
import { FOLDER_PAGE, LEADER_COLUMNS, LEADER_LEGEND, leaderCells } from "./scenarios.ts";

/**
 * A primitive's races on several runtimes as one page beside their records. Each scenario has its leaders on each runtime, the
 * ratios on each, and each competitor on all of them. Pure.
 */
export interface RuntimeBesides {
  readonly question: string;
  readonly labels: ReadonlyMap<string, Labels>;
}

function racesByScenario({ verdicts }: Newest): ReadonlyMap<string, readonly JudgedScenario[]> {
  return Map.groupBy(verdicts.races, ({ scenario }) => scenarioOf(scenario));
}

/** The page of a primitive. */
export function runtimesPage(
  primitive: string,
  newest: Newest,
  { question, labels }: RuntimeBesides,
): string {
  const { sources } = newest;
  return pageText([
    `# Results on several runtimes: ${primitive}\n`,
    `${question}\n`,
    sourcesInShort(sources),
    list([
      ...new Set(
        sources.map(
          ({ record }) => `On ${runtimesText(runtimesOf([...record.groups, ...(record.surveys ?? [])]))}`,
        ),
      ),
    ]),
    `For the lab's own Node, see [the results of ${primitive}](../../${primitive}/${FOLDER_PAGE}). These races ran on other days, so only ratios within one race compare.\n`,
    ...[...racesByScenario(newest)].map(([scenario, races]) =>
      scenarioText(primitive, scenario, races, labels.get(primitive)),
    ),
    ...[...Map.groupBy(newest.verdicts.metrics, ({ scenario }) => scenarioOf(scenario))].map(
      ([scenario, surveyed]) => surveyText(primitive, scenario, surveyed),
    ),
    ...newest.ofOtherStates.map((older) => ofStateText(older, labels.get(primitive))),
    ...footParts(sources, howToRead(newest.verdicts)),
  ]);
}

/** The names of the runtimes, each with its version and engine. */
function runtimesText(runtimes: readonly RacedRuntime[]): string {
  return runtimes.map(({ name, version, engine }) => `${name}: ${version} (${engine})`).join(", ");
}

/** The leaders on each runtime, and two kinds of tables: each runtime by itself, and each competitor by itself. */
function scenarioText(
  primitive: string,
  scenario: string,
  races: readonly JudgedScenario[],
  labels: Labels | undefined,
): string {
  const matrix = matrixOf(races);
  const folded = (summary: string) => (table: Table) =>
    foldedUnderHeading(summary, toMarkdown(table, { headingLevel: 4 }));
  return [
    `## ${primitive}/${scenario}: ${races[0]!.title}\n`,
    toMarkdown(leadersTable(races, labels), { headingLevel: 3 }),
    "### Competitors on each runtime\n",
    "Ratios to the baseline of the same runtime, whose own cell has its time. Marks as in the tables below.\n",
    ...withinTables(races, labels).map(folded("The ratios on each runtime")),
    ...(matrix === undefined
      ? []
      : [
          "### Each competitor on all runtimes\n",
          foldedAway("What its ratios and marks mean", list(matrixLegend(matrix.runtimes))),
          ...matrixTables(matrix).map(folded("Its ratios to itself on the first runtime")),
        ]),
  ].join("\n");
}

/** The figures of a survey on each runtime, a table for each figure. Nothing is paired, so nothing is judged. */
function surveyText(primitive: string, scenario: string, surveyed: readonly JudgedMetrics[]): string {
  const [{ title, metrics }] = surveyed as [JudgedMetrics];
  return [
    `## ${primitive}/${scenario}: ${title}\n`,
    ...Object.entries(metrics).map(([key, metric]) =>
      foldedUnderHeading("The table", toMarkdown(surveyTable(surveyed, key, metric), { headingLevel: 3 })),
    ),
  ].join("\n");
}

function surveyTable(
  surveyed: readonly JudgedMetrics[],
  key: string,
  { title, unit, digits }: JudgedMetrics["metrics"][string],
): Table {
  const competitors = new Set(surveyed.flatMap(({ rows }) => rows.map(({ competitor }) => competitor)));
  const runtimes = surveyed.map(({ scenario, rows }) => ({
    name: scenario.slice(scenarioOf(scenario).length + 1),
    spreads: new Map(rows.map(({ competitor, spreads }) => [competitor, spreads[key]])),
  }));
  const failures = surveyed.flatMap(({ scenario, rows }) =>
    rows.flatMap(({ competitor, noNumber }) =>
      noNumber === undefined ? [] : [`No number, ${noNumber}: ${competitor} in ${scenario}.`],
    ),
  );
  return {
    title: `${title} (${unit})`,
    provenance: [],
    columns: [left("competitor", "Competitor"), ...runtimes.map(({ name }) => right(`on ${name}`, name))],
    rows: [...competitors].map((competitor) => ({
      cells: {
        competitor,
        ...Object.fromEntries(
          runtimes.map(({ name, spreads }) => {
            const spread = spreads.get(competitor);
            return [`on ${name}`, spread === undefined ? null : spreadText(spread, digits)];
          }),
        ),
      },
    })),
    legend: [
      "Each competitor ran alone in processes of its own: the median and, in brackets, the range over them. No two are paired, so nothing is judged.",
      ...new Set(surveyed.flatMap(({ absent }) => absenceLines(absent))),
      ...failures,
    ],
  };
}

/** The leaders on each runtime, at the most workers that have a core each. */
function leadersTable(races: readonly JudgedScenario[], labels: Labels | undefined): Table {
  return {
    title: "The leaders on each runtime",
    provenance: [],
    columns: [left("runtime", "Runtime"), ...LEADER_COLUMNS],
    rows: withinEach(races).flatMap((judged) =>
      raceResults(judged, labels).map((result) => ({
        cells: {
          runtime: judged.runtimes![0]!.version,
          ...leaderCells(result),
        },
      })),
    ),
    legend: [
      LEADER_LEGEND,
      "Each ratio is to the baseline on the same runtime, so ratios of two runtimes do not compare.",
    ],
  };
}

function withinEach(races: readonly JudgedScenario[]): JudgedScenario[] {
  return races.filter((judged) => !isAcross(judged));
}
