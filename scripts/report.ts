import { basename, relative } from "node:path";
import type { ParseArgsConfig } from "node:util";
import { judgeRecord } from "../suites/engine/judge/judge.ts";
import type { Block } from "../suites/engine/render/blocks.ts";
import { provenanceOf, recordPage } from "../suites/engine/render/pages.ts";
import { raceBlocks, type Standings } from "../suites/engine/render/races.ts";
import { simulationTable, surveyTable } from "../suites/engine/render/tables.ts";
import { printBlocks } from "../suites/engine/render/terminal.ts";
import { recordToday } from "../suites/engine/schema/names.ts";
import { type BenchRecord, readRecord, type Seen } from "../suites/engine/schema/record.ts";
import { EXIT, orUsageError, parseArguments, runScript, UsageError } from "../suites/engine/schema/usage.ts";
import { newestPublished, staleFiles, writeGenerated } from "../suites/engine/store/generated.ts";
import { loadFormerNames, loadStandings } from "../suites/engine/store/standings.ts";

const HELP = `Makes tables and pictures from records alone; measures nothing.

usage: npm run report
           make every generated page and picture of the repository again
       npm run -s report -- RECORD...
           print the tables of these records for a terminal
       npm run -s report -- --markdown RECORD...
           print them as markdown pages: > page.md
       npm run -s report -- --summary [RECORD...]
           print one JSON line for each judged cell of these records, or of what
           is published, each scenario from the newest record that has it:
             {"cell","unit","median","ratio","low","high","verdict","sees",
              "forks","flags"}
           ratio, low and high are to the baseline of the cell's group and null
           where there is none; sees is the least difference that would have
           been told, as a share; median is null and verdict "no number" where
           the cell has none

Tables fit the terminal, or 80 columns where there is none. NO_COLOR=1 turns
colours off.

exit codes: 0 done; 2 a record cannot be read, or the request was wrong
`;

const OPTIONS = {
  markdown: { type: "boolean", default: false },
  summary: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const satisfies ParseArgsConfig["options"];

await runScript(async () => {
  const { options, words: paths } = parseArguments(OPTIONS);
  if (options.help) {
    process.stdout.write(HELP);
    return EXIT.ok;
  }
  if (options.markdown && options.summary) {
    throw new UsageError("--markdown and --summary are two ways to print records: leave one away");
  }
  if (options.markdown && paths.length === 0) {
    throw new UsageError(
      "--markdown prints records: name one or more, or leave --markdown away to make all pages again",
    );
  }
  if (paths.length === 0 && options.summary) {
    for (const { seen } of (await newestPublished()).values()) process.stdout.write(summaryOf(seen));
    return EXIT.ok;
  }
  if (paths.length === 0) {
    const written = await writeGenerated();
    for (const path of written) process.stderr.write(`wrote ${relative(process.cwd(), path)}\n`);
    for (const path of staleFiles(written)) {
      process.stderr.write(`stale: ${relative(process.cwd(), path)} is made from no record: delete it\n`);
    }
    return EXIT.ok;
  }
  // All are read before the first is printed: a damaged one leaves no half of an answer behind.
  const formerNames = await loadFormerNames();
  const records = orUsageError(() =>
    paths.map((path) => ({ path, record: recordToday(readRecord(path), formerNames) })),
  );
  const standings = await loadStandings();
  for (const { path, record } of records) {
    if (options.summary) process.stdout.write(summaryOf(record));
    else if (options.markdown)
      process.stdout.write(recordPage("Results", record, basename(path), { standings }));
    else printBlocks(process.stdout, blocksOf(record, basename(path), standings));
  }
  return EXIT.ok;
});

/** A record's tables for a person at a terminal; `source` is the name of its file. */
function blocksOf(record: BenchRecord, source: string, standings: ReadonlyMap<string, Standings>): Block[] {
  return [
    {
      title: `Results of ${source}`,
      items: provenanceOf(record).map(([label, value]) => `${label}: ${value}`),
    },
    ...judgeRecord(record).flatMap((judged) => raceBlocks(judged, standings.get(judged.primitive))),
    ...record.simulations.map(simulationTable),
    ...(record.surveys ?? []).map(surveyTable),
    "How to read the tables stands below those that `npm run -s report -- --markdown RECORD` prints.",
  ];
}

function summaryOf(seen: Pick<Seen, "groups">): string {
  return judgeRecord(seen)
    .flatMap(({ operation, rows }) => rows.map((row) => `${JSON.stringify(summaryLine(row, operation))}\n`))
    .join("");
}

function summaryLine(row: ReturnType<typeof judgeRecord>[number]["rows"][number], operation: string) {
  const common = { cell: row.cell, unit: `ns/${operation}` };
  if (row.noNumber !== undefined) {
    const flags = [row.noNumber];
    const none = { median: null, ratio: null, low: null, high: null };
    return { ...common, ...none, verdict: "no number", sees: null, forks: null, flags };
  }
  const ratio = row.ratio ?? (row.verdict === "baseline" ? { value: 1, low: 1, high: 1 } : undefined);
  return {
    ...common,
    median: row.median,
    ratio: ratio?.value ?? null,
    low: ratio?.low ?? null,
    high: ratio?.high ?? null,
    verdict: row.verdict,
    sees: row.sees ?? null,
    forks: row.forks,
    flags: row.flags,
  };
}
