import { basename } from "node:path";
import { terminalOf } from "../suites/engine/table/stream.ts";
import { command, runCommand } from "../suites/lab/command/command.ts";
import { EXIT, orUsageError, sayWritten, shownPath, UsageError } from "../suites/lab/command/usage.ts";
import type { Newest } from "../suites/lab/pages/newest.ts";
import { recordPage } from "../suites/lab/pages/pages.ts";
import { provenanceOf } from "../suites/lab/pages/provenance.ts";
import { recordToday } from "../suites/lab/schema/names.ts";
import { checkOneMethod, readRecord } from "../suites/lab/schema/record-file.ts";
import { type JudgedRecord, verdictText } from "../suites/lab/schema/verdict.ts";
import { outdatedAnswers } from "../suites/lab/store/answer.ts";
import {
  generatedFiles,
  loadPublished,
  staleFiles,
  supersededRecords,
} from "../suites/lab/store/generated.ts";
import { loadFormerNames, loadLabels } from "../suites/lab/store/labels.ts";
import { readBetweenRuns } from "../suites/lab/store/repeats.ts";
import { writeAll } from "../suites/lab/store/results.ts";
import { type Block, blocksTerminal } from "../suites/lab/tables/blocks.ts";
import { type Labels, raceBlocks } from "../suites/lab/tables/races.ts";
import { metricsTable } from "../suites/lab/tables/tables.ts";
import { printWhileRead } from "../suites/lab/tables/terminal.ts";
import { judgedRecord } from "../suites/lab/verdicts/judge-record.ts";

const COMMAND = command({
  about: "Makes tables and pictures from records; measures nothing.",
  usage: {
    "npm run report": `make every generated page and picture of the repository again, and name the answers that are
      older than a record in their tables`,
    "npm run -s report -- RECORD...": "print the tables of these records for a terminal",
    "npm run -s report -- --markdown RECORD...": "print them as markdown pages: > page.md",
    "npm run -s report -- --verdicts [RECORD...]": `print their verdicts, or the published ones (each scenario from
      the newest record that has it): a JSON line for each scenario and one for each of its rows
      (suites/engine/schema/verdict.schema.json). Local records have them in a file .verdicts.ndjson beside them`,
  },
  isPath: () => true,
  options: {
    markdown: { help: "markdown pages instead of tables for a terminal" },
    verdicts: { help: "one JSON line for each row instead" },
  },
  after: "Tables fit the terminal, or 80 columns where there is none. NO_COLOR=1 turns colours off.",
  exits: {
    0: "done",
    1: "an answer is older than a record in its tables: each is named",
    2: "a record cannot be read, or the request was wrong",
  },
});

await runCommand(COMMAND, async ({ options, words: paths }) => {
  if (options.markdown && options.verdicts) {
    throw new UsageError("--markdown and --verdicts exclude each other: remove one");
  }
  if (options.markdown && paths.length === 0) {
    throw new UsageError(
      "--markdown prints records: name one or more, or remove --markdown to make all pages again",
    );
  }
  if (paths.length === 0 && options.verdicts) {
    const { newest } = await loadPublished();
    sayMethods(newest);
    await printWhileRead(process.stdout, newest.values(), ({ verdicts }) => verdictText(verdicts));
    return EXIT.ok;
  }
  if (paths.length === 0) {
    const published = await loadPublished();
    const files = await generatedFiles(published);
    sayWritten(writeAll(files));
    for (const path of staleFiles([...files.keys()])) {
      process.stderr.write(`stale: ${shownPath(path)} is made from no record: delete it\n`);
    }
    for (const path of supersededRecords(published)) {
      process.stderr.write(`superseded: ${shownPath(path)} has nothing that newer records lack: delete it\n`);
    }
    const outdated = outdatedAnswers(published.newest);
    for (const path of outdated) {
      process.stderr.write(
        `outdated: ${shownPath(path)} is older than a record in its tables: read both, then change its date\n`,
      );
    }
    return outdated.length === 0 ? EXIT.ok : EXIT.failed;
  }
  // All are read before the first is printed: a damaged one leaves no half of an answer behind.
  const formerNames = await loadFormerNames();
  const records = orUsageError(() =>
    paths.map((name) => ({ name, record: recordToday(readRecord(name), formerNames) })),
  );
  // The lines of verdicts do not say which record they are of.
  if (options.verdicts) orUsageError(() => checkOneMethod(records, "print each method by itself"));
  const [labels, betweenRuns] = [await loadLabels(), readBetweenRuns()];
  const textOf = ({ name, record }: (typeof records)[number]): string => {
    const judged = judgedRecord(record, betweenRuns);
    if (options.verdicts) return verdictText(judged.verdicts);
    if (options.markdown) return recordPage("Results", judged, basename(name), { labels });
    return blocksTerminal(blocksOf(judged, basename(name), labels), terminalOf(process.stdout, process.env));
  };
  await printWhileRead(process.stdout, records, textOf);
  return EXIT.ok;
});

/** A scenario is published as it was measured last, and not all were since the method changed. */
function sayMethods(published: ReadonlyMap<string, Newest>): void {
  const sources = [...published.values()].flatMap((newest) => newest.sources);
  const methods = [...new Set(sources.map(({ record }) => record.methodVersion))].sort((a, b) => a - b);
  if (methods.length < 2) return;
  process.stderr.write(
    `verdicts of methods ${methods.join(" and ")} do not compare: the page of each scenario says which it is of\n`,
  );
}

/** A record's tables for a person at a terminal; `source` is the name of its file. */
function blocksOf(
  { record, verdicts }: JudgedRecord,
  source: string,
  labels: ReadonlyMap<string, Labels>,
): Block[] {
  return [
    {
      title: `Results of ${source}`,
      items: provenanceOf(record).map(([label, value]) => `${label}: ${value}`),
    },
    ...verdicts.races.flatMap((judged) => raceBlocks(judged, labels.get(judged.primitive))),
    ...verdicts.metrics.map(metricsTable),
    "How to read the tables stands below those that `npm run -s report -- --markdown RECORD` prints.",
  ];
}
