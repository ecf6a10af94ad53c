import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { competitorsOf, contractOf, loadCompetitor, primitives } from "../../../structures/catalog.ts";
import type { Claims } from "../../../structures/shared/claims.ts";
import { RecordSchema, readRecord } from "../record/record.ts";
import { publishedRecords, writeAll } from "../record/store.ts";
import { type Table, toMarkdown } from "./benchmark-reporter-markdown/src/index.ts";
import { recordPage } from "./pages.ts";

/**
 * Every file of the repository that is made by the lab rather than written: the result pages, the shelf and the
 * record's JSON Schema. `npm run report` writes them; a test holds them to what is committed.
 */
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** The newest published record of each primitive that has one. */
export function newestRecords(): string[] {
  return primitives().flatMap((primitive) => publishedRecords(primitive).slice(-1));
}

/** The page of each published record in `paths`, which stands beside it. Absolute path to text. */
function resultPages(paths: readonly string[]): Map<string, string> {
  return new Map(
    paths.map((path) => {
      const folder = dirname(path);
      return [
        join(folder, "README.md"),
        recordPage(`Results: ${basename(folder)}`, readRecord(path), basename(path)),
      ];
    }),
  );
}

/** All generated files, by absolute path. */
export async function generatedFiles(): Promise<Map<string, string>> {
  const newest = newestRecords();
  const published = new Set(newest.map((path) => basename(dirname(path))));
  return new Map([
    ...resultPages(newest),
    [join(ROOT, "structures", "README.md"), await shelf(published)],
    [
      join(ROOT, "suites", "engine", "record", "record.schema.json"),
      `${JSON.stringify(RecordSchema, null, 2)}\n`,
    ],
  ]);
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
