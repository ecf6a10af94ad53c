import type { JudgedMeasured } from "../../../suites/engine/schema/verdict.ts";
import type { Figure } from "./contest.ts";

/** A competitor by its speed and one other figure, of both of which less is better. */
export interface Point {
  readonly row: JudgedMeasured;
  readonly value: number;
  /** Whether none is better in one and at least as good in the other. */
  readonly isFront: boolean;
}

/** Of the rows that have the figure, the fastest first. */
export function pointsOf(rows: readonly JudgedMeasured[], { of }: Pick<Figure, "of">): Point[] {
  const own = rows
    .flatMap((row) => {
      const value = of.get(row.competitor)?.value;
      return value === undefined ? [] : [{ row, value }];
    })
    .toSorted((a, b) => a.row.median - b.row.median);
  const isWorse = (one: (typeof own)[number], than: (typeof own)[number]) =>
    than.row.median <= one.row.median &&
    than.value <= one.value &&
    (than.row.median < one.row.median || than.value < one.value);
  return own.map((point) => ({ ...point, isFront: !own.some((other) => isWorse(point, other)) }));
}
