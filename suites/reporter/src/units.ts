/** Units that a column can be printed in, and which of them makes its figures readable. */

export interface Unit {
  readonly symbol: string;
  /** In the smallest unit of its kind. */
  readonly size: number;
}

/** Of times, which are kept in nanoseconds. */
export const TIME_UNITS = {
  ns: { symbol: "ns", size: 1 },
  us: { symbol: "µs", size: 1e3 },
  ms: { symbol: "ms", size: 1e6 },
  s: { symbol: "s", size: 1e9 },
} as const satisfies Readonly<Record<string, Unit>>;

export type TimeUnit = keyof typeof TIME_UNITS;

/** Of rates, which are kept in operations per second. */
export const RATE_UNITS: readonly Unit[] = [
  { symbol: "/s", size: 1 },
  { symbol: "k/s", size: 1e3 },
  { symbol: "M/s", size: 1e6 },
  { symbol: "G/s", size: 1e9 },
  { symbol: "T/s", size: 1e12 },
];

/** Of memory, which is kept in bytes. */
export const MEMORY_UNITS: readonly Unit[] = [
  { symbol: "B", size: 1 },
  { symbol: "kB", size: 1e3 },
  { symbol: "MB", size: 1e6 },
];

/** The largest unit in which none of the figures but zero is below one; the smallest, if one is below one in each. */
export function readableUnit(figures: readonly number[], units: readonly Unit[]): Unit {
  const least = Math.min(...figures.filter((figure) => figure > 0));
  const smallest = units.reduce((a, b) => (b.size < a.size ? b : a));
  if (!Number.isFinite(least)) return smallest;
  return units.filter(({ size }) => size <= least).reduce((a, b) => (b.size > a.size ? b : a), smallest);
}
