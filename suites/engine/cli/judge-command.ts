import { FEWEST_VALUES } from "../series/alerts.ts";
import { judgeAll, textOf } from "../series/judge-series.ts";
import { FORMATS, type Format, seriesIn } from "../series/read-series.ts";
import { command, helpText, parseLine } from "./command-line.ts";
import { UsageError } from "./usage.ts";
import { parseName, parseWhole } from "./values.ts";

/** `hotpath-race judge`. */
const JUDGE = command({
  about: "Says of each series when its level changed, and by how much, or that it did not.",
  usage: { "hotpath-race judge (--csv | --data | --bencher) FILE... [options]": "" },
  options: {
    csv: {
      value: "FILE",
      help: "columns series, value, and date (ISO 8601) or index; commit and unit are optional",
    },
    data: {
      value: "FILE",
      help: "data.js of github-action-benchmark; it is read, not executed",
    },
    bencher: {
      value: "FILE",
      help: "JSON of bencher perf; or files in Bencher Metric Format, a run each, oldest first",
    },
    last: {
      value: "N",
      default: "1000",
      help: "judge the newest N points of each series, 12 to 5000; 1000 if absent",
    },
    "larger-is-better": { help: "of all series, whatever their unit", notWith: "smaller-is-better" },
    "smaller-is-better": { help: "the same" },
    "fail-on": { value: "slower", help: "exit with 3 if the newest step of any series is a slow-down" },
    json: { help: "print the answer as JSON" },
  },
  after: `Smaller is better for times, sizes and unknown units; larger is better for rates, as ops/s. If a series changes its
    unit from ns to us, say, points are converted; units of two kinds are refused. A step needs 5 points before it, and 7
    behind it. Two do if they are far beyond all noise, and by half before point 30. Steps below 0.3 % are not reported. A
    step may be the machine's: only the same kind of machine compares.

    Simulated on 26 November 2026, with 1 % of noise and 60 points: of 1,000 series without a step, 1 was said to have one,
    3 where each point resembled the one before (autocorrelation 0.5), and 1 with 3 % of outliers. A step of 5 % was found
    in 200 of 200 series, in 114 of 200, and in 198 of 200. Of the second kind, 85 more say that they cannot tell. Of 1,000
    series from two kinds of machine that take turns by chance, 20 % apart, 20 were said to have a step.`,
  exits: { 0: "it was judged", 2: "the request or a file is wrong", 3: "see --fail-on" },
});

const MOST_LAST = 5000;

/** What `hotpath-race judge` prints for these arguments, and its exit code. Throws an Error with one line for wrong ones. */
export function judgeCommand(args: readonly string[]): { readonly text: string; readonly exitCode: 0 | 3 } {
  const { options, words } = parseLine(JUDGE, args);
  if (options.help) return { text: helpText(JUDGE), exitCode: 0 };
  const [format, ...others] = (Object.keys(FORMATS) as Format[]).filter(
    (name) => options[name] !== undefined,
  );
  if (format === undefined || others.length > 0)
    throw new UsageError("give one of --csv, --data and --bencher FILE");
  const { "larger-is-better": larger, "smaller-is-better": smaller, "fail-on": failOn } = options;
  if (failOn !== undefined) parseName("--fail-on", failOn, ["slower"]);
  const last = parseWhole("--last", options.last, FEWEST_VALUES, MOST_LAST);
  const series = seriesIn([options[format]!, ...words], format);
  const judged = judgeAll(series, { last, ...(larger || smaller ? { isLargerBetter: larger } : {}) });
  const isSlower = judged.some(({ steps }) => steps.at(-1)?.isWorse);
  return {
    text: options.json ? `${JSON.stringify({ version: 1, series: judged }, undefined, 2)}\n` : textOf(judged),
    exitCode: failOn === "slower" && isSlower ? 3 : 0,
  };
}
