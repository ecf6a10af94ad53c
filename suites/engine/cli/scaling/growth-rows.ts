import type { ReportedRace } from "../report.ts";
import { type Growth, growthOf, growthText } from "./growth.ts";

/** Tasks of one group whose names differ in one number alone, as of mitata's `$size`: how their time grows with it. Pure. */

/** `growth[]` of `--json`. */
export interface ReportedGrowth {
  /** As of `ReportedRace`. */
  readonly file: string;
  readonly group: string;
  readonly workers: number;
  readonly rows: readonly GrowthRow[];
}

export interface GrowthRow {
  /** The name that its tasks share, with N for the number. */
  readonly range: string;
  readonly points: readonly { readonly n: number; readonly ns: number }[];
  /** The b of a + c N^b, and the bounds of what fits as well. */
  readonly exponent: { readonly value: number; readonly low: number; readonly high: number };
  /** In words: `O(n), not O(n log n)`. */
  readonly growth: string;
  /** Those that are not excluded, the best first. */
  readonly classes: readonly string[];
}

/** What the tables of a run show of growth: one entry for each group with a range in it. */
export function growthsOf(races: readonly ReportedRace[]): ReportedGrowth[] {
  const groups = Map.groupBy(races, ({ file, group, workers }) => JSON.stringify([file, group, workers]));
  return [...groups.values()].flatMap((own) => {
    const { file, group, workers } = own[0]!;
    const rows = rowsOf(own.flatMap((race) => race.rows));
    return rows.length === 0 ? [] : [{ file, group, workers, rows }];
  });
}

function rowsOf(tasks: ReportedRace["rows"]): GrowthRow[] {
  const numbered = tasks.flatMap((row) => placesOf(row.task).map((place) => ({ row, ...place })));
  const ranges = Map.groupBy(numbered, ({ range }) => range);
  return [...ranges].flatMap(([range, own]) => {
    const timed = own.filter(({ row }) => row.processNs.length > 0).sort((a, b) => a.n - b.n);
    const growth = growthOf(timed.map(({ n, row }) => ({ n, logNs: row.processNs.map(Math.log) })));
    return growth === undefined ? [] : [rowOf(range, timed, growth)];
  });
}

function rowOf(
  range: string,
  timed: readonly { readonly n: number; readonly row: ReportedRace["rows"][number] }[],
  growth: Growth,
): GrowthRow {
  const { exponent: value, low, high, classes } = growth;
  return {
    range,
    points: timed.map(({ n, row }) => ({ n, ns: row.ns!.value })),
    exponent: { value, low, high },
    growth: growthText(growth),
    classes,
  };
}

const SCALES: Readonly<Record<string, number>> = { k: 1e3, K: 1e3, M: 1e6, "": 1 };
/** `1000`, `1_000`, `1,000` and `10k`, in words of their own: sha256 is a name. */
const NUMBER = /(?<![\w.,-])(\d{1,3}(?:[_,]\d{3})+|\d+)([kKM]?)(?![\w.])/g;

/** What a name may be a point of: for each number in it the range, and which n of it. */
function placesOf(name: string): { readonly range: string; readonly n: number }[] {
  return [...name.matchAll(NUMBER)].flatMap(({ 0: text, 1: digits, 2: scale, index }) => {
    const n = Number(digits!.replaceAll(/[_,]/g, "")) * SCALES[scale!]!;
    return n < 1 ? [] : [{ range: `${name.slice(0, index)}N${name.slice(index + text.length)}`, n }];
  });
}
