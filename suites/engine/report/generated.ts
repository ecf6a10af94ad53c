import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { competitorsOf, contractOf, loadCompetitor, primitives } from "../../../structures/catalog.ts";
import type { Claims } from "../../../structures/shared/claims.ts";
import { judgeClaims } from "../judge/claims.ts";
import { loadSourceClaims } from "../load.ts";
import { newestCrosscheck } from "../record/crosscheck.ts";
import { type BenchRecord, RecordSchema, readRecord } from "../record/record.ts";
import { readRulerRecord } from "../record/ruler.ts";
import { publishedRecords, RESULTS, recordsIn, writeAll } from "../record/store.ts";
import { readAnswer } from "./answer.ts";
import { type Table, toMarkdown } from "./benchmark-reporter-markdown/src/index.ts";
import { drawPictures, isPictureFile } from "./charts.ts";
import { type ClaimsSection, claimsPage } from "./claims.ts";
import { crosscheckPage } from "./crosscheck.ts";
import { recordPage } from "./pages.ts";
import { rulerPage } from "./ruler.ts";

/**
 * Every file of the repository that is made by the lab rather than written: the result pages with their pictures,
 * the claims of the sources, the shelf and the record's JSON Schema. `npm run report` writes them; a test holds them to
 * what is committed.
 */
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** The newest published record of each primitive that has one. */
export function newestRecords(): string[] {
  return primitives().flatMap((primitive) => publishedRecords(primitive).slice(-1));
}

/** The page of each published record, by path, and the pictures it shows, beside the record. Absolute path to text. */
async function resultFiles(
  records: ReadonlyMap<string, BenchRecord>,
  sections: readonly ClaimsSection[],
): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const [path, record] of records) {
    const folder = dirname(path);
    const page = recordPage(`Results: ${basename(folder)}`, record, basename(path), {
      pictured: true,
      claims: sections.filter((section) => section.record === record).map(({ judged }) => judged),
      answer: readAnswer(folder),
    });
    files.set(join(folder, "README.md"), page);
    for (const [file, svg] of await drawPictures(record, basename(path))) files.set(join(folder, file), svg);
  }
  return files;
}

/** The claims of the sources, each held against the newest record of its primitive, where that has one. */
async function claimsSections(newest: ReadonlyMap<string, BenchRecord>): Promise<ClaimsSection[]> {
  return (await loadSourceClaims()).flatMap((claims) => {
    const found = [...newest].find(([path]) => basename(dirname(path)) === claims.primitive);
    if (found === undefined) return [];
    const [path, record] = found;
    return [{ judged: judgeClaims(claims, record), record, source: basename(path) }];
  });
}

/** Pictures of results that are not among the generated `paths`: of a scenario that was renamed, say. Absolute paths. */
export function stalePictures(paths: Iterable<string>, results = RESULTS): string[] {
  const generated = new Set(paths);
  return readdirSync(results, { recursive: true, encoding: "utf8" })
    .filter((file) => isPictureFile(basename(file)))
    .map((file) => join(results, file))
    .filter((path) => !generated.has(path));
}

/** All generated files, by absolute path. */
export async function generatedFiles(): Promise<Map<string, string>> {
  // Read once each: a record is judged for its page, its pictures and its claims, and judging is remembered by record.
  const newest = new Map(newestRecords().map((path) => [path, readRecord(path)]));
  const published = new Set([...newest.keys()].map((path) => basename(dirname(path))));
  const sections = await claimsSections(newest);
  return new Map([
    ...(await resultFiles(newest, sections)),
    ...(sections.length === 0 ? [] : [[join(RESULTS, "claims", "README.md"), claimsPage(sections)] as const]),
    ...rulerFiles(),
    ...crosscheckFiles(),
    [join(ROOT, "structures", "README.md"), await shelf(published)],
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
    .map(({ path, record }) => [join(folder, "README.md"), rulerPage(record, basename(path))]);
}

/** The page of the newest published crosscheck, where there is one. */
function crosscheckFiles(): [path: string, text: string][] {
  const newest = newestCrosscheck();
  if (newest === undefined) return [];
  const { path, record } = newest;
  return [[join(dirname(path), "README.md"), crosscheckPage(record, basename(path))]];
}

/** Makes all generated files again; returns their paths. */
export async function writeGenerated(): Promise<string[]> {
  return writeAll(await generatedFiles());
}

/** The shelf: what competes, primitive by primitive, with a link to the table of those in `published`. */
async function shelf(published: ReadonlySet<string>): Promise<string> {
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
  const rows = await Promise.all(
    competitorsOf(primitive).map(async ({ name, url }): Promise<Table["rows"][number]> => {
      const competitor: Claims = await loadCompetitor(url, contract);
      return {
        cells: {
          competitor: `[${name}](${primitive}/${name}.ts)`,
          summary: competitor.summary,
          progress: competitor.progress,
          memory: contract.footprint(competitor),
          source: competitor.source,
        },
      };
    }),
  );
  const left = (key: string, title: string) => ({ key, title, align: "left" as const });
  return toMarkdown({
    title: primitive,
    provenance: [["Question", contract.question]],
    columns: [
      left("competitor", "Competitor"),
      left("summary", "What it is"),
      left("progress", "Progress"),
      left("memory", "Memory"),
      left("source", "Source"),
    ],
    rows,
    legend: isPublished ? [`Current table: [results/${primitive}](../results/${primitive}/README.md)`] : [],
  });
}
