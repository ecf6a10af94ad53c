import { basename, relative } from "node:path";
import type { ParseArgsConfig } from "node:util";
import { judgeRecord } from "../suites/engine/judge/judge.ts";
import { type BenchRecord, readRecord } from "../suites/engine/record/record.ts";
import { newestRecords, stalePictures, writeGenerated } from "../suites/engine/report/generated.ts";
import { recordPage } from "../suites/engine/report/pages.ts";
import { EXIT, orUsageError, parseArguments, runScript } from "../suites/engine/usage.ts";

const HELP = `Makes tables and pictures from records alone; measures nothing.

usage: npm run report                        make every generated page and picture of the repository again
       npm run -s report -- RECORD...        print the tables of these records
       npm run -s report -- --summary [RECORD...]
                                             print one JSON line for each judged cell of these
                                             records, or of the newest published ones:
         {"cell","unit","median","ratio","low","high","verdict","flags"}
         ratio, low and high are to the baseline of the cell's group and null where there
         is none; median is null and verdict "no number" where the cell has none.

exit codes: 0 done; 2 a record cannot be read
`;

const OPTIONS = {
  summary: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const satisfies ParseArgsConfig["options"];

await runScript(async () => {
  const { options, words: paths } = parseArguments(OPTIONS);
  if (options.help) {
    process.stdout.write(HELP);
    return EXIT.ok;
  }
  if (paths.length === 0 && !options.summary) {
    const written = await writeGenerated();
    for (const path of written) process.stderr.write(`wrote ${relative(process.cwd(), path)}\n`);
    for (const path of stalePictures(written)) {
      process.stderr.write(`stale: ${relative(process.cwd(), path)} is made from no record: delete it\n`);
    }
    return EXIT.ok;
  }
  const chosen = paths.length > 0 ? paths : newestRecords();
  // All are read before the first is printed: a damaged one leaves no half of an answer behind.
  const records = orUsageError(() => chosen.map((path) => ({ path, record: readRecord(path) })));
  for (const { path, record } of records) {
    process.stdout.write(options.summary ? summaryOf(record) : recordPage("Results", record, basename(path)));
  }
  return EXIT.ok;
});

function summaryOf(record: BenchRecord): string {
  return judgeRecord(record)
    .flatMap(({ operation, rows }) => rows.map((row) => `${JSON.stringify(summaryLine(row, operation))}\n`))
    .join("");
}

function summaryLine(row: ReturnType<typeof judgeRecord>[number]["rows"][number], operation: string) {
  const common = { cell: row.cell, unit: `ns/${operation}` };
  if (row.noNumber !== undefined) {
    const flags = [row.noNumber];
    return { ...common, median: null, ratio: null, low: null, high: null, verdict: "no number", flags };
  }
  const ratio = row.ratio ?? (row.verdict === "baseline" ? { value: 1, low: 1, high: 1 } : undefined);
  return {
    ...common,
    median: row.median,
    ratio: ratio?.value ?? null,
    low: ratio?.low ?? null,
    high: ratio?.high ?? null,
    verdict: row.verdict,
    flags: row.flags,
  };
}
