import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { contractOf, primitives } from "../../../structures/catalog.ts";
import { judgeClaims } from "../judge/claims.ts";
import { loadSourceClaims, loadSuites } from "../load.ts";
import { newestCrosscheck } from "../record/crosscheck.ts";
import { publishedFlames } from "../record/flame.ts";
import { type BenchRecord, RecordSchema, readRecord } from "../record/record.ts";
import { readRulerRecord } from "../record/ruler.ts";
import { publishedRecords, RESULTS, recordsIn, writeAll } from "../record/store.ts";
import type { Overview } from "../suite.ts";
import { ANSWER_FILE, readAnswer } from "./answer.ts";
import { toMarkdown } from "./benchmark-reporter-markdown/src/index.ts";
import { drawPictures, isPictureFile } from "./charts.ts";
import { type ClaimsSection, claimsPage } from "./claims.ts";
import { left } from "./columns.ts";
import { crosscheckPage } from "./crosscheck.ts";
import { flameAlt, flameSvg, flameTitle } from "./flames.ts";
import { frontDoorPage } from "./front-door.ts";
import { foldedAway, list } from "./markdown.ts";
import { FOLDER_PAGE, headlinePicture, primitivePages } from "./primitive-pages.ts";
import type { Standings } from "./races.ts";
import { rulerPage } from "./ruler.ts";
import { claimsOf, loadStandings } from "./standings.ts";

/**
 * Every file of the repository that is made by the lab rather than written: the result pages with their pictures, the
 * claims of the sources, the shelf and the record's JSON Schema. `npm run report` writes them; a test holds them to
 * what is committed.
 */
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** The primitives in the order in which their results are read; any other follows them. */
const READING_ORDER = ["pick", "locks", "timers", "heartbeats", "ownership", "draws", "slots", "dispatch"];

/** The newest published record of each primitive that has one. */
export function newestRecords(): string[] {
  return primitives().flatMap((primitive) => publishedRecords(primitive).slice(-1));
}

/** A primitive that races, and what is said of it besides its newest record. */
interface Described {
  readonly primitive: string;
  readonly question: string;
  readonly standings: ReadonlyMap<string, Standings>;
  readonly overview: Overview | undefined;
  readonly headline: ReadonlySet<string>;
}

/** A primitive with its newest record. */
interface Published {
  readonly record: BenchRecord;
  readonly path: string;
}

async function describedPrimitives(): Promise<Described[]> {
  const suites = new Map((await loadSuites()).map(({ suite }) => [suite.primitive, suite]));
  const standings = await loadStandings();
  return Promise.all(
    primitives().map(async (primitive) => {
      const { question } = await contractOf(primitive);
      const { scenarios = [], overview } = suites.get(primitive) ?? {};
      const headline = scenarios.filter((scenario) => scenario.headline).map(({ scenario }) => scenario);
      return { primitive, question, standings, overview, headline: new Set(headline) };
    }),
  );
}

/** The pages and pictures of a primitive, beside its record. Absolute path to text. */
async function resultFiles(
  { primitive, ...described }: Described,
  { record, path }: Published,
  sections: readonly ClaimsSection[],
): Promise<[path: string, text: string][]> {
  const folder = dirname(path);
  const flames = publishedFlames(primitive);
  const pages = primitivePages(primitive, record, basename(path), {
    ...described,
    claims: sections.filter((section) => section.record === record).map(({ judged }) => judged),
    answer: readAnswer(folder),
    flames: flames.map(({ name, record: flame }) => ({
      file: `${name}.svg`,
      scenario: flame.profiled.cell.split("/")[1]!,
      title: flameTitle(flame),
      alt: flameAlt(flame),
    })),
  });
  const { headline, standings } = described;
  const atAGlance = { headline, standings: standings.get(primitive) };
  const pictures = await drawPictures(record, basename(path), atAGlance);
  for (const { name, record: flame } of flames) pictures.set(`${name}.svg`, flameSvg(flame, `${name}.json`));
  return [...pages, ...pictures].map(([file, text]) => [join(folder, file), text]);
}

/** The page that the folder of results opens with. */
function frontDoor(described: readonly Described[], newest: ReadonlyMap<string, Published>): string {
  const place = ({ primitive }: Described) => READING_ORDER.indexOf(primitive) + 1 || Number.MAX_VALUE;
  const reviews = join(RESULTS, "reviews");
  return frontDoorPage(
    described
      .toSorted((a, b) => place(a) - place(b))
      .map(({ primitive, question, headline, standings }) => {
        const published = newest.get(primitive);
        const picture =
          published === undefined
            ? undefined
            : headlinePicture(published.record, headline, standings.get(primitive));
        const answer = published === undefined ? undefined : readAnswer(dirname(published.path));
        return { primitive, question, answer, picture, isPublished: published !== undefined };
      }),
    readdirSync(reviews)
      .filter((file) => file.endsWith(".md"))
      .sort()
      .map((file) => ({ file, text: readFileSync(join(reviews, file), "utf8") })),
  );
}

/** The claims of the sources, each held against the newest record of its primitive, where that has one. */
async function claimsSections(newest: ReadonlyMap<string, Published>): Promise<ClaimsSection[]> {
  return (await loadSourceClaims()).flatMap((claims) => {
    const found = newest.get(claims.primitive);
    if (found === undefined) return [];
    const { record, path } = found;
    return [{ judged: judgeClaims(claims, record), record, source: basename(path) }];
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
      : isPictureFile(basename(path));
  return readdirSync(results, { recursive: true, encoding: "utf8" })
    .map((file) => join(results, file))
    .filter((path) => isOfTheLab(path) && !generated.has(path));
}

/** All generated files, by absolute path. */
export async function generatedFiles(): Promise<Map<string, string>> {
  const described = await describedPrimitives();
  // Read once each: a record is judged for its pages, its pictures and its claims, and judging is remembered by record.
  const newest = new Map(
    newestRecords().map((path) => [basename(dirname(path)), { path, record: readRecord(path) }]),
  );
  const sections = await claimsSections(newest);
  const files: [path: string, text: string][] = [];
  for (const each of described) {
    const published = newest.get(each.primitive);
    if (published !== undefined) files.push(...(await resultFiles(each, published, sections)));
  }
  return new Map([
    ...files,
    [join(RESULTS, FOLDER_PAGE), frontDoor(described, newest)],
    ...(sections.length === 0 ? [] : [[join(RESULTS, "claims", FOLDER_PAGE), claimsPage(sections)] as const]),
    ...rulerFiles(),
    ...crosscheckFiles(),
    [join(ROOT, "structures", FOLDER_PAGE), await shelf(newest)],
    [
      join(ROOT, "suites", "engine", "record", "record.schema.json"),
      `${JSON.stringify(RecordSchema, null, 2)}\n`,
    ],
  ]);
}

/** The page of the newest published ruler record, where there is one. */
function rulerFiles(): [path: string, text: string][] {
  const folder = join(RESULTS, "ruler");
  return recordsIn(folder, readRulerRecord)
    .slice(-1)
    .map(({ path, record }) => [join(folder, FOLDER_PAGE), rulerPage(record, basename(path))]);
}

/** The page of the newest published crosscheck, where there is one. */
function crosscheckFiles(): [path: string, text: string][] {
  const newest = newestCrosscheck();
  if (newest === undefined) return [];
  const { path, record } = newest;
  return [[join(dirname(path), FOLDER_PAGE), crosscheckPage(record, basename(path))]];
}

/** Makes all generated files again; returns their paths. */
export async function writeGenerated(): Promise<string[]> {
  return writeAll(await generatedFiles());
}

/** The shelf: what competes, primitive by primitive, with a link to the table of those in `published`. */
async function shelf(published: ReadonlyMap<string, Published>): Promise<string> {
  const sections = await Promise.all(
    primitives().map((primitive) => shelfOf(primitive, published.has(primitive))),
  );
  return [
    "# The shelf\n",
    "What competes, by primitive. Every competitor's file begins with its promise, its cost and the bet it stands for.\n",
    ...sections,
    "Made by `npm run report` from the competitors' own claims. Do not edit.\n",
  ].join("\n");
}

async function shelfOf(primitive: string, isPublished: boolean): Promise<string> {
  const contract = await contractOf(primitive);
  const competitors = await claimsOf(primitive);
  const table = toMarkdown({
    title: primitive,
    provenance: [["Question", contract.question]],
    columns: [
      left("competitor", "Competitor"),
      left("summary", "What it is"),
      left("progress", "Progress"),
      left("memory", "Memory"),
    ],
    rows: competitors.map(({ name, claims }) => ({
      cells: {
        competitor: `[${name}](${primitive}/${name}.ts)`,
        summary: claims.summary,
        progress: claims.progress,
        memory: contract.footprint(claims),
      },
    })),
    legend: isPublished ? [`Current table: [results/${primitive}](../results/${primitive}/README.md)`] : [],
  });
  const sources = competitors.map(({ name, claims }) => `${name}: ${claims.source}`);
  return [table, foldedAway("Where the ideas come from", list(sources))].join("\n");
}
