import type { GroupRecord } from "../schema/record.ts";
import { prepareTable, ratioPeers } from "./samples.ts";
import { confidenceOf, isDecided, judge } from "./verdict.ts";

/**
 * The crews of the newest group that need more forks: those with a role that has no verdict of faster, slower or same
 * yet, an interval that reaches further than `precision` (a share) to one side, or too little of the state in which the table is
 * judged. `groups` are those of one scenario and
 * worker count so far, `rows` how many its whole table will have. Crews that failed are none of them, and neither are
 * the baseline and the A/A control that sets the floor, which race as long as any other does.
 */
export function undecided(
  groups: readonly GroupRecord[],
  rows: number,
  precision: number,
): ReadonlySet<string> {
  if (groups.length === 0) return new Set();
  const { state, groups: prepared } = prepareTable(groups);
  const { group, entrants, floors } = prepared.at(-1)!;
  const floorControl = group.cells.find(({ kind }) => kind === "aa-control");
  const open = entrants.filter((entrant) => {
    const { cell, role, logRatios } = entrant;
    if (cell === floorControl || cell.kind === "baseline" || cell.failure !== undefined) return false;
    const floor = floors.get(role);
    if (floor === undefined || logRatios.values.length === 0 || entrant.state !== state) return true;
    const peers = ratioPeers(entrants, entrant);
    const confidence = confidenceOf({ rows, looks: group.looks });
    const { verdict, halfWidth } = judge({ values: logRatios.values, peers, floor }, confidence);
    return !isDecided(verdict) || halfWidth > precision;
  });
  return new Set(open.map(({ cell }) => cell.competitor));
}
