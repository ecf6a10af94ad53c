import type { JudgedMeasured } from "../../engine/schema/verdict.ts";

/** Where a row stands among others of its worker count and role. */
export interface Rank {
  /** 1 + the number of others that are shown to be faster: rows that cannot be distinguished share a rank. */
  readonly rank: number;
  /** Whether it cannot be distinguished from the one with the lowest ratio. */
  readonly leads: boolean;
}

/** The rank of each row, by its cell, among the given ones: a page may leave out what does not compete. */
export function ranksAmong(rows: readonly JudgedMeasured[]): ReadonlyMap<string, Rank> {
  const among = new Set(rows.map(({ cell }) => cell));
  const ratioOf = (row: JudgedMeasured) => row.ratio?.value ?? 1;
  const [best] = rows.toSorted((a, b) => ratioOf(a) - ratioOf(b));
  return new Map(
    rows.map(({ cell, slowerThan }) => [
      cell,
      {
        rank: 1 + slowerThan.filter((other) => among.has(other)).length,
        leads: !slowerThan.includes(best!.cell),
      },
    ]),
  );
}
