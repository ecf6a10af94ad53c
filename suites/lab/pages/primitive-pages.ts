import { isDeepStrictEqual } from "node:util";
import type { JudgedScenario } from "../../engine/schema/verdict.ts";
import { formatNumber, toMarkdown } from "../../reporter/src/index.ts";
import type { Overview } from "../../shared/vocabulary.ts";
import { ratioPictures } from "../pictures/charts.ts";
import { pictureOfCurve } from "../pictures/curves.ts";
import { briefRanking, pictureOfRanking, type Ranking, rankingOf } from "../pictures/ratios.ts";
import { seriesPictureOf } from "../pictures/series.ts";
import { othersText } from "../schema/contenders.ts";
import type { OverviewRecord } from "../schema/record.ts";
import type { JudgedMetrics } from "../schema/verdict.ts";
import type { Picture } from "../tables/markdown.ts";
import {
  foldedAway,
  foldedUnderHeading,
  image,
  list,
  underHeading,
  withoutHeading,
} from "../tables/markdown.ts";
import { overviewText } from "../tables/overview.ts";
import type { Labels } from "../tables/races.ts";
import { foremostTailTable } from "../tables/tables.ts";
import type { HostsTable } from "../verdicts/hosts.ts";
import type { Answer } from "./answer.ts";
import { ANSWER_FILE } from "./answer.ts";
import { evidenceText } from "./evidence.ts";
import { hostsOfScenario } from "./hosts/hosts.ts";
import {
  methodOf,
  type Newest,
  newestCurves,
  type OfOtherState,
  type Others,
  ownCountsText,
  type Source,
  sourcesOf,
  withOthers,
} from "./newest.ts";
import {
  type Besides,
  entitledImage,
  foremostText,
  howToRead,
  madeFrom,
  metricsSection,
  metricsText,
  PROVENANCE_HEADING,
  provenanceText,
  racedOn,
  raceSection,
  scenarioText,
  severalInShort,
  shortProvenance,
  simulationOf,
} from "./pages.ts";
import { regretText } from "./regret.ts";
import { scenarioFile, scenariosText } from "./scenarios.ts";
import { yardsticksText } from "./yardsticks.ts";

/**
 * A primitive's results as pages beside its records, with all pictures. The folder's page is an overview. The page of each
 * scenario has everything of it, from the newest record of it. Pure.
 */
export interface PrimitiveBesides extends Omit<Besides, "pictured"> {
  readonly question: string;
  /** Written by people, and shown above the tables. */
  readonly answer: Answer | undefined;
  /** The overview that the suite has today. */
  readonly overview: Overview | undefined;
  /** Names of the most important scenarios. */
  readonly headline: ReadonlySet<string>;
  readonly flames: readonly Flame[];
  /** Sections of the folder's page that are made elsewhere; they stand below what was measured. */
  readonly sections?: readonly string[];
  /** The rows of its races that several kinds of hosts raced. */
  readonly onHosts?: readonly HostsTable[];
}

/** A published flamegraph, beside the records. */
export interface Flame extends Picture {
  readonly scenario: string;
  /** The scenario, competitor and workers that it shows. */
  readonly title: string;
}

export const FOLDER_PAGE = "README.md";

/** All pages of a primitive, by file name. Throws an Error for a scenario whose page would overwrite the answer. */
export function primitivePages(
  primitive: string,
  newest: Newest,
  besides: PrimitiveBesides,
): Map<string, string> {
  const pages = new Map([[FOLDER_PAGE, folderPage(primitive, newest, besides)]]);
  const { headline, labels } = besides;
  const pictured = { headline, labels: labels?.get(primitive) };
  for (const { scenario, text, isRace } of scenarioSections(newest, { ...besides, pictured })) {
    const file = scenarioFile(scenario);
    if (file === ANSWER_FILE) {
      throw new Error(`the page of ${primitive}/${scenario} would overwrite ${file}: rename the scenario`);
    }
    const others = newest.others.filter(({ judged }) => judged.scenario === scenario);
    const ofStates = newest.ofOtherStates.filter(({ judged }) => judged.scenario === scenario);
    const sources = new Set([
      ...sourcesOf(newest, scenario),
      ...[...others, ...ofStates].map(({ source }) => source),
    ]);
    const page = [
      underHeading(text, [
        linksBack(primitive, isRace),
        scenarioProvenance(newest, scenario),
        ...hostsOfScenario(besides.onHosts ?? [], scenario),
      ]),
      ...others.map((older) => olderText(older, pictured.labels)),
      ...ofStates.map((older) => ofStateText(older, pictured.labels)),
      ...flamesText(besides.flames, scenario),
      madeFrom(...[...sources].map(({ file }) => file)),
    ];
    pages.set(file, page.join("\n"));
  }
  return pages;
}

/** The competitors that the newest tables omit, from an older record: folded away, with the record's provenance. */
function olderText({ judged, source }: Others, labels: Labels | undefined): string {
  const names = new Set(
    judged.rows.filter(({ kind }) => kind === "rival").map(({ competitor }) => competitor),
  );
  return foldedAway(
    `${othersText(names.size)}, raced before`,
    [`${shortProvenance(source.record)}.\n`, withoutHeading(foremostText(judged, 1, labels))].join("\n"),
  );
}

/** A table of a state that newer ones lack: in sight, as it may say otherwise. */
export function ofStateText(
  { judged, source, handoverNs }: OfOtherState,
  labels: Labels | undefined,
): string {
  const name = `${judged.primitive}/${judged.scenario}`;
  return [
    `## ${name} with cores ${formatNumber(handoverNs)} ns apart, as no newer record met them\n`,
    `${shortProvenance(source.record)}. A row that depends has a ratio for each group of its processes.\n`,
    withoutHeading(scenarioText({ ...judged, absent: [] }, 2, labels)),
  ].join("\n");
}

/** The provenance of a scenario's numbers: a line or, for worker counts from several records, a list. */
export function scenarioProvenance(newest: Newest, scenario: string): string {
  const sources = sourcesOf(newest, scenario);
  if (sources.length === 1) return `${shortProvenance(sources[0].record)}.\n`;
  return [
    "Times of different records do not compare; each ratio is of one.\n",
    list(sources.map((source) => `${ownCountsText(source, scenario)}: ${shortProvenance(source.record)}`)),
  ].join("\n");
}

/** The folder's page explains the tables of races; other tables are explained below themselves. */
function linksBack(primitive: string, isRace: boolean): string {
  const howTo = isRace ? `, [how to read the tables](${FOLDER_PAGE}#how-to-read-the-tables)` : "";
  return `[All of ${primitive}](${FOLDER_PAGE})${howTo}.\n`;
}

/**
 * The picture that stands for a primitive: the curve or the ratios of the first headline race, or else the picture of the first
 * headline simulation, or else any curve. Undefined where there is none.
 */
export function headlinePicture(
  newest: Newest,
  headline: ReadonlySet<string>,
  labels: Labels | undefined,
): Picture | undefined {
  const { simulations, verdicts } = newest;
  const curves = newestCurves(newest).map(({ curve }) => pictureOfCurve(curve));
  const ofHeadlineRace = (judged: JudgedScenario): Picture[] => [
    ...curves.filter(({ curve }) => curve === judged.point?.curve),
    ...ratioPictures(judged, { headline, labels }),
  ];
  const isHeadline = ({ scenario }: { readonly scenario: string }) => headline.has(scenario);
  const [first] = [
    ...verdicts.races.filter(isHeadline).flatMap(ofHeadlineRace),
    ...simulations.filter(isHeadline).flatMap((part) => seriesPictureOf(part) ?? []),
    ...curves,
  ];
  return first;
}

/** In brief, the ranking that the headline picture shows; undefined where it shows none. */
export function briefHeadline(
  newest: Newest,
  headline: ReadonlySet<string>,
  labels: Labels | undefined,
): Ranking | undefined {
  const file = headlinePicture(newest, headline, labels)?.file;
  const ranking = newest.verdicts.races
    .flatMap((judged) => rankingOf(judged, labels) ?? [])
    .find((one) => pictureOfRanking(one).file === file);
  return ranking && briefRanking(ranking);
}

function folderPage(
  primitive: string,
  newest: Newest,
  { question, answer, overview, headline, labels, flames, sections = [] }: PrimitiveBesides,
): string {
  const { verdicts, overviews, sources } = newest;
  const picture = headlinePicture(newest, headline, labels?.get(primitive));
  const otherCurves = newestCurves(newest)
    .map(({ curve }) => pictureOfCurve(curve))
    .filter(({ file }) => file !== picture?.file);
  const methodIn = (scenario: string) => methodOf(newest, scenario);
  const known = withOthers(newest);
  const own = labels?.get(primitive);
  const races = verdicts.races.filter(({ scenario }) => headline.has(scenario));
  const overviewTexts = overviews.flatMap(
    (then) => overviewText(entitled(then, overview), known, overviews.length > 1, methodIn) ?? [],
  );
  return [
    `# Results: ${primitive}\n`,
    `${question}\n`,
    sourcesInShort(sources),
    ...(answer === undefined ? [] : [answer.text]),
    ...folded("Ratios and measurements of the competitors that it names", [
      evidenceText(answer?.text ?? "", known),
    ]),
    ...(picture === undefined ? [] : [image(picture)]),
    ...folded("Figures of several scenarios side by side", overviewTexts),
    ...folded("The leaders of each, with a link to its page", [scenariosText(newest, own)]),
    ...folded("The highest ratio of each to another, over all scenarios", regretText(verdicts.races, own)),
    ...folded("Pairs of the same steps", yardsticksText(races, own)),
    ...folded("Its tables", headlineTexts(newest, headline, own)),
    ...folded("The picture", otherCurves.map(entitledImage)),
    ...folded("A table for each worker count", tailTexts(verdicts.metrics)),
    ...(flames.length === 0
      ? []
      : [`## Flamegraphs\n\n${list(flames.map(({ title, file }) => `[${title}](${file})`))}`]),
    ...sections,
    ...footTexts(newest),
  ].join("\n");
}

/** Sections with something to say, each folded away under its own heading. */
function folded(summary: string, texts: readonly string[]): string[] {
  return texts.filter((text) => text !== "").map((text) => foldedUnderHeading(summary, text));
}

/** The provenance of the numbers, in one line. */
export function sourcesInShort(sources: readonly Source[]): string {
  const records = sources.map(({ record }) => record);
  return `${records.length === 1 ? shortProvenance(records[0]!) : severalInShort(records)}.\n`;
}

/** The end of a folder's page: the provenance of its numbers and the legend of its tables, folded, and its records. */
export function footTexts({ sources, verdicts }: Newest): string[] {
  return [
    ...folded("Machine, commit, load and command", [
      [PROVENANCE_HEADING, ...provenanceTexts(sources)].join("\n"),
    ]),
    ...folded("What columns and words mean", howToRead(verdicts)),
    madeFrom(...sources.map(({ file }) => file)),
  ];
}

function provenanceTexts(sources: readonly Source[]): string[] {
  if (sources.length === 1) return [provenanceText(sources[0]!.record, racedOn(sources[0]!.record))];
  return sources.map((source) => {
    const { file, record, scenarios } = source;
    const isShared = (scenario: string) =>
      sources.some((other) => other !== source && other.scenarios.has(scenario));
    const names = [
      ...[...scenarios.keys()].map((scenario) =>
        isShared(scenario) ? `${scenario} (${ownCountsText(source, scenario)})` : scenario,
      ),
      ...[...source.others.keys()].map((scenario) => `${scenario} (others)`),
      ...[...source.states.keys()].map((scenario) => `${scenario} (another state)`),
    ];
    const more = [...racedOn(record), ["Scenarios", names.join(", ")] as const];
    return `### ${file}\n\n${provenanceText(record, more)}`;
  });
}

/** A record's overview under today's title, if today's overview still has the same columns. */
function entitled(then: OverviewRecord, today: Overview | undefined): OverviewRecord {
  return isDeepStrictEqual(then.columns, today?.columns) ? { ...then, title: today!.title } : then;
}

/** The tables of the headline scenarios; only those of races where an overview has the other figures. */
function headlineTexts(newest: Newest, headline: ReadonlySet<string>, labels: Labels | undefined): string[] {
  const isHeadline = ({ scenario }: { readonly scenario: string }) => headline.has(scenario);
  const { overviews, verdicts } = newest;
  const isOneRecord = newest.sources.length === 1;
  const races = verdicts.races
    .filter(isHeadline)
    .map((judged) =>
      underHeading(foremostText(judged, 2, labels), [
        ...(isOneRecord ? [] : [scenarioProvenance(newest, judged.scenario)]),
        `Errors, counters, remarks and absent competitors are on [its own page](${scenarioFile(judged.scenario)}).\n`,
      ]),
    );
  if (overviews.length > 0) return races;
  return [...races, ...verdicts.metrics.filter(isHeadline).map((judged) => metricsText(judged, 2))];
}

/** The tables of each family of tails, one for each worker count. */
function tailTexts(metrics: readonly JudgedMetrics[]): string[] {
  const tails = metrics.flatMap((judged) =>
    judged.tail === undefined ? [] : [{ judged, tail: judged.tail }],
  );
  const families = Map.groupBy(tails, ({ judged, tail }) => `${judged.primitive}/${tail.family}`);
  return [...families].map(([name, family]) => {
    const links = family.map(({ judged: { scenario } }) => `[${scenario}](${scenarioFile(scenario)})`);
    return [
      `## ${name}: response times of single operations\n`,
      `Times in us from when an operation was due. How that was surveyed, and what else was seen: ${links.join(", ")}.\n`,
      ...family.map(({ judged, tail }) => toMarkdown(foremostTailTable(judged, tail), { headingLevel: 3 })),
    ].join("\n");
  });
}

interface ScenarioSection {
  readonly scenario: string;
  readonly text: string;
  readonly isRace: boolean;
}

/** Everything of each scenario, under a heading of the first level. */
function scenarioSections(newest: Newest, besides: Besides): ScenarioSection[] {
  const { simulations, verdicts } = newest;
  return [
    ...verdicts.races.map((judged) => ({
      scenario: judged.scenario,
      text: raceSection(sourcesOf(newest, judged.scenario)[0].record, judged, 1, besides),
      isRace: true,
    })),
    ...verdicts.metrics.map((judged) => ({
      scenario: judged.scenario,
      text: metricsSection(judged, simulationOf(simulations, judged), 1, [judged.scenario], besides),
      isRace: false,
    })),
  ];
}

function flamesText(flames: readonly Flame[], scenario: string): string[] {
  const own = flames.filter((flame) => flame.scenario === scenario);
  return own.length === 0 ? [] : ["## Flamegraphs\n", ...own.map(image)];
}
