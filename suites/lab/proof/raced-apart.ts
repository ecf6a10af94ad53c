import { toBaseline } from "../../engine/judge/pairs.ts";
import { differenceOf, isDecided, judgeContrast } from "../../engine/judge/verdict.ts";
import { isContestant } from "../../engine/measure/plan/plan.ts";
import type { Contrast } from "../../engine/schema/verdict.ts";
import { studentP } from "../../engine/statistics.ts";
import type { CalibrationRecord, KnownGroupRecord } from "../schema/calibration.ts";
import { cellOf, replayed } from "./scores.ts";

/**
 * Equals that never met: they raced in other processes, in other company or in another run. Each is compared by its ratio to
 * the baseline beside it, as `npm run explore` does with two records. Pure.
 */
export interface RacedApart {
  readonly where: Where;
  readonly trials: number;
  /** Pairs of groups that they come from. */
  readonly sources: number;
  /** Called faster or slower. */
  readonly wrong: number;
  /** Further apart than chance brings them in one of twenty. */
  readonly unlikely: number;
}

const WHERES = ["in another group", "in other company", "in another run"] as const;
export type Where = (typeof WHERES)[number];

/** What of a group is compared: its equal rivals, to its baseline. */
interface Raced {
  readonly run: number;
  readonly cell: string;
  readonly crews: number;
  readonly looks: number;
  readonly equals: ReadonlyMap<string, Contrast>;
}

/** Of the groups of these runs, each with each other of its cell. */
export function racedApart(runs: readonly Pick<CalibrationRecord, "groups">[]): RacedApart[] {
  const raced = runs.flatMap(({ groups }, run) =>
    groups.flatMap((group) => (group.failure === undefined ? [racedOf(group, run)] : [])),
  );
  const pairs = raced.flatMap((one, index) =>
    raced.slice(index + 1).flatMap((other) => (one.cell === other.cell ? [comparedIn(one, other)] : [])),
  );
  return [...Map.groupBy(pairs, ({ where }) => where)]
    .map(([where, own]) => {
      const all = own.flatMap(({ trials }) => trials);
      return {
        where,
        trials: all.length,
        sources: own.length,
        wrong: all.filter(({ isWrong }) => isWrong).length,
        unlikely: all.filter(({ p }) => p < 0.05).length,
      };
    })
    .toSorted((a, b) => WHERES.indexOf(a.where) - WHERES.indexOf(b.where));
}

function racedOf(group: KnownGroupRecord, run: number): Raced {
  const { seen, rivals } = replayed(group);
  const equals = rivals
    .filter((name) => group.extraWork[name] === 0)
    .flatMap((name) => {
      const place = seen.find(({ entrant }) => entrant.cell.competitor === name);
      const contrast = place === undefined ? undefined : toBaseline(place);
      return contrast === undefined || contrast.freedom === 0 ? [] : [[name, contrast] as const];
    });
  const crews = group.cells.filter(isContestant).length;
  return { run, cell: cellOf(group), crews, looks: group.looks, equals: new Map(equals) };
}

function comparedIn(one: Raced, other: Raced) {
  const where: Where =
    one.run !== other.run
      ? "in another run"
      : one.crews === other.crews
        ? "in another group"
        : "in other company";
  const names = [...one.equals.keys()].filter((name) => other.equals.has(name));
  const strictness = { rows: names.length, looks: Math.max(one.looks, other.looks) };
  const trials = names.map((name) => {
    const seen = differenceOf(one.equals.get(name)!, other.equals.get(name)!);
    const { verdict } = judgeContrast(seen, strictness);
    const p = studentP(Math.abs(seen.middle) / Math.sqrt(seen.squaredError), seen.freedom);
    return { isWrong: isDecided(verdict) && verdict !== "same", p };
  });
  return { where, trials };
}
