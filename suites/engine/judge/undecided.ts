import type { GroupRecord } from "../schema/record.ts";
import { toBaseline } from "./pairs.ts";
import { floorControlOf, prepareTable } from "./samples.ts";
import { confidenceOf, isDecided, judgeAt } from "./verdict.ts";

/**
 * The crews of the newest group that need more processes. These have a role without a verdict of faster, slower or same
 * yet. Or they have an interval that reaches further than `precision` (a share) to one side. `groups` are the groups of
 * one scenario and worker count so far, `rows` how many its whole table will have. Crews that failed are not among
 * them. Neither are the baseline and the A/A control that sets the floor. The group races on, whole, while there is one.
 */
export function undecided(
  groups: readonly GroupRecord[],
  rows: number,
  precision: number,
): ReadonlySet<string> {
  const newest = groups.at(-1);
  if (newest === undefined) return new Set();
  const confidence = confidenceOf({ rows, looks: newest.looks });
  const floorControl = floorControlOf(newest);
  const open = prepareTable(groups).appearances.filter((one) => {
    const { cell } = one.entrant;
    if (one.group.group !== newest || cell === floorControl || cell.kind === "baseline") return false;
    if (cell.failure !== undefined) return false;
    const seen = toBaseline(one);
    if (seen === undefined) return true;
    const { verdict, halfWidth } = judgeAt(seen, confidence);
    return !isDecided(verdict) || halfWidth > precision;
  });
  return new Set(open.map(({ entrant }) => entrant.cell.competitor));
}
