import { ROW_ERROR } from "../../engine/judge/verdict.ts";
import type { JudgedScenario } from "../../engine/schema/verdict.ts";
import { toMarkdown } from "../../reporter/src/index.ts";
import { type AtAGlance, curvePicturesOf, ratioPictures } from "../pictures/charts.ts";
import { seriesPictureOf } from "../pictures/series.ts";
import type { SimulationRecord } from "../schema/record.ts";
import type { JudgedMetrics, JudgedRecord, Verdicts } from "../schema/verdict.ts";
import type { JudgedDocument } from "../statements/judge-document.ts";
import { statementsText } from "../statements/statements.ts";
import { asWritten } from "../tables/as-written.ts";
import { foldedText, pageParts, partsText } from "../tables/folded.ts";
import type { Picture } from "../tables/markdown.ts";
import { foldedAway, foldedUnderHeading, image, list, pageText, type Section } from "../tables/markdown.ts";
import { overviewText } from "../tables/overview.ts";
import { type Labels, type RaceTables, raceTables, raceTitle, referenceConditions } from "../tables/races.ts";
import { absenceLines, metricsTable } from "../tables/tables.ts";
import { type Newest, type Source, sourcesOf } from "./newest.ts";
import { madeFrom, PROVENANCE_HEADING, provenanceText, racedOn, scenarioProvenance } from "./provenance.ts";
import { FOLDER_PAGE, scenarioFile } from "./scenarios.ts";

/**
 * Records as markdown. Pure: the text depends on the arguments alone. So a committed page can be made again byte for byte
 * from the record, the answer beside it, and the statements in today's suites.
 */

/** Optional parts of a page, which do not come from its record. */
export interface Besides {
  /** Shows the pictures of the record; they must be drawn with the same value (see charts.ts), beside the page. */
  readonly pictured?: AtAGlance;
  /** The statements of sources about the primitive, judged by this record. */
  readonly documents?: readonly JudgedDocument[];
  /** For each primitive, the competitors that do not compete, and the variants. */
  readonly labels?: ReadonlyMap<string, Labels>;
}

/** Everything in a record as one page. `source` is the name of the record on the page. */
export function recordPage(
  title: string,
  judged: JudgedRecord,
  source: string,
  besides: Besides = {},
): string {
  const { record, verdicts } = asWritten(judged);
  const { races, metrics } = verdicts;
  const { overviews: described = [] } = record;
  const overviews = described.flatMap(
    (overview) => overviewText(overview, verdicts, described.length > 1) ?? [],
  );
  const simulated = record.simulations.map(({ scenario }) => scenario);
  const curves = besides.pictured === undefined ? [] : curvePicturesOf(races);
  return pageText([
    `# ${title}\n`,
    ...overviews,
    ...(overviews.length === 0 ? [] : [PROVENANCE_HEADING]),
    provenanceText(record, racedOn(record)),
    ...curves.map(entitledImage),
    ...races.map((judged) => raceSection(judged, 2, besides)),
    ...metrics.map((judged) =>
      metricsSection(judged, simulationOf(record.simulations, judged), 2, simulated, besides),
    ),
    ...howToRead(verdicts),
    madeFrom(source),
  ]);
}

/** A picture of several scenarios, under its title. */
export function entitledImage(picture: Picture & { readonly title: string }): string {
  return `## ${picture.title}\n\n${image(picture)}`;
}

type WholeSection = Required<Pick<Section, "text" | "paragraphs">>;

/** Everything that a page shows of a race. */
export function raceSection(
  judged: JudgedScenario,
  headingLevel: number,
  { pictured, labels }: Besides,
): WholeSection {
  return {
    text: scenarioText(judged, headingLevel, labels?.get(judged.primitive)),
    paragraphs: pictured === undefined ? [] : ratioPictures(judged, pictured).map(image),
  };
}

/**
 * Everything that a page shows of a simulation or a survey. `simulated` is the record of a simulation, for its picture; `page`
 * names all simulations of the page.
 */
export function metricsSection(
  judged: JudgedMetrics,
  simulated: SimulationRecord | undefined,
  headingLevel: number,
  page: readonly string[],
  { pictured, documents = [] }: Besides,
): WholeSection {
  const picture = pictured === undefined || simulated === undefined ? undefined : seriesPictureOf(simulated);
  return {
    text: metricsText(judged, headingLevel),
    paragraphs: [
      ...(picture === undefined ? [] : [image(picture)]),
      ...statementsText(documents, judged.scenario, page),
    ],
  };
}

/** The record of a judged simulation; none of a survey. */
export function simulationOf(
  simulations: readonly SimulationRecord[],
  { primitive, scenario }: JudgedMetrics,
): SimulationRecord | undefined {
  return simulations.find((each) => each.primitive === primitive && each.scenario === scenario);
}

/**
 * One race's tables under a heading. The foremost figures at the most important worker count are in sight; its other
 * figures, and all other worker counts, are folded away.
 */
export function scenarioText(judged: JudgedScenario, headingLevel: number, labels?: Labels): string {
  const inSight = referenceConditions(judged).workers;
  const tables = raceTables(judged, labels).map((at) => {
    const text = [
      ...foremostTexts(at, headingLevel + 1),
      ...(at.rest === undefined ? [] : [foldedAway(at.rest.title, foldedText(at.rest, headingLevel))]),
    ].join("\n");
    return at.workers === inSight ? text : foldedUnderHeading("Its tables", text);
  });
  return raceText(judged, headingLevel, [...tables, ...absenceTexts(judged)]);
}

/** The same without the folded parts and absent competitors, for a page of several scenarios. */
export function foremostText(judged: JudgedScenario, headingLevel: number, labels?: Labels): string {
  const tables = raceTables(judged, labels).flatMap((at) => foremostTexts(at, headingLevel + 1));
  return raceText(judged, headingLevel, tables);
}

function raceText(judged: JudgedScenario, headingLevel: number, parts: readonly string[]): string {
  return [`${"#".repeat(headingLevel)} ${raceTitle(judged)}\n`, ...parts].join("\n");
}

function foremostTexts({ rivals, apart }: RaceTables, headingLevel: number): string[] {
  return [
    toMarkdown(rivals, { headingLevel }),
    ...(apart === undefined ? [] : [toMarkdown(apart, { headingLevel: headingLevel + 1 })]),
  ];
}

function absenceTexts({ absent }: JudgedScenario): string[] {
  const lines = absenceLines(absent);
  return lines.length === 0 ? [] : [list(lines)];
}

/** The height of a common screen. */
const SCREEN_PX = 1000;
/** The height of a table row on a code host, if no text in it is broken. */
const TABLE_ROW_PX = 37;

/**
 * The table of a simulation or a survey. A wide table becomes several. Where these would fill more than the screen, only
 * the first, with the foremost figures, is in sight; the others are folded away.
 */
export function metricsText(judged: JudgedMetrics, headingLevel: number): string {
  const table = metricsTable(judged);
  const parts = pageParts(table);
  const [first, ...others] = parts.map((part) => ({ ...part, legend: [] }));
  const rows = parts.length * (1 + table.rows.length);
  if (others.length === 0 || rows * TABLE_ROW_PX <= SCREEN_PX) return partsText(parts, headingLevel);
  const titles = others.flatMap(({ columns: [, ...figures] }) => figures.map(({ title }) => title));
  return [
    toMarkdown(first!, { headingLevel }),
    foldedAway(`More figures: ${titles.join("; ")}`, partsText(others, headingLevel)),
    list(table.legend),
  ].join("\n");
}

/** How often the laws of these races were checked. */
function checkedText(races: Verdicts["races"]): string {
  const every = races.flatMap(({ conditions }) => conditions.map(({ accountEvery }) => accountEvery));
  const [only, ...otherwise] = new Set(every);
  return only === undefined || otherwise.length > 0
    ? "at least twice in each process"
    : `in the first round, the last and one of each ${only} of each process`;
}

/** Of an interval, in percent. */
const LEAST_CONFIDENCE = 100 * (1 - ROW_ERROR);

/** The legend of all race tables; none where nothing was raced. */
export function howToRead({ races }: Pick<Verdicts, "races">): string[] {
  if (races.length === 0) return [];
  const lines = [
    "Rank: one plus the number of competing rows that are shown to be faster. Rows that cannot be distinguished share a rank. +: the leading group, whose rows cannot be distinguished from the lowest ratio.",
    "Median: the time that one worker waits for one operation (workers / summed rates), as the median over slices and then over forks. Throughput: all workers together.",
    `Ratio: to the baseline in the same processes. It is of the lower quartile of a lone worker's slices, of the median of several workers' slices, and of the mean of long slices. Where a row's level leaves out over 3 % more of its mean than the baseline's, its ratio is of means, and the remark gives both. The baseline's name is bold.`,
    `Interval of a ratio: where the table says how far runs differ (*between runs*), the ratio of another run on such a machine lies in it with 95 % probability, and the interval of this run stands beside the errors. Elsewhere it is the interval of this run. All verdicts rest on the latter: at least ${LEAST_CONFIDENCE} %, widened for the number of rows (Bonferroni) and of looks. It is unknown if it contains 1 and its ends are over a hundred times apart.`,
    "Noise floor: how far A/A controls, the same code under another name, stray from the baseline beyond chance, over all groups and worker counts of the scenario. **faster** / **slower**: the interval of this run lies wholly beyond the floor. same: it lies wholly within 3 %. in this run: the interval for another run does not bear the verdict out. depends: the processes fall into two groups that answer differently, and something measured beside them tells the groups apart. cannot tell: none of these; *sees* is the least difference that would have been seen. no power: as cannot tell, with a floor over 10 %.",
    "depends: the remark gives the ratio and the number of processes of each group. It also names the measurement that distinguishes the groups. Where none does, the row is judged over all of its processes, and the remark says so.",
    "Forks: the processes that count in the ratio. At most one in six does not, because it lies too far from the others; the remark says so. A table is raced until each of its rows has a verdict or the time is up.",
    "More workers than cores: processes of one run see one regime of the scheduler. So the ratio is a factor. Where no runs were repeated, its interval is widened by the 10 % by which regimes differ (as a deviation), and a verdict holds in one run.",
    "Quiet state: slices in which every core ran at full speed and several workers' cores were near one another. Tags before and after each slice show the speed. A process with 20 quiet slices is judged by these. Otherwise it is judged by its slices at full speed with distant cores, if it has 20, or else by all of its slices.",
    "Not competing: a lower bound does too little to be of use. The oracle is slow and obviously right. The A/A control is the baseline under another name. Private add: an atomic addition to a word of each worker's own, beside other workers and alone. Empty operation: the loop with nothing in it.",
    "Error: half of the median's 99 % interval over forks. StdDev: between forks. Fairness: slowest worker / fastest. Overlap: the share of the measured time in which all workers ran.",
    `Laws were checked ${checkedText(races)}, on all operations up to then. A row that breaks a law has no number.`,
  ];
  return [`## How to read the tables\n\n${list(lines)}`];
}

/** A scenario on a page of its own. */
interface ScenarioSection {
  readonly scenario: string;
  /** What stands first below its heading: links, and where its numbers come from. */
  readonly head: readonly string[];
  readonly section: WholeSection;
  readonly sources: readonly Source[];
}

/** Everything of each scenario, under a heading of the first level. */
export function scenarioSections(primitive: string, newest: Newest, besides: Besides): ScenarioSection[] {
  const { simulations, verdicts } = newest;
  const known = [...verdicts.races, ...verdicts.metrics].map(({ scenario }) => {
    return { scenario, sources: sourcesOf(newest, scenario) };
  });
  return known.map(({ scenario, sources }) => {
    const race = verdicts.races.find((judged) => judged.scenario === scenario);
    const head = [linksBack(primitive, race !== undefined), scenarioProvenance(sources, scenario)];
    if (race !== undefined) return { scenario, head, sources, section: raceSection(race, 1, besides) };
    const judged = verdicts.metrics.find((one) => one.scenario === scenario)!;
    const section = metricsSection(judged, simulationOf(simulations, judged), 1, [scenario], besides);
    return { scenario, head, sources, section };
  });
}

/** The folder's page explains the tables of races; other tables are explained below themselves. */
function linksBack(primitive: string, isRace: boolean): string {
  const howTo = isRace ? `, [how to read the tables](${FOLDER_PAGE}#how-to-read-the-tables)` : "";
  return `[All of ${primitive}](${FOLDER_PAGE})${howTo}.\n`;
}

/** The tables of the headline scenarios; only those of races where an overview has the other figures. */
export function headlineSections(
  newest: Newest,
  headline: ReadonlySet<string>,
  labels: Labels | undefined,
): Section[] {
  const isHeadline = ({ scenario }: { readonly scenario: string }) => headline.has(scenario);
  const { overviews, verdicts } = newest;
  const isOneRecord = newest.sources.length === 1;
  const races = verdicts.races.filter(isHeadline).map((judged) => ({
    text: foremostText(judged, 2, labels),
    paragraphs: [
      ...(isOneRecord ? [] : [scenarioProvenance(sourcesOf(newest, judged.scenario), judged.scenario)]),
      `Errors, counters, remarks and absent competitors are on [its own page](${scenarioFile(judged.scenario)}).\n`,
    ],
  }));
  if (overviews.length > 0) return races;
  return [
    ...races,
    ...verdicts.metrics.filter(isHeadline).map((judged) => ({ text: metricsText(judged, 2) })),
  ];
}
