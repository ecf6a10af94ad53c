import { formatNumber, formatRatio } from "../../suites/reporter/src/index.ts";
import type { Format, Race } from "./figures.ts";

/**
 * For benchmark-action/github-action-benchmark, tool `customSmallerIsBetter`: an array of
 * `{name, unit, value, range?, extra?}` (its README.md, "Tools", and `BenchmarkResult` in its src/extract.ts).
 *
 * Only races. Less is better for their time and for the ratio to the baseline. A record does not say which way the
 * metrics of simulations and surveys are good. The ratio is an entry of its own because the action compares an entry
 * with what it was before, perhaps on another machine. The ratio's two sides shared one.
 */

/** The unit of the entries of ratios, which distinguishes them from times. */
const RATIO_UNIT = "x baseline";

interface Entry {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  readonly range?: string;
  readonly extra: string;
}

export const githubActionBenchmark: Format = {
  help: `
      JSON for the action's tool customSmallerIsBetter. Each cell of a race has two
      entries: its median in ns, and "<cell> ratio", its ratio to the baseline. Gate
      on the ratio: absolute times move with the machine, a ratio's two sides shared
      one. The action has one threshold for all entries of a file, so gate on a file
      of ratios:
          jq '[.[] | select(.unit == "x baseline")]'
      Simulations and surveys are not exported: a record does not say whether more
      or less of a metric is better.`,
  holdsRuns: false,
  metrics: [],
  differences: ["commit", "machine", "runtime"],
  consequence: (differences) =>
    `the records differ in ${differences}, and the action files all entries under one commit`,
  write({ races }) {
    const entries = races.flatMap((race) => [timeEntry(race), ...ratioEntries(race)]);
    return { text: `${JSON.stringify(entries, null, 2)}\n`, values: entries.length };
  },
};

function timeEntry(race: Race): Entry {
  const { cell, operation, row } = race;
  return {
    name: cell,
    unit: `ns/${operation}`,
    value: row.median,
    ...(row.error === undefined ? {} : { range: `± ${formatNumber(row.error)}` }),
    extra: [
      ...(row.ratio === undefined ? [] : [`ratio to baseline ${formatRatio(row.ratio)}`]),
      ...remarksOn(race),
    ].join("\n"),
  };
}

/** None for the baseline, and where there is no baseline with a number. */
function ratioEntries(race: Race): Entry[] {
  const { cell, row } = race;
  if (row.ratio === undefined) return [];
  const { value, low, high } = row.ratio;
  const range = Number.isFinite(high) ? { range: `${formatNumber(low)} to ${formatNumber(high)}` } : {};
  return [{ name: `${cell} ratio`, unit: RATIO_UNIT, value, ...range, extra: remarksOn(race).join("\n") }];
}

function remarksOn({ oversubscribed, row: { verdict, forks, flags } }: Race): string[] {
  return [
    verdict,
    `${forks} fork${forks === 1 ? "" : "s"}`,
    ...(oversubscribed ? ["oversubscribed"] : []),
    ...flags,
  ];
}
