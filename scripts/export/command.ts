import { command, runCommand } from "../../suites/engine/schema/command.ts";
import { recordToday } from "../../suites/engine/schema/names.ts";
import { readRecord } from "../../suites/engine/schema/record.ts";
import { EXIT, orUsageError, sayWritten, UsageError } from "../../suites/engine/schema/usage.ts";
import { writeWhole } from "../../suites/lab/store/results.ts";
import { loadFormerNames } from "../../suites/lab/store/standings.ts";
import { judgedSource } from "./figures.ts";
import { exportRecords, parseFormat } from "./formats.ts";

const COMMAND = command({
  about: "Converts records for other tools, which track trends over many runs and machines.",
  usage: { "npm run -s export -- --format FORMAT [--out FILE] RECORD...": "" },
  isPath: () => true,
  options: {
    format: { value: "FORMAT", help: "github-action-benchmark, bencher, benchstat or otava" },
    out: {
      value: "FILE",
      isPath: true,
      help: "write to this file, whole or not at all, instead of printing",
    },
  },
  after: `github-action-benchmark
      JSON for the action's tool customSmallerIsBetter. Each cell of a race has two
      entries: its median in ns, and "<cell> ratio", its ratio to the baseline. Gate
      on the ratio: absolute times move with the machine, a ratio's two sides shared
      one. The action has one threshold for all entries of a file, so gate on a file
      of ratios:
          jq '[.[] | select(.unit == "x baseline")]'
      Simulations and surveys are not exported: a record does not say whether more
      or less of a metric is better.
    bencher
      Bencher Metric Format, for its adapter json. A benchmark is a cell; a race has
      the measures latency (ns, 99 % interval) and ratio (to the baseline). Each
      metric of a simulation (median and 5 to 95 % of its seeds) or survey (median
      and range of its processes) is a measure named after it and its unit:
      bytes-filled-b-timer.
    benchstat
      Go's benchmark text: for each fork of a race one line, with its median over
      the rounds that count and its number of operations; for each process of a
      survey one line with its metrics. -N behind a name is the number of workers;
      rows with more workers than cores have /oversubscribed=yes. benchstat gives
      intervals from six samples on: --profile full. Simulations are not exported:
      their samples repeat to the last digit, so there is no chance to test for.
          benchstat -col /competitor FILE    compare competitors with their baseline
          benchstat -col commit FILE         compare the commits in one file
          benchstat -ignore commit OLD NEW   compare files
    otava
      CSV for Apache Otava: a row for each run, oldest first; the columns time,
      commit, machine, runtime and method, and one for each figure: "<cell>" in ns,
      "<cell>:ratio" to the baseline, "<cell>:<metric>" of simulations and surveys.
      Parts of one run share its row. Otava refuses a metric with an empty field,
      and takes a file for one series: one machine, one method.
          metrics:
            cas-ring: { column: pick/uniform-8/cas-ring/2w:ratio, direction: -1 }

    All formats hold baselines and rivals, but no controls. Cells without a number are
    omitted, never 0, and counted on stderr. Rows with more workers than cores are
    marked in benchstat and, as extra, in github-action-benchmark; the other two have
    no place for it. Only benchstat and otava take records of several runs; the other
    two have one value for each cell and refuse a second. Records of smoke size or of
    different methods are refused, and so are interrupted ones until they are resumed.`,
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
  else write(options.out, text);
  for (const remark of remarks) process.stderr.write(`${remark}\n`);
  if (leftOut.length > 0) process.stderr.write(`${leftOutLine(leftOut)}\n`);
  return EXIT.ok;
});

function write(path: string, text: string): void {
  try {
    writeWhole(path, text);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `${path} cannot be written (${code}): make it writable, or choose another with --out FILE`,
    );
  }
  sayWritten([path]);
}

function leftOutLine(leftOut: readonly string[]): string {
  const more = leftOut.length - NAMES_SHOWN;
  const names = [...leftOut.slice(0, NAMES_SHOWN), ...(more > 0 ? [`${more} more`] : [])].join(", ");
  return `left out, having no number: ${leftOut.length} (${names})`;
}
