import { writeWhole } from "../../suites/engine/measure/machine/write-whole.ts";
import { command, runCommand } from "../../suites/lab/command/command.ts";
import { EXIT, orUsageError, sayWritten, UsageError } from "../../suites/lab/command/usage.ts";
import { recordToday } from "../../suites/lab/schema/names.ts";
import { readRecord } from "../../suites/lab/schema/record-file.ts";
import { loadFormerNames } from "../../suites/lab/store/labels.ts";
import { judgedSource } from "./figures.ts";
import { exportRecords, FORMAT_NAMES, FORMATS_HELP, parseFormat } from "./formats.ts";

const COMMAND = command({
  about: "Converts records for other tools, which track trends over many runs and machines.",
  usage: { "npm run -s export -- --format FORMAT [--out FILE] RECORD...": "" },
  isPath: () => true,
  options: {
    format: { value: "FORMAT", help: FORMAT_NAMES.join(", ") },
    out: {
      value: "FILE",
      isPath: true,
      help: "write to this file, whole or not at all, instead of printing",
    },
  },
  after: `${FORMATS_HELP}

    Both formats hold baselines and rivals, but no controls. Cells without a number are
    omitted, never 0, and counted on stderr. Rows with more workers than cores are
    marked in benchstat and, as extra, in github-action-benchmark. Only benchstat
    takes records of several runs; the other has one value for each cell and refuses
    a second. Records of smoke size or of different methods are refused, and so are
    interrupted ones until they are resumed. Bencher reads benchstat by its adapter
    go_bench.`,
  exits: {
    0: "done",
    2: "there is nothing to export, or it cannot be",
  },
});

/** The most omitted names printed; the rest is counted. */
const NAMES_SHOWN = 5;

await runCommand(COMMAND, async ({ options, words: paths }) => {
  const format = parseFormat(options.format);
  if (paths.length === 0) throw new UsageError("no record is named: give the paths of one or more records");
  const formerNames = await loadFormerNames();
  const { text, leftOut, remarks } = orUsageError(() =>
    exportRecords(
      format,
      paths.map((path) => judgedSource(path, recordToday(readRecord(path), formerNames))),
    ),
  );
  if (options.out === undefined) process.stdout.write(text);
  else {
    writeWhole(options.out, text);
    sayWritten([options.out]);
  }
  for (const remark of remarks) process.stderr.write(`${remark}\n`);
  if (leftOut.length > 0) process.stderr.write(`${leftOutLine(leftOut)}\n`);
  return EXIT.ok;
});

function leftOutLine(leftOut: readonly string[]): string {
  const more = leftOut.length - NAMES_SHOWN;
  const names = [...leftOut.slice(0, NAMES_SHOWN), ...(more > 0 ? [`${more} more`] : [])].join(", ");
  return `left out, having no number: ${leftOut.length} (${names})`;
}
