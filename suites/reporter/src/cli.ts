#!/usr/bin/env node
/** `benchmark-reporter-markdown REPORT`, and with a second report what changed: markdown on stdout. */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { HarnessOptions } from "./harness-options.ts";
import { compareReports, fromReport } from "./reports.ts";
import { toMarkdown } from "./table.ts";

const USAGE = `benchmark-reporter-markdown REPORT [options]          the table of a report, as markdown on stdout
benchmark-reporter-markdown BEFORE AFTER [options]    what changed from one report to the other

REPORT is JSON: what vitest bench wrote, mitata's result, or a Bench of tinybench.

  --title TEXT           the heading
  --statistic NAME       compare by median (default) or mean
  --baseline NAME        the benchmark that the others of its group are compared with; of one report
  --sort NAME            run (default), median, mean or name; of one report
  --columns KEY,KEY      short (default), all, or the columns' keys; of one report
  --time-unit UNIT       auto (default), ns, us, ms or s
  --help

Exits with 0, or with 2 and one line on stderr for what cannot be read.
`;

/** What the options may be is for the tables to say. */
function main(): string {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      title: { type: "string" },
      statistic: { type: "string" },
      baseline: { type: "string" },
      sort: { type: "string" },
      columns: { type: "string" },
      "time-unit": { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return USAGE;
  const [first, second, ...others] = positionals;
  if (first === undefined || others.length > 0)
    throw new Error(`${positionals.length} reports are named: give one, or two to compare (see --help)`);
  const { title, statistic, baseline, sort, columns } = values;
  const common = { title, statistic, timeUnit: values["time-unit"] } as HarnessOptions;
  if (second !== undefined) {
    if ([baseline, sort, columns].some((value) => value !== undefined))
      throw new Error("--baseline, --sort and --columns are of one report: remove them to compare two");
    return toMarkdown(compareReports(read(first), read(second), common));
  }
  const isSet = columns === undefined || columns === "short" || columns === "all";
  const keys = isSet ? (columns ?? "short") : columns.split(",");
  return toMarkdown(fromReport(read(first), { ...common, baseline, sort, columns: keys } as HarnessOptions));
}

function read(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(code === undefined ? `${path} is not JSON` : `${path} cannot be read (${code})`);
  }
}

try {
  process.stdout.write(main());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message.split("\n")[0] : error}\n`);
  process.exitCode = 2;
}
