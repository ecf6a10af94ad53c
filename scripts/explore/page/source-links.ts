import { scenarioFile } from "../../../suites/lab/pages/scenarios.ts";
import { isOnRuntimes } from "../../../suites/lab/schema/record-file.ts";
import { type Html, html } from "./html.ts";
import type { RecordFile } from "./site-data.ts";

/** To a record, and to the page that has the tables of the scenario. */
export function sourceLinks(
  { source, scenario }: { readonly source: RecordFile; readonly scenario: string },
  primitive: string,
  repository: string,
): Html {
  if (source.isOwn) return html`${source.file} is yours.`;
  const page = isOnRuntimes(source.record) ? "README.md" : scenarioFile(scenario);
  const folder = `${repository}${folderOf(source, primitive)}`;
  return html`<a href="${folder}/${source.file}">Record</a>, <a href="${folder}/${page}">page</a>`;
}

/** Where a record is published. */
export function folderOf({ record }: Pick<RecordFile, "record">, primitive: string): string {
  return isOnRuntimes(record) ? `results/runtimes/${primitive}` : `results/${primitive}`;
}
