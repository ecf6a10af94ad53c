import { isDecided, type Verdict } from "../../engine/judge/verdict.ts";
import type { JudgedMeasured, Ratio } from "../../engine/schema/verdict.ts";
import { isIntervalKnown, type Row } from "../../reporter/src/index.ts";
import { shownRatio } from "../verdicts/another-run.ts";

/**
 * How a table shows rows with more workers than cores. The processes of a run saw one regime of the scheduler, so where no
 * runs were repeated the verdict is of one run.
 */
export function asFactor(cells: Row["cells"], row: JudgedMeasured): Row["cells"] {
  if (row.ratio === undefined || row.kind === "baseline") return cells;
  const isOfOneRun = row.another === undefined && isDecided(row.verdict as Verdict);
  return {
    ...cells,
    ratio: factorText(shownRatio(row)!),
    ...(isOfOneRun ? { verdict: `${cells.verdict} in one run` } : {}),
  };
}

/** `about 2 (1.4-3.1)`: a factor has one significant digit, and the ends of its interval two. So has one that one would mislead. */
export function factorText(ratio: Ratio): string {
  const { value, low, high } = ratio;
  const interval = isIntervalKnown(ratio) ? `${roundedTo(2, low)}-${roundedTo(2, high)}` : "unknown";
  return `about ${roundedTo(oneDigitMisleads(ratio) ? 2 : 1, value)} (${interval})`;
}

/** Where it stands nearer to an end of the interval than to the estimate, by ratios. */
function oneDigitMisleads(ratio: Ratio): boolean {
  const { value, low, high } = ratio;
  const shown = Number(value.toPrecision(1)) / value;
  return isIntervalKnown(ratio) && (shown ** 2 > high / value || shown ** 2 < low / value);
}

function roundedTo(digits: number, factor: number): string {
  return Number(factor.toPrecision(digits)).toLocaleString("en-US", { maximumSignificantDigits: digits });
}
