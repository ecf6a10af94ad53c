import { runtimesOf } from "../judge/judge.ts";
import { scenarioOf } from "../measure/plan.ts";
import type { JudgedScenario, RacedRuntime } from "../schema/verdict.ts";
import { type Table, toMarkdown } from "./benchmark-reporter-markdown/src/index.ts";
import { left } from "./columns.ts";
import { foldedAway, image, list } from "./markdown.ts";
import { competitorAcross, isAcross, type Matrix, matrixLegend, matrixOf, matrixTables } from "./matrix.ts";
import { pictureOfMatrix } from "./matrix-picture.ts";
import { type Newest, type Source, sourceOf } from "./newest.ts";
import { howToRead, madeFrom, PROVENANCE_HEADING, raceSection, shortProvenance } from "./pages.ts";
import { FOLDER_PAGE, provenanceTexts, sourcesInShort } from "./primitive-pages.ts";
import { raceResults, type Standings } from "./races.ts";
import { LEADER_COLUMNS, leaderCells, scenarioFile } from "./scenarios.ts";

/**
 * A primitive's races on several runtimes as pages beside their records: one with the matrix of each scenario and who is
 * fastest on each runtime, and one of each scenario with all tables. Pure, as the pages of one runtime are.
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

/** The matrices of a primitive, each with the record that it is of. */
export function newestMatrices(newest: Newest): { readonly matrix: Matrix; readonly source: Source }[] {
  return [...racesByScenario(newest)].flatMap(([scenario, races]) => {
    const matrix = matrixOf(races);
    return matrix === undefined ? [] : [{ matrix, source: sourceOf(newest, scenario) }];
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
    list([...new Set(sources.map(({ record }) => `On ${runtimesText(runtimesOf(record.groups))}`))]),
    `What the lab's own Node gives stands in [the results of ${primitive}](../../${primitive}/${FOLDER_PAGE}). These races are others, on other days: only ratios within one of them compare.\n`,
    ...[...racesByScenario(newest)].map(([scenario, races]) =>
      scenarioText(primitive, scenario, races, standings.get(primitive)),
    ),
    PROVENANCE_HEADING,
    ...provenanceTexts(sources),
    ...howToRead(newest.verdicts),
    madeFrom(...sources.map(({ file }) => file)),
  ].join("\n");
}

/** Runtimes as they are asked for, each with what it says of itself. */
function runtimesText(runtimes: readonly RacedRuntime[]): string {
  return runtimes.map(({ name, version, engine }) => `${name}: ${version} (${engine})`).join(", ");
}

/** A scenario's matrix as picture and tables, and who is fastest on each runtime. */
function scenarioText(
  primitive: string,
  scenario: string,
  races: readonly JudgedScenario[],
  standings: Standings | undefined,
): string {
  const matrix = matrixOf(races);
  return [
    `## ${primitive}/${scenario}: ${races[0]!.title}\n`,
    ...(matrix === undefined ? [] : matrixTexts(matrix)),
    toMarkdown(fastestTable(races, standings), { headingLevel: 3 }),
    `All tables, of each runtime and of each competitor: [${scenario}](${scenarioFile(scenario)}).\n`,
  ].join("\n");
}

function matrixTexts(matrix: Matrix): string[] {
  return [
    image(pictureOfMatrix(matrix)),
    ...matrixTables(matrix).map((table) => toMarkdown(table, { headingLevel: 3 })),
    list(matrixLegend(matrix.runtimes)),
  ];
}

/** Who leads on each runtime, where that says most: at the most workers that have a core each. */
function fastestTable(races: readonly JudgedScenario[], standings: Standings | undefined): Table {
  return {
    title: "The fastest on each runtime",
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
      "Ratio: to the baseline on the same runtime, of the one with the lowest among those that compete. Ratios of two runtimes are to two different times.",
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
  const { record, file } = sourceOf(newest, scenario);
  const matrix = matrixOf(races);
  return [
    `# ${primitive}/${scenario} on several runtimes: ${title}\n`,
    `[All of ${primitive} on several runtimes](${FOLDER_PAGE}), [how to read the tables](${FOLDER_PAGE}#how-to-read-the-tables).\n`,
    `${shortProvenance(record)}.\n`,
    list([`On ${runtimesText(runtimesOf(races))}`]),
    ...(matrix === undefined ? [] : [image(pictureOfMatrix(matrix))]),
    "## Competitors on each runtime\n",
    ...withinEach(races).map((judged) => raceSection(record, judged, 3, { standings })),
    ...(matrix === undefined ? [] : ["## Each competitor on all runtimes\n"]),
    ...races
      .filter(isAcross)
      .map((judged) => foldedAway(competitorAcross(judged), raceSection(record, judged, 3, { standings }))),
    madeFrom(file),
  ].join("\n");
}
