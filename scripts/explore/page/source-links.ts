import { scenarioFile } from "../../../suites/lab/pages/scenarios.ts";
import { type Html, html } from "./html.ts";
import type { RecordFile } from "./site-data.ts";

/** To a record, and to the page that has the tables of the scenario. */
export function sourceLinks(
  { source, scenario }: { readonly source: RecordFile; readonly scenario: string },
  primitive: string,
  repository: string,
): Html {
  if (source.isOwn) return html`${source.file} is yours.`;
  const folder = `${repository}${folderOf(primitive)}`;
  return html`<a href="${folder}/${source.file}">Record</a>, <a href="${folder}/${scenarioFile(scenario)}">page</a>`;
}

/** Where records of a primitive are published. */
export function folderOf(primitive: string): string {
  return `results/${primitive}`;
}
