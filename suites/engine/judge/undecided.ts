import type { GroupRecord } from "../schema/record.ts";
import { floorControlOf, prepareTable, ratioPeers } from "./samples.ts";
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
  const newest = groups.at(-1);
  if (newest === undefined) return new Set();
  const { state, places } = prepareTable(groups);
  const confidence = confidenceOf({ rows, looks: newest.looks });
  const floorControl = floorControlOf(newest);
  const open = places.filter(({ group, entrant }) => {
    const { cell, role, logRatios } = entrant;
    if (group.group !== newest || cell === floorControl || cell.kind === "baseline") return false;
    if (cell.failure !== undefined) return false;
    const floor = group.floors.get(role);
    if (floor === undefined || logRatios.values.length === 0 || group.state !== state) return true;
    const peers = ratioPeers(group.entrants, entrant);
    const { verdict, halfWidth } = judge({ values: logRatios.values, peers, floor }, confidence);
    return !isDecided(verdict) || halfWidth > precision;
  });
  return new Set(open.map(({ entrant }) => entrant.cell.competitor));
}
