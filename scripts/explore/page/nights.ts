import type { TrendData } from "./site-data.ts";

/** A change in a series, and the night that it was first seen in. */
export interface ChangeSeen {
  readonly trend: TrendData;
  readonly change: TrendData["changes"][number];
  readonly night: TrendData["nights"][number];
}

/** The newest first. */
export function changesIn(trends: readonly TrendData[]): ChangeSeen[] {
  const changes = trends.flatMap((trend) =>
    trend.changes.map((change) => ({ trend, change, night: trend.nights[change.index]! })),
  );
  return changes.toSorted((a, b) => (a.night.at < b.night.at ? 1 : -1));
}

export function isSlower({ change: { before, after, standing } }: ChangeSeen): boolean {
  return standing === "confirmed" && after > before;
}
