import type { JudgedMeasured } from "../../engine/schema/verdict.ts";
import type { Spread } from "../schema/verdict.ts";

/** `31 (28-34)`, or `31` where both ends read the same; `5.83 (5.28-never)`. */
export function spreadText({ value, low, high }: Spread, digits: number): string {
  const [middle, from, to] = [value, low, high].map((figure) => figureText(figure, digits));
  return from === to ? middle! : `${middle} (${from}-${to})`;
}

export function figureText(figure: number, digits: number): string {
  return figure === Number.POSITIVE_INFINITY ? "never" : figure.toFixed(digits);
}

/** `, in 12 of 20` behind a figure that only some seeds have. */
export function havingText({ having, of }: Spread): string {
  return having === of ? "" : `, in ${having} of ${of}`;
}

/** What one worker waits for one operation: `113 ns (109-117)`, or `113 ns` where too few processes say it. */
export function timeText({ median, interval }: Pick<JudgedMeasured, "median" | "interval">): string {
  const textOf = (ns: number) => (ns < 1000 ? ns.toPrecision(3) : Math.round(ns).toLocaleString("en"));
  const range = interval === undefined ? "" : ` (${textOf(interval.low)}-${textOf(interval.high)})`;
  return `${textOf(median)} ns${range}`;
}
