import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { contractOf, primitives } from "../../../structures/catalog.ts";
import type { JudgedScenario } from "../../engine/schema/verdict.ts";
import { toMarkdown } from "../../reporter/src/index.ts";
import type { Overview } from "../../shared/vocabulary.ts";
import { CORES_ITEM, coresPage } from "../cores/page/pages.ts";
import { isCoresPicture } from "../cores/page/pictures.ts";
import {
  type Cores,
  coresChoice,
  coresFigures,
  coresSection,
  drawCoresSection,
} from "../cores/page/section.ts";
import { codesIn, whyText } from "../cores/page/why.ts";
import { newestCores, PUBLISHED_CORES, readCores } from "../cores/record.ts";
import { ANSWER_FILE } from "../pages/answer.ts";
import { verdictsPage } from "../pages/calibration/calibration-verdicts.ts";
import { CHOICES_FILE, choicesPage } from "../pages/choices.ts";
import { DEPENDS_FILE, dependsPage } from "../pages/depends.ts";
import { frontDoorPage, type Review } from "../pages/front-door.ts";
import { elsewhereTexts, HOSTS_FILE, hostsPage, overviewText } from "../pages/hosts/hosts.ts";
import { machinesPage } from "../pages/hosts/machines.ts";
import {
  methodOf,
  type Newest,
  newestCurves,
  newestOf,
  type RecordFile,
  sourcesOf,
  withOthers,
} from "../pages/newest.ts";
import {
  briefHeadline,
  headlinePicture,
  type PrimitiveBesides,
  primitivePages,
} from "../pages/primitive-pages.ts";
import { filesText } from "../pages/provenance.ts";
import { runtimesPage } from "../pages/runtime-pages.ts";
import { FOLDER_PAGE } from "../pages/scenarios.ts";
import { type DocumentSection, statementsPage } from "../pages/statements.ts";
import { drawBrief, drawCurve, drawScenarios, isPictureFile } from "../pictures/charts.ts";
import { drawFlame, flameTitle, pictureOfFlame } from "../pictures/flames.ts";
import { drawHosts } from "../pictures/hosts.ts";
import { pictureOfRanking } from "../pictures/ratios.ts";
import type { LoadedSuite } from "../plan/asked.ts";
import { flameToday } from "../schema/flame.ts";
import { type FormerNames, recordToday } from "../schema/names.ts";
import { RecordSchema } from "../schema/record.ts";
import { readRecord } from "../schema/record-file.ts";
import { type JudgedRecord, VerdictSchema } from "../schema/verdict.ts";
import { loadDocuments } from "../statements/documents.ts";
import { judgeDocument } from "../statements/judge-document.ts";
import { loadSuites } from "../suites.ts";
import { asWritten } from "../tables/as-written.ts";
import { left } from "../tables/columns.ts";
import { foldedAway, list, withoutPadding } from "../tables/markdown.ts";
import type { Labels } from "../tables/races.ts";
import type { BetweenRuns, Repeat } from "../verdicts/between-runs.ts";
import { type HostsTable, hostsTables } from "../verdicts/hosts.ts";
import { readAnswer } from "./answer.ts";
import { newestCalibrations, othersBeside } from "./calibration.ts";
import { publishedFlames } from "./flames.ts";
import { publishedHosts } from "./hosts.ts";
import { loadFormerNames, loadLabels, traitsOf } from "./labels.ts";
import { MANIFEST, manifestText } from "./manifest.ts";
import { withQuotes } from "./quotes.ts";
import { betweenRunsIn, type PublishedRepeat, readWholeRuns, repeatOf, repeatsFiles } from "./repeats.ts";
import {
  MACHINES_FOLDER,
  publishedFolder,
  publishingMachines,
  RESULTS,
  recordsIn,
  writeAll,
} from "./results.ts";
import { RETIRED_FILE, retiredPage } from "./retired.ts";

/**
 * Every file of the repository that is made by the lab rather than written: the result pages with their pictures, the
 * statements of the sources, the shelf, the record's JSON Schema, the package's exports, and the rows that the README quotes. `npm run report` writes them; a
 * test holds them to what is committed.
 */
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** The page of what competes. It is made from code alone, so it is behind while a competitor is being written. */
export const SHELF = join(ROOT, "structures", FOLDER_PAGE);

/** The primitives in the order in which their results are read; any other follows them. */
export const READING_ORDER = [
  "pick",
  "upstreams",
  "locks",
  "keyed",
  "timers",
  "deadlines",
  "heartbeats",
  "connections",
  "limits",
  "metrics",
  "ownership",
  "draws",
  "slots",
  "dispatch",
  "queues",
];

/**
 * Of each primitive that has published records the newest of what they say of today's scenarios: on the lab's own
 * runtime, and on several. Pages are of the machine with the most records, so that a single record from another machine
 * does not change them. Only a scenario that it has not measured has a page of another.
 */
export interface Published {
  /** The whole runs that show how runs differ. */
  readonly repeats: readonly PublishedRepeat[];
  readonly newest: ReadonlyMap<string, Newest>;
  readonly newestOnRuntimes: ReadonlyMap<string, Newest>;
  /** The newest on the lab's own runtime of each machine, the one of all pages first. */
  readonly byMachine: readonly ReadonlyMap<string, Newest>[];
  /** The rows that several kinds of hosts raced, also in whole runs that were repeated. */
  readonly onHosts: readonly HostsTable[];
}

/** Judges what is published, which takes seconds: a caller that needs it twice keeps it. */
export async function loadPublished(): Promise<Published> {
  const suites = await loadSuites();
  const formerNames = await loadFormerNames();
  const repeats = readWholeRuns(formerNames);
  const betweenRuns = betweenRunsIn(repeats);
  const newest = (onRuntimes: boolean, machine?: string) =>
    newestOfAll(suites, formerNames, onRuntimes, machine, betweenRuns);
  const byMachine = publishingMachines().map((machine) => newest(false, machine));
  return {
    repeats,
    newest: newest(false),
    newestOnRuntimes: newest(true),
    byMachine,
    onHosts: hostsTables(publishedHosts(byMachine, repeats)),
  };
}

function newestOfAll(
  suites: readonly LoadedSuite[],
  formerNames: FormerNames,
  onRuntimes: boolean,
  machine: string | undefined,
  betweenRuns: BetweenRuns | undefined,
): ReadonlyMap<string, Newest> {
  return new Map(
    suites.flatMap(({ suite: { primitive, scenarios } }) => {
      const records = recordFiles(primitive, onRuntimes, formerNames, machine);
      const names = scenarios.map(({ scenario }) => scenario);
      const newest = newestOf(records, names, betweenRuns);
      return newest === undefined ? [] : [[primitive, newest] as const];
    }),
  );
}

/**
 * The published records of a primitive under today's names, newest last: on the lab's own runtime, or on several. They are
 * those of one machine, or of all: then those of the machine with the most records come last, as if no other were newer.
 */
export function recordFiles(
  primitive: string,
  onRuntimes: boolean,
  formerNames: FormerNames,
  machine?: string,
): RecordFile[] {
  const machines = publishingMachines();
  const place = ({ record }: Pick<RecordFile, "record">) => machines.indexOf(record.machine.slug);
  return recordsIn(publishedFolder(primitive, onRuntimes), readRecord)
    .filter(({ record }) => machine === undefined || record.machine.slug === machine)
    .toSorted((a, b) => place(b) - place(a))
    .map(({ path, record }) => ({ file: basename(path), record: recordToday(record, formerNames) }));
}

/** A primitive that races, and what is said of it besides its records. */
interface Described {
  readonly primitive: string;
  readonly question: string;
  readonly labels: ReadonlyMap<string, Labels>;
  readonly overview: Overview | undefined;
  readonly headline: ReadonlySet<string>;
}

async function describedPrimitives(loaded: readonly LoadedSuite[]): Promise<Described[]> {
  const suites = new Map(loaded.map(({ suite }) => [suite.primitive, suite]));
  const labels = await loadLabels();
  return Promise.all(
    primitives().map(async (primitive) => {
      const { question } = await contractOf(primitive);
      const { scenarios = [], overview } = suites.get(primitive) ?? {};
      const headline = scenarios.filter((scenario) => scenario.headline).map(({ scenario }) => scenario);
      return { primitive, question, labels, overview, headline: new Set(headline) };
    }),
  );
}

/** The pages and pictures of a primitive, beside its records. Absolute path to text. */
async function resultFiles(
  { primitive, ...described }: Described & Pick<PrimitiveBesides, "onHosts" | "why">,
  newest: Newest,
  sections: readonly DocumentSection[],
  formerNames: FormerNames,
  cores: Cores | undefined,
): Promise<[path: string, text: string][]> {
  const folder = join(RESULTS, primitive);
  const answer = readAnswer(folder);
  const known = { answer: answer?.text, labels: described.labels.get(primitive) };
  const flames = publishedFlames(primitive).map(({ name, record }) => {
    return { name, record: flameToday(record, formerNames) };
  });
  const pages = primitivePages(primitive, newest, {
    ...described,
    documents: sections
      .map(({ judged }) => judged)
      .filter(({ document }) => document.primitive === primitive),
    answer,
    sections: cores === undefined ? [] : coresSection(cores, primitive, known),
    flames: flames.map(({ name, record: flame }) => ({
      ...pictureOfFlame(name, flame),
      scenario: flame.profiled.cell.split("/")[1]!,
      title: asWritten(flameTitle(flame)),
    })),
  });
  const { headline, labels } = described;
  const atAGlance = { headline, labels: labels.get(primitive) };
  const pictures = new Map<string, string>();
  for (const [files, part] of partsByFiles(newest)) {
    for (const [file, svg] of await drawScenarios(part, files, atAGlance)) pictures.set(file, svg);
  }
  const brief = briefHeadline(newest, headline, atAGlance.labels, answer);
  if (brief !== undefined) {
    const [{ record, file }] = sourcesOf(newest, brief.judged.scenario);
    for (const drawn of await drawBrief(brief, record, file)) pictures.set(...drawn);
  }
  for (const { curve, source } of newestCurves(newest)) {
    pictures.set(...(await drawCurve(curve, source.record, source.file)));
  }
  for (const { name, record: flame } of flames) {
    pictures.set(...(await drawFlame(name, flame)));
  }
  const simulated = cores === undefined ? [] : await drawCoresSection(cores, primitive, known);
  for (const [file, svg] of simulated) pictures.set(file, svg);
  return [...pages, ...pictures].map(([file, text]) => [join(folder, file), text]);
}

/** The page of a primitive on several runtimes, beside its records of that. Absolute path to text. */
function runtimesFile({ primitive, ...described }: Described, newest: Newest): [path: string, text: string] {
  return [join(publishedFolder(primitive, true), FOLDER_PAGE), runtimesPage(primitive, newest, described)];
}

/** What is drawn of the newest, apart by the files that it is of: a picture names these. */
function partsByFiles(newest: Newest): ReadonlyMap<string, JudgedRecord> {
  const { races, metrics } = newest.verdicts;
  const names = new Set([...races, ...metrics].map(({ scenario }) => scenario));
  const byFiles = Map.groupBy(names, (scenario) => filesText(newest, scenario));
  return new Map(
    [...byFiles].map(([files, scenarios]) => {
      const isOwn = ({ scenario }: { readonly scenario: string }) => scenarios.includes(scenario);
      const [{ record }] = sourcesOf(newest, scenarios[0]!);
      const { simulations, surveys = [] } = record;
      const part: JudgedRecord = {
        record: { ...record, simulations: simulations.filter(isOwn), surveys: surveys.filter(isOwn) },
        verdicts: { races: races.filter(isOwn), metrics: metrics.filter(isOwn) },
      };
      return [files, part];
    }),
  );
}

/** Every primitive as the page of all results shows it, in the order in which results are read. */
function doorplates(
  described: readonly Described[],
  { newest, newestOnRuntimes, onHosts }: Published,
  cores: Cores | undefined,
) {
  const elsewhere = elsewhereTexts(onHosts);
  const place = ({ primitive }: Described) => READING_ORDER.indexOf(primitive) + 1 || Number.MAX_VALUE;
  return described
    .toSorted((a, b) => place(a) - place(b))
    .map(({ primitive, question, headline, labels }) => {
      const published = newest.get(primitive);
      const answer = published === undefined ? undefined : readAnswer(join(RESULTS, primitive));
      return {
        primitive,
        races: published?.verdicts.races ?? [],
        metrics: published?.verdicts.metrics ?? [],
        question,
        answer,
        picture: published && pictureInBrief(published, headline, labels.get(primitive), answer),
        isPublished: published !== undefined,
        isOnRuntimes: newestOnRuntimes.has(primitive),
        elsewhere,
        labels: labels.get(primitive),
        remark: cores && coresChoice(cores, primitive, { labels: labels.get(primitive) }),
        simulated: cores && coresFigures(cores, primitive, { labels: labels.get(primitive) }),
      };
    });
}

/** The headline picture as the page of all results shows it. */
function pictureInBrief(
  ...[newest, headline, labels, answer]: Parameters<typeof briefHeadline>
): ReturnType<typeof headlinePicture> {
  const brief = briefHeadline(newest, headline, labels, answer);
  return brief === undefined ? headlinePicture(newest, headline, labels) : pictureOfRanking(brief);
}

function readReviews(): Review[] {
  const folder = join(RESULTS, "reviews");
  return readdirSync(folder)
    .filter((file) => file.endsWith(".md"))
    .sort()
    .map((file) => ({ file, text: readFileSync(join(folder, file), "utf8") }));
}

/** The documents of the sources, each held against the newest of its primitive, where that has any. */
function documentSections(newest: ReadonlyMap<string, Newest>): DocumentSection[] {
  return loadDocuments().flatMap((document) => {
    const found = newest.get(document.primitive);
    if (found === undefined) return [];
    const judged = judgeDocument(document, withOthers(found), (scenario) => methodOf(found, scenario));
    return [{ judged, sources: found.sources }];
  });
}

/**
 * Pictures and pages of results that are not among the generated `paths`: of a scenario that was renamed, say. Where a
 * folder opens with a generated page all its pages are generated, but the one that people write. Absolute paths.
 */
export function staleFiles(paths: Iterable<string>, results = RESULTS): string[] {
  const generated = new Set(paths);
  const isOfTheLab = (path: string) =>
    path.endsWith(".md")
      ? generated.has(join(dirname(path), FOLDER_PAGE)) && basename(path) !== ANSWER_FILE
      : isPictureFile(basename(path)) || isCoresPicture(basename(path));
  return readdirSync(results, { recursive: true, encoding: "utf8" })
    .map((file) => join(results, file))
    .filter((path) => isOfTheLab(path) && !generated.has(path));
}

/**
 * Published records, as absolute paths, from which nothing is made any more: newer ones have all that they are of. What
 * they were is in the history of the repository.
 */
export function supersededRecords({ byMachine, newestOnRuntimes }: Published): string[] {
  const supersededBy = (newer: readonly ReadonlyMap<string, Newest>[], onRuntimes: boolean) =>
    primitives().flatMap((primitive) => {
      const sources = newer.flatMap((of) => of.get(primitive)?.sources ?? []);
      const used = new Set(sources.map(({ file }) => file));
      const records = recordsIn(publishedFolder(primitive, onRuntimes), readRecord).map(({ path }) => path);
      return records.filter((path) => !used.has(basename(path)));
    });
  return [
    ...supersededBy(byMachine, false),
    ...supersededBy([newestOnRuntimes], true),
    ...newestCalibrations().superseded,
    ...recordsIn(PUBLISHED_CORES, readCores)
      .slice(0, -1)
      .map(({ path }) => path),
  ];
}

/** Generated files by absolute path: of these primitives, by default all, and the files about every primitive. */
export async function generatedFiles(
  published: Published,
  of: ReadonlySet<string> = new Set(primitives()),
): Promise<Map<string, string>> {
  const described = await describedPrimitives(await loadSuites());
  const formerNames = await loadFormerNames();
  const shown = asWritten(published);
  const { newest, newestOnRuntimes, onHosts } = shown;
  const cores = newestCores();
  const sections = documentSections(newest);
  const noting = [...newest.values()].flatMap(({ sources }) => sources);
  const codes = codesIn([...published.repeats, ...noting].map(({ record }) => record));
  const why = (race: JudgedScenario) => whyText(race, cores?.record, codes);
  const files: [path: string, text: string][] = [];
  for (const each of described.filter(({ primitive }) => of.has(primitive))) {
    const own = newest.get(each.primitive);
    if (own !== undefined) {
      const more = { onHosts: onHosts.filter(({ primitive }) => primitive === each.primitive), why };
      const besides = { ...each, ...more };
      files.push(...(await resultFiles(besides, own, sections, formerNames, cores)));
    }
    const onRuntimes = newestOnRuntimes.get(each.primitive);
    if (onRuntimes !== undefined) files.push(runtimesFile(each, onRuntimes));
  }
  return withQuotingPage([
    ...files,
    ...(sections.length === 0
      ? []
      : [[join(RESULTS, "statements", FOLDER_PAGE), statementsPage(sections)] as const]),
    ...calibrationFiles(),
    ...(cores === undefined ? [] : [[join(PUBLISHED_CORES, FOLDER_PAGE), coresPage(cores)] as const]),
    ...(await indexFiles(described, shown)),
    ...(await drawHosts(onHosts)).map(([file, svg]) => [join(RESULTS, file), svg] as const),
    ...repeatsFiles(published.repeats, published.byMachine.flatMap(runsOf)),
    schemaFile("record", RecordSchema),
    schemaFile("verdict", VerdictSchema),
  ]);
}

/** These files, and the README with the rows that it quotes of them and of others. */
function withQuotingPage(files: readonly (readonly [path: string, text: string])[]): Map<string, string> {
  const all = new Map(
    files.map(([path, text]) => [path, path.endsWith(".md") ? withoutPadding(text) : text]),
  );
  const readme = join(ROOT, FOLDER_PAGE);
  const pageAt = (page: string) => all.get(join(ROOT, page)) ?? readFileSync(join(ROOT, page), "utf8");
  return all.set(readme, withQuotes(readFileSync(readme, "utf8"), pageAt));
}

/** The published records of a machine, each as a run. */
function runsOf(newest: ReadonlyMap<string, Newest>): Repeat[] {
  const sources = [...newest.values()].flatMap((own) => own.sources);
  return sources.map(({ record, verdicts }) => repeatOf(record, verdicts.races));
}

/** A JSON Schema for other tools, beside the module that it is made from. */
function schemaFile(name: string, schema: object): [path: string, text: string] {
  const path = join(ROOT, "suites", "engine", "schema", `${name}.schema.json`);
  return [path, `${JSON.stringify(schema, null, 2)}\n`];
}

/** What names every primitive or competitor. */
async function indexFiles(
  described: readonly Described[],
  published: Published,
): Promise<[path: string, text: string][]> {
  const cores = newestCores();
  const plates = doorplates(described, published, cores);
  return [
    [
      join(RESULTS, FOLDER_PAGE),
      frontDoorPage(
        plates,
        readReviews(),
        cores === undefined ? [] : [CORES_ITEM],
        overviewText(published.onHosts),
      ),
    ],
    [join(RESULTS, CHOICES_FILE), choicesPage(plates)],
    [join(RESULTS, DEPENDS_FILE), dependsPage(plates)],
    [join(RESULTS, HOSTS_FILE), hostsPage(published.onHosts)],
    [join(RESULTS, RETIRED_FILE), retiredPage()],
    ...machinesFiles(published),
    [SHELF, await shelf(published.newest)],
    [MANIFEST, manifestText()],
  ];
}

/** The page of machines, where any has published. */
function machinesFiles({ byMachine }: Published): [path: string, text: string][] {
  const machines = byMachine.flatMap((newest) => {
    const [first] = [...newest.values()].flatMap(({ sources }) => sources);
    return first === undefined ? [] : [first.record.machine];
  });
  return machines.length === 0 ? [] : [[join(MACHINES_FOLDER, FOLDER_PAGE), machinesPage(machines)]];
}

/** The pages of the newest published calibrations: of a machine left alone, and beside a disturbance. */
function calibrationFiles(): [path: string, text: string][] {
  const { alone, disturbed } = newestCalibrations();
  const files = [
    { file: FOLDER_PAGE, newest: alone },
    { file: DISTURBED_PAGE, newest: disturbed },
  ];
  return files.flatMap(({ file, newest }): [path: string, text: string][] => {
    if (newest === undefined) return [];
    const { path, record } = newest;
    return [[join(dirname(path), file), verdictsPage(record, basename(path), othersBeside(record))]];
  });
}

/** Beside the page of verdicts that were calibrated on a machine left alone. */
const DISTURBED_PAGE = "disturbed.md";

/** Makes generated files again (see `generatedFiles`); returns their paths. */
export async function writeGenerated(published: Published, of?: ReadonlySet<string>): Promise<string[]> {
  return writeAll(await generatedFiles(published, of));
}

/** Makes the files again that a new primitive or competitor is named in, and no picture; returns their paths. */
export async function writeIndexes(): Promise<string[]> {
  const described = await describedPrimitives(await loadSuites());
  return writeAll(new Map(await indexFiles(described, await loadPublished())));
}

/** The shelf: what competes, primitive by primitive, with a link to the table where the primitive is in `published`. */
async function shelf(published: ReadonlyMap<string, Newest>): Promise<string> {
  const sections = await Promise.all(
    primitives().map((primitive) => shelfOf(primitive, published.has(primitive))),
  );
  return [
    "# The shelf\n",
    "What competes, by primitive. Every competitor's file begins with its promise, its cost and the bet it stands for.\n",
    ...sections,
    "Made by `npm run report` from the competitors' own descriptions. Do not edit.\n",
  ].join("\n");
}

async function shelfOf(primitive: string, isPublished: boolean): Promise<string> {
  const contract = await contractOf(primitive);
  const competitors = await traitsOf(primitive);
  const table = toMarkdown({
    title: primitive,
    provenance: [["Question", contract.question]],
    columns: [
      left("competitor", "Competitor"),
      left("summary", "What it is"),
      left("progress", "Progress"),
      left("memory", "Memory"),
    ],
    rows: competitors.map(({ name, traits }) => ({
      cells: {
        competitor: `[${name}](${primitive}/competitors/${name}.ts)`,
        summary: traits.summary,
        progress: traits.progress,
        memory: contract.footprint(traits),
      },
    })),
    legend: isPublished ? [`Current table: [results/${primitive}](../results/${primitive}/README.md)`] : [],
  });
  const sources = competitors.map(({ name, traits }) => `${name}: ${traits.source}`);
  return [table, foldedAway("Where the ideas come from", list(sources))].join("\n");
}
