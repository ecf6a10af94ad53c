import { isOnRuntimes } from "../../../suites/engine/schema/record.ts";
import { scenarioFile } from "../../../suites/lab/pages/scenarios.ts";
import type { RecordFile } from "./site-data.ts";

/** Where a record is published. */
export function folderOf({ record }: Pick<RecordFile, "record">, primitive: string): string {
  return isOnRuntimes(record) ? `results/runtimes/${primitive}` : `results/${primitive}`;
}

/** To the record of what is shown, and to the page that has the tables of the scenario. */
export function SourceLinks({
  source,
  primitive,
  scenario,
  repository,
}: {
  source: RecordFile;
  primitive: string;
  scenario: string;
  repository: string;
}) {
  if (source.isOwn) return <>{source.file} is yours.</>;
  const folder = `${repository}${folderOf(source, primitive)}`;
  const page = isOnRuntimes(source.record) ? "README.md" : scenarioFile(scenario);
  return (
    <>
      <a href={`${folder}/${source.file}`}>Record</a>, <a href={`${folder}/${page}`}>page</a>
    </>
  );
}
