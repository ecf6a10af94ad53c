import { differenceOf, type Judgement, judgeContrast } from "../../../suites/engine/judge/verdict.ts";
import type { Contrast, JudgedMeasured, JudgedScenario } from "../../../suites/engine/schema/verdict.ts";
import type { RecordFile } from "./site-data.ts";

/** Two records of one scenario beside each other: how far a competitor's ratio to the same baseline has moved. */
export interface Comparison {
  /** Why ratios of the two do not compare, one reason each; none where they do. */
  readonly obstacles: readonly string[];
  readonly rows: readonly ComparedRow[];
}

export interface ComparedRow {
  readonly cell: string;
  readonly one: JudgedMeasured | undefined;
  readonly other: JudgedMeasured | undefined;
  /** The ratio in `other` over that in `one`; absent where they do not compare. */
  readonly change?: Judgement;
}

interface Side {
  readonly source: RecordFile;
  readonly judged: JudgedScenario;
}

export function compared(one: Side, other: Side): Comparison {
  const obstacles = obstaclesTo(one, other);
  const [own, others] = [one, other].map(({ judged }) => {
    const rows = judged.rows.flatMap((row) =>
      row.noNumber === undefined && row.kind !== "aa-control" ? [row] : [],
    );
    return new Map(rows.map((row) => [row.cell, row]));
  }) as [Map<string, JudgedMeasured>, Map<string, JudgedMeasured>];
  const cells = [...new Set([...own.keys(), ...others.keys()])];
  const looks = Math.max(...[one, other].flatMap(({ judged }) => judged.conditions.map((at) => at.looks)));
  const rows = cells.length;
  return {
    obstacles,
    rows: cells.map((cell) => {
      const [before, after] = [own.get(cell), others.get(cell)];
      const seen = obstacles.length > 0 ? undefined : changeOf(before, after);
      return {
        cell,
        one: before,
        other: after,
        ...(seen === undefined ? {} : { change: judgeContrast(seen, { rows, looks }) }),
      };
    }),
  };
}

function changeOf(
  before: JudgedMeasured | undefined,
  after: JudgedMeasured | undefined,
): Contrast | undefined {
  if (before === undefined || after === undefined) return undefined;
  const [from, to] = [before.toBaseline, after.toBaseline];
  return from === undefined || to === undefined ? undefined : differenceOf(to, from);
}

function obstaclesTo(one: Side, other: Side): string[] {
  const differing = (what: string, of: (side: Side) => string | number | undefined) =>
    of(one) === of(other) ? [] : [`${what}: ${of(one) ?? "none"} and ${of(other) ?? "none"}`];
  return [
    ...differing("measured by different methods", ({ source }) => source.record.methodVersion),
    ...differing("raced with different baselines", ({ judged }) => judged.conditions[0]?.baseline),
    ...differing("on different machines", ({ source }) => source.record.machine.slug),
  ];
}
