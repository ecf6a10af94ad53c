import { runtimesOf } from "../../judge/judge.ts";
import { spreadText } from "../../judge/spread.ts";
import { scenarioOf } from "../../measure/plan/plan.ts";
import type { BenchRecord } from "../../schema/record.ts";
import type { JudgedMetrics, JudgedScenario, RacedRuntime } from "../../schema/verdict.ts";
import { type Table, toMarkdown } from "../benchmark-reporter-markdown/src/index.ts";
import { isMatrixHigherThanAScreen, pictureOfMatrix } from "../pictures/matrix-picture.ts";
import { left, right } from "../tables/columns.ts";
import { foldedAway, foldedUnderHeading, image, list } from "../tables/markdown.ts";
import {
  competitorAcross,
  isAcross,
  type Matrix,
  matrixLegend,
  matrixOf,
  matrixTables,
} from "../tables/matrix.ts";
import { raceResults, type Standings } from "../tables/races.ts";
import { absenceLines } from "../tables/tables.ts";
import { filesText, type Newest, sourcesOf } from "./newest.ts";
import { madeFrom, raceSection } from "./pages.ts";
import { FOLDER_PAGE, footTexts, scenarioProvenance, sourcesInShort } from "./primitive-pages.ts";
import { LEADER_COLUMNS, LEADER_LEGEND, leaderCells, scenarioFile } from "./scenarios.ts";

/**
 * A primitive's races on several runtimes as pages beside their records: one with the matrix of each scenario and its
 * leaders on each runtime, and one of each scenario with all tables. Pure, as the pages of one runtime are.
 */
export interface RuntimeBesides {
  readonly question: string;
  readonly standings: ReadonlyMap<string, Standings>;
}

/** All pages of a primitive, by file name. */
export function runtimePages(
  primitive: string,
  newest: Newest,
  besides: RuntimeBesides,
): Map<string, string> {
  return new Map([
    [FOLDER_PAGE, matrixPage(primitive, newest, besides)],
    ...[...racesByScenario(newest)].map(
      ([scenario, races]) =>
        [scenarioFile(scenario), scenarioPage(primitive, races, newest, besides)] as const,
    ),
  ]);
}

/** A matrix, a record that tells its machine, and the files that it is of. */
interface MatrixOfRecord {
  readonly matrix: Matrix;
  readonly record: BenchRecord;
  readonly files: string;
}

/** The matrices of a primitive. */
export function newestMatrices(newest: Newest): MatrixOfRecord[] {
  return [...racesByScenario(newest)].flatMap(([scenario, races]) => {
    const matrix = matrixOf(races);
    const [{ record }] = sourcesOf(newest, scenario);
    return matrix === undefined ? [] : [{ matrix, record, files: filesText(newest, scenario) }];
  });
}

function racesByScenario({ verdicts }: Newest): ReadonlyMap<string, readonly JudgedScenario[]> {
  return Map.groupBy(verdicts.races, ({ scenario }) => scenarioOf(scenario));
}

function matrixPage(primitive: string, newest: Newest, { question, standings }: RuntimeBesides): string {
  const { sources } = newest;
  return [
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
    `What the lab's own Node gives stands in [the results of ${primitive}](../../${primitive}/${FOLDER_PAGE}). These races are others, on other days: only ratios within one of them compare.\n`,
    ...[...racesByScenario(newest)].map(([scenario, races]) =>
      scenarioText(primitive, scenario, races, standings.get(primitive)),
    ),
    ...[...Map.groupBy(newest.verdicts.metrics, ({ scenario }) => scenarioOf(scenario))].map(
      ([scenario, surveyed]) => surveyText(primitive, scenario, surveyed),
    ),
    ...footTexts(newest),
  ].join("\n");
}

/** Runtimes as they are asked for, each with what it says of itself. */
function runtimesText(runtimes: readonly RacedRuntime[]): string {
  return runtimes.map(({ name, version, engine }) => `${name}: ${version} (${engine})`).join(", ");
}

/** The leaders on each runtime, and a scenario's matrix as picture and tables. */
function scenarioText(
  primitive: string,
  scenario: string,
  races: readonly JudgedScenario[],
  standings: Standings | undefined,
): string {
  const matrix = matrixOf(races);
  return [
    `## ${primitive}/${scenario}: ${races[0]!.title}\n`,
    toMarkdown(leadersTable(races, standings), { headingLevel: 3 }),
    ...(matrix === undefined ? [] : [pictureText(matrix)]),
    ...(matrix === undefined ? [] : matrixTables(matrix)).map((table) =>
      foldedUnderHeading("The ratios of the picture", toMarkdown(table, { headingLevel: 3 })),
    ),
    `All tables, of each runtime and of each competitor: [${scenario}](${scenarioFile(scenario)}).\n`,
  ].join("\n");
}

/** A matrix as a picture, which a reader unfolds where it would fill more than the screen. */
function pictureText(matrix: Matrix): string {
  const picture = image(pictureOfMatrix(matrix));
  return [
    "### Each competitor on all runtimes\n",
    isMatrixHigherThanAScreen(matrix) ? foldedAway("The picture", picture) : picture,
    foldedAway("What its ratios and marks mean", list(matrixLegend(matrix.runtimes))),
  ].join("\n");
}

/** What competitors hold on each runtime, a table for each figure. Nothing is paired, so nothing is told. */
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
      "Each competitor alone in processes of its own: the middle and, in brackets, the range over them. No two are paired, so nothing is judged.",
      ...new Set(surveyed.flatMap(({ absent }) => absenceLines(absent))),
      ...failures,
    ],
  };
}

/** The leaders on each runtime, at the most workers that have a core each. */
function leadersTable(races: readonly JudgedScenario[], standings: Standings | undefined): Table {
  return {
    title: "Who leads on each runtime",
    provenance: [],
    columns: [left("runtime", "Runtime"), ...LEADER_COLUMNS],
    rows: withinEach(races).flatMap((judged) =>
      raceResults(judged, standings).map((result) => ({
        cells: {
          runtime: judged.runtimes![0]!.version,
          ...leaderCells(result),
        },
      })),
    ),
    legend: [
      LEADER_LEGEND,
      "The baseline is that of the same runtime: ratios of two runtimes are to two different times.",
    ],
  };
}

function withinEach(races: readonly JudgedScenario[]): JudgedScenario[] {
  return races.filter((judged) => !isAcross(judged));
}

/** Everything of one scenario. */
function scenarioPage(
  primitive: string,
  races: readonly JudgedScenario[],
  newest: Newest,
  { standings }: RuntimeBesides,
): string {
  const [{ scenario: named, title }] = races as [JudgedScenario];
  const scenario = scenarioOf(named);
  const sources = sourcesOf(newest, scenario);
  const [{ record }] = sources;
  const matrix = matrixOf(races);
  return [
    `# ${primitive}/${scenario} on several runtimes: ${title}\n`,
    `[All of ${primitive} on several runtimes](${FOLDER_PAGE}), [how to read the tables](${FOLDER_PAGE}#how-to-read-the-tables).\n`,
    scenarioProvenance(newest, scenario),
    list([`On ${runtimesText(runtimesOf(races))}`]),
    ...(matrix === undefined ? [] : [image(pictureOfMatrix(matrix))]),
    "## Competitors on each runtime\n",
    ...withinEach(races).map((judged) =>
      foldedUnderHeading("Its tables", raceSection(record, judged, 3, { standings })),
    ),
    ...(matrix === undefined ? [] : ["## Each competitor on all runtimes\n"]),
    ...races
      .filter(isAcross)
      .map((judged) => foldedAway(competitorAcross(judged), raceSection(record, judged, 3, { standings }))),
    madeFrom(...sources.map(({ file }) => file)),
  ].join("\n");
}
