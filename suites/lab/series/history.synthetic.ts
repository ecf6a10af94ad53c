import { METHOD_VERSION } from "../../engine/schema/envelope.ts";
import { type HistoryLine, LINE_VERSION } from "./history.ts";

/** A line of a made-up night, `night` days after the first; anything in `other` instead of what is usual. */
export function syntheticLine(night: number, other: Partial<HistoryLine> = {}): HistoryLine {
  const { ratio = 0.5 } = other;
  return {
    version: LINE_VERSION,
    at: new Date(Date.UTC(2026, 0, 1 + night, 2)).toISOString(),
    commit: commitOf(night),
    machine: "made-up-2c-1g",
    runtime: "Node.js 24.0.0",
    method: METHOD_VERSION,
    profile: "full",
    cell: "synthetic/test/rival/1w",
    workers: 1,
    oversubscribed: false,
    medianNs: ratio === null ? 20 : 20 * ratio,
    ratio,
    low: ratio === null ? null : 0.99 * ratio,
    high: ratio === null ? null : 1.01 * ratio,
    floor: 0.01,
    baseline: "baseline",
    forks: 10,
    verdict: ratio === null ? "baseline" : "faster",
    ...other,
  };
}

/** The commit of a made-up night: its number comes first, so that its short forms differ, too. */
export function commitOf(night: number): string {
  return night.toString(16).padStart(7, "0").padEnd(40, "c");
}
