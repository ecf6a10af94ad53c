import { isDeepStrictEqual } from "node:util";
import { type JudgedScenario, judgeRecord } from "../judge/judge.ts";
import type { BenchRecord, OverviewRecord } from "../record/record.ts";
import type { Overview } from "../suite.ts";
import { ANSWER_FILE, type Answer, answerText } from "./answer.ts";
import { curvePicturesOf, picturesOf, ratioPictures } from "./charts.ts";
import { image, list, underHeading } from "./markdown.ts";
import { overviewText } from "./overview.ts";
import {
  type Besides,
  foremostText,
  howToRead,
  madeFrom,
  PROVENANCE_HEADING,
  provenanceText,
  raceSection,
  shortProvenance,
  simulationSection,
  simulationText,
  surveyText,
} from "./pages.ts";
import type { Standings } from "./races.ts";
import { scenarioFile, scenariosText } from "./scenarios.ts";
import { seriesPictureOf } from "./series.ts";

/**
 * A primitive's results as pages beside its record, with all pictures: one that is taken in at a glance, which opens
 * with the folder, and one of each scenario with everything of it. Pure, as the page of a local record is.
 */
export interface PrimitiveBesides extends Omit<Besides, "pictured"> {
  readonly question: string;
  /** What people wrote to stand above the tables. */
  readonly answer: Answer | undefined;
  /** The overview that the suite has today. */
  readonly overview: Overview | undefined;
  /** The scenarios that say most, by name. */
  readonly headline: ReadonlySet<string>;
  readonly flames: readonly Flame[];
}

/** A published flamegraph, which stands beside the record. */
export interface Flame {
  readonly file: string;
  readonly scenario: string;
  /** What it is of, in a few words. */
  readonly title: string;
  /** What it shows, in words, for those who cannot see it. */
  readonly alt: string;
}

interface PagePicture {
  readonly file: string;
  readonly alt: string;
}

export const FOLDER_PAGE = "README.md";

/**
 * All pages of a primitive's record, by file name. `source` is the record's. Throws an Error for a scenario whose page
 * would take the place of what people wrote.
 */
export function primitivePages(
  primitive: string,
  record: BenchRecord,
  source: string,
  besides: PrimitiveBesides,
): Map<string, string> {
  const pages = new Map([[FOLDER_PAGE, folderPage(primitive, record, source, besides)]]);
  const { headline, standings } = besides;
  const pictured = { headline, standings: standings?.get(primitive) };
  for (const { scenario, text, isRace } of scenarioSections(record, { ...besides, pictured })) {
    const file = scenarioFile(scenario);
    if (file === ANSWER_FILE) {
      throw new Error(`the page of ${primitive}/${scenario} would overwrite ${file}: rename the scenario`);
    }
    const page = [
      underHeading(text, [linksBack(primitive, isRace), `${shortProvenance(record)}.\n`]),
      ...flamesText(besides.flames, scenario),
      madeFrom(source),
    ];
    pages.set(file, page.join("\n"));
  }
  return pages;
}

/** What the folder's page says of tables is of races: below all others stands how they are read. */
function linksBack(primitive: string, isRace: boolean): string {
  const howTo = isRace ? `, [how to read the tables](${FOLDER_PAGE}#how-to-read-the-tables)` : "";
  return `[All of ${primitive}](${FOLDER_PAGE})${howTo}.\n`;
}

/**
 * The picture that says most: of the first headline race its curve or its ratios, or else of the first headline
 * simulation; where none of these has one, any. Undefined where nothing is drawn.
 */
export function headlinePicture(
  record: BenchRecord,
  headline: ReadonlySet<string>,
  standings: Standings | undefined,
): PagePicture | undefined {
  const judgements = judgeRecord(record);
  const curves = curvePicturesOf(judgements);
  const ofRace = (judged: JudgedScenario) => picturesOf(judged).slice(0, 1);
  const ofHeadlineRace = (judged: JudgedScenario): PagePicture[] => [
    ...curves.filter(({ curve }) => curve === judged.point?.curve),
    ...ratioPictures(judged, { headline, standings }),
    ...ofRace(judged),
  ];
  const isHeadline = ({ scenario }: { readonly scenario: string }) => headline.has(scenario);
  const ofSimulations = (parts: BenchRecord["simulations"]) =>
    parts.flatMap((part) => seriesPictureOf(part) ?? []);
  const [first] = [
    ...judgements.filter(isHeadline).flatMap(ofHeadlineRace),
    ...ofSimulations(record.simulations.filter(isHeadline)),
    ...curves,
    ...ofSimulations(record.simulations),
    ...judgements.flatMap(ofRace),
  ];
  return first;
}

function folderPage(
  primitive: string,
  record: BenchRecord,
  source: string,
  { question, answer, overview, headline, standings, flames }: PrimitiveBesides,
): string {
  const judgements = judgeRecord(record);
  const picture = headlinePicture(record, headline, standings?.get(primitive));
  const otherCurves = curvePicturesOf(judgements).filter(({ file }) => file !== picture?.file);
  return [
    `# Results: ${primitive}\n`,
    `${question}\n`,
    `${shortProvenance(record)}.\n`,
    ...(answer === undefined ? [] : [answerText(answer, source)]),
    ...(record.overviews ?? []).flatMap(
      (then) => overviewText(entitled(then, overview), record, judgements) ?? [],
    ),
    ...(picture === undefined ? [] : [image(picture)]),
    scenariosText(record, standings?.get(primitive)),
    ...headlineTexts(record, headline, standings?.get(primitive)),
    ...otherCurves.map((curve) => `## ${curve.title}\n\n${image(curve)}`),
    ...(flames.length === 0
      ? []
      : [`## Flamegraphs\n\n${list(flames.map(({ title, file }) => `[${title}](${file})`))}`]),
    PROVENANCE_HEADING,
    provenanceText(record),
    ...howToRead(record),
    madeFrom(source),
  ].join("\n");
}

/** A record's overview under the title of today's, where that has the same columns still. */
function entitled(then: OverviewRecord, today: Overview | undefined): OverviewRecord {
  return isDeepStrictEqual(then.columns, today?.columns) ? { ...then, title: today!.title } : then;
}

/** The tables of the headline scenarios; of races alone where an overview has the figures of the others. */
function headlineTexts(
  record: BenchRecord,
  headline: ReadonlySet<string>,
  standings: Standings | undefined,
): string[] {
  const isHeadline = ({ scenario }: { readonly scenario: string }) => headline.has(scenario);
  const races = judgeRecord(record)
    .filter(isHeadline)
    .map((judged) =>
      underHeading(foremostText(judged, 2, standings), [
        `Errors, counters, remarks and who is absent stand on [its own page](${scenarioFile(judged.scenario)}).\n`,
      ]),
    );
  if ((record.overviews ?? []).length > 0) return races;
  return [
    ...races,
    ...record.simulations.filter(isHeadline).map((simulation) => simulationText(simulation, 2)),
    ...(record.surveys ?? []).filter(isHeadline).map((survey) => surveyText(survey, 2)),
  ];
}

interface ScenarioSection {
  readonly scenario: string;
  readonly text: string;
  readonly isRace: boolean;
}

/** Everything of each scenario, under a heading of the first level. */
function scenarioSections(record: BenchRecord, besides: Besides): ScenarioSection[] {
  return [
    ...judgeRecord(record).map((judged) => ({
      scenario: judged.scenario,
      text: raceSection(record, judged, 1, besides),
      isRace: true,
    })),
    ...record.simulations.map((simulation) => ({
      scenario: simulation.scenario,
      text: simulationSection(simulation, 1, [simulation.scenario], besides),
      isRace: false,
    })),
    ...(record.surveys ?? []).map((survey) => ({
      scenario: survey.scenario,
      text: surveyText(survey, 1),
      isRace: false,
    })),
  ];
}

function flamesText(flames: readonly Flame[], scenario: string): string[] {
  const own = flames.filter((flame) => flame.scenario === scenario);
  return own.length === 0 ? [] : ["## Flamegraphs\n", ...own.map(image)];
}
