import { isDecided, type Verdict } from "../../engine/judge/verdict.ts";
import type { JudgedMeasured, Ratio } from "../../engine/schema/verdict.ts";
import { formatRatio, isIntervalKnown, type Row } from "../../reporter/src/index.ts";

/** How a table shows rows with more workers than cores, whose processes are of one run and saw one regime of the scheduler. */
export function ofOneRun(cells: Row["cells"], { ratio, kind, verdict }: JudgedMeasured): Row["cells"] {
  if (ratio === undefined || kind === "baseline") return cells;
  const isSettled = isDecided(verdict as Verdict);
  return {
    ...cells,
    ratio: factorText(ratio),
    ...(isSettled ? { verdict: `${cells.verdict} in one run` } : {}),
  };
}

/** A ratio in words or in a table: where there are more workers than cores, a factor. */
export function ratioIn({ oversubscribed }: { readonly oversubscribed: boolean }, ratio: Ratio): string {
  return oversubscribed ? factorText(ratio) : formatRatio(ratio);
}

/** `about 2 (1.4-3.1)`: a factor has one significant digit, and the ends of its interval two. */
export function factorText({ value, low, high }: Ratio): string {
  const interval = isIntervalKnown({ low, high }) ? `${roundedTo(2, low)}-${roundedTo(2, high)}` : "unknown";
  return `about ${roundedTo(1, value)} (${interval})`;
}

function roundedTo(digits: number, factor: number): string {
  return Number(factor.toPrecision(digits)).toLocaleString("en-US", { maximumSignificantDigits: digits });
}
