import type { Change, JudgedLine, Series } from "../../../suites/lab/series/nights.ts";

/** A change in a series, and the night that it was first seen in. */
export interface ChangeSeen {
  readonly series: Series;
  readonly change: Change;
  readonly night: JudgedLine;
}

/** The newest first. */
export function changesIn(trends: readonly Series[]): ChangeSeen[] {
  const changes = trends.flatMap((series) =>
    series.changes.map((change) => ({ series, change, night: series.lines[change.index]! })),
  );
  return changes.toSorted((a, b) => (a.night.at < b.night.at ? 1 : -1));
}

export function isSlower({ change: { before, after, certainty } }: ChangeSeen): boolean {
  return certainty === "confirmed" && after > before;
}

/** What no two series of a primitive share: a cell is raced on several machines, by several methods and profiles. */
export function seriesName({ cell, machine, lines }: Series): string {
  const { method, profile } = lines[0]!;
  return `${cell} on ${machine}, ${profile}, method ${method}`;
}
