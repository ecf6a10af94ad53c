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
import type { PagePart, Picture } from "../tables/markdown.ts";
import { foldedAway, image, list, pageText, withoutHeading } from "../tables/markdown.ts";
import { overviewText } from "../tables/overview.ts";
import type { Labels } from "../tables/races.ts";
import { foremostTailTable } from "../tables/tables.ts";
import type { HostsTable } from "../verdicts/hosts.ts";
import type { Answer } from "./answer.ts";
import { ANSWER_FILE } from "./answer.ts";
import { evidenceText, namesIn } from "./evidence.ts";
import { hostsOfScenario } from "./hosts/hosts.ts";
import {
  hasSeveralMethods,
  methodOf,
  type Newest,
  newestCurves,
  type OfOtherState,
  type Others,
  withOthers,
} from "./newest.ts";
import {
  type Besides,
  entitledImage,
  foremostText,
  headlineSections,
  howToRead,
  scenarioSections,
  scenarioText,
} from "./pages.ts";
import { footParts, madeFrom, shortProvenance, sourcesInShort } from "./provenance.ts";
import { FOLDER_PAGE, scenarioFile, scenariosText } from "./scenarios.ts";
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
  /** What is known of why the competitors of a race differ. */
  readonly why?: (race: JudgedScenario) => readonly string[];
}

/** A published flamegraph, beside the records. */
export interface Flame extends Picture {
  readonly scenario: string;
  /** The scenario, competitor and workers that it shows. */
  readonly title: string;
}

/** All pages of a primitive, by file name. Throws an Error for a scenario whose page would overwrite the answer. */
export function primitivePages(
  primitive: string,
  newest: Newest,
  besides: PrimitiveBesides,
): Map<string, string> {
  const folder = folderParts(primitive, newest, besides);
  const { headline, labels, onHosts = [], flames, why = () => [] } = besides;
  const own = labels?.get(primitive);
  const sections = scenarioSections(primitive, newest, { ...besides, pictured: { headline, labels: own } });
  const pages = sections.map(({ scenario, head, section, sources }) => {
    const file = scenarioFile(scenario);
    if (file === ANSWER_FILE) {
      throw new Error(`the page of ${primitive}/${scenario} would overwrite ${file}: rename the scenario`);
    }
    const others = newest.others.filter(({ judged }) => judged.scenario === scenario);
    const ofStates = newest.ofOtherStates.filter(({ judged }) => judged.scenario === scenario);
    const all = new Set([...sources, ...[...others, ...ofStates].map(({ source }) => source)]);
    const parts = [
      { ...section, paragraphs: [...head, ...hostsOfScenario(onHosts, scenario), ...section.paragraphs] },
      ...others.map((older) => olderText(older, own)),
      ...ofStates.map((older) => ofStateText(older, own)),
      ...newest.verdicts.races.filter((race) => race.scenario === scenario).flatMap(why),
      ...flamesText(flames, scenario),
      madeFrom(...[...all].map((source) => source.file)),
    ];
    return [file, parts] as const;
  });
  return new Map([[FOLDER_PAGE, folder] as const, ...pages].map(([file, parts]) => [file, pageText(parts)]));
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

/** In brief, the ranking that the headline picture shows, with what the answer names first; undefined where it shows none. */
export function briefHeadline(
  newest: Newest,
  headline: ReadonlySet<string>,
  labels: Labels | undefined,
  answer: Pick<Answer, "inShort"> | undefined,
): Ranking | undefined {
  const file = headlinePicture(newest, headline, labels)?.file;
  const ranking = newest.verdicts.races
    .flatMap((judged) => rankingOf(judged, labels) ?? [])
    .find((one) => pictureOfRanking(one).file === file);
  return ranking && briefRanking(ranking, namesIn(answer?.inShort ?? ""));
}

function folderParts(
  primitive: string,
  newest: Newest,
  { question, answer, overview, headline, labels, flames, sections = [] }: PrimitiveBesides,
): PagePart[] {
  const { verdicts, overviews, sources } = newest;
  const own = labels?.get(primitive);
  const picture = headlinePicture(newest, headline, own);
  const otherCurves = newestCurves(newest)
    .map(({ curve }) => pictureOfCurve(curve))
    .filter(({ file }) => file !== picture?.file);
  const methods = {
    isMixed: hasSeveralMethods(newest),
    methodIn: (scenario: string) => methodOf(newest, scenario),
  };
  const known = withOthers(newest);
  const tables = headlineSections(newest, headline, own);
  const foot = footParts(sources, howToRead(verdicts));
  const races = verdicts.races.filter(({ scenario }) => headline.has(scenario));
  const overviewTexts = overviews.flatMap(
    (then) => overviewText(entitled(then, overview), known, overviews.length > 1, methods.methodIn) ?? [],
  );
  const folded = (summary: string, texts: readonly string[]) => texts.map((text) => ({ text, summary }));
  return [
    `# Results: ${primitive}\n`,
    `${question}\n`,
    sourcesInShort(sources),
    ...(answer === undefined ? [] : [answer.text]),
    ...folded("Ratios and measurements of the competitors that it names", [
      evidenceText(answer?.text ?? "", known),
    ]),
    ...(picture === undefined ? [] : [picture]),
    ...folded("Figures of several scenarios side by side", overviewTexts),
    ...folded("The leaders of each, with a link to its page", [scenariosText(verdicts, methods, own)]),
    ...folded("Pairs of the same steps", yardsticksText(races, own)),
    ...tables.map((table) => ({ ...table, summary: "Its tables" })),
    ...folded("The picture", otherCurves.map(entitledImage)),
    ...folded("A table for each worker count", tailTexts(verdicts.metrics)),
    ...(flames.length === 0
      ? []
      : [`## Flamegraphs\n\n${list(flames.map(({ title, file }) => `[${title}](${file})`))}`]),
    ...sections,
    ...foot,
  ];
}

/** A record's overview under today's title, if today's overview still has the same columns. */
function entitled(then: OverviewRecord, today: Overview | undefined): OverviewRecord {
  return isDeepStrictEqual(then.columns, today?.columns) ? { ...then, title: today!.title } : then;
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

function flamesText(flames: readonly Flame[], scenario: string): string[] {
  const own = flames.filter((flame) => flame.scenario === scenario);
  return own.length === 0 ? [] : ["## Flamegraphs\n", ...own.map(image)];
}
