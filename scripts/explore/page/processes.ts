import { FEWEST_QUIET, type Place, prepareTable } from "../../../suites/engine/judge/samples.ts";
import type { CellRecord, GroupRecord, QuartilesRecord } from "../../../suites/engine/schema/record.ts";
import type { State } from "../../../suites/engine/schema/verdict.ts";

/** What every process of a race saw of one competitor, whether or not it counts. Rounds are not in a record. */
export interface Strip {
  readonly competitor: string;
  /** In the order of the processes. */
  readonly processes: readonly ProcessSeen[];
}

export interface ProcessSeen {
  /** Group and fork, as they are counted from 1. */
  readonly name: string;
  readonly state: State;
  /** Ratio to the baseline in it: the median of its pairs, and their middle half. */
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
  readonly slices: number;
  /** Whether the verdict rests on it: why not, if it does not. */
  readonly leftOut?: "too far from the others" | "of another state" | "too few slices";
}

const STATES: readonly State[] = ["quiet", "any"];

/** One for each competitor that was compared with the baseline, of a role. */
export function stripsOf(groups: readonly GroupRecord[], role: string, baseline: string): Strip[] {
  const isMeant = ({ group: { group }, entrant: { cell, role: own } }: Place) =>
    own === role &&
    cell.competitor !== baseline &&
    group.cells.some(({ competitor }) => competitor === baseline);
  const places = prepareTable(groups).places.filter(isMeant);
  return [...Map.groupBy(places, ({ entrant }) => entrant.cell.competitor)].map(([competitor, same]) => ({
    competitor,
    processes: same.flatMap((place) => processesIn(place, groups.indexOf(place.group.group) + 1, baseline)),
  }));
}

function processesIn({ group, entrant }: Place, groupNumber: number, baseline: string): ProcessSeen[] {
  const { cell, role, logRatios } = entrant;
  const base = group.group.cells.find(({ competitor }) => competitor === baseline)!;
  const counts = new Set(logRatios.forks);
  return STATES.flatMap((state) =>
    seenIn(cell, base, role, state).map(({ fork, ...seen }): ProcessSeen => {
      const isOther = state !== group.state;
      const why = isOther ? "of another state" : counts.has(fork) ? undefined : whyNot(state, seen.slices);
      return {
        ...seen,
        name: `${groupNumber}.${fork + 1}`,
        state,
        ...(why === undefined ? {} : { leftOut: why }),
      };
    }),
  );
}

/** Of those of the state that is judged: too far, if it saw enough. */
function whyNot(state: State, slices: number): NonNullable<ProcessSeen["leftOut"]> {
  return state === "quiet" && slices < FEWEST_QUIET ? "too few slices" : "too far from the others";
}

function seenIn(cell: CellRecord, base: CellRecord, role: string, state: State) {
  const own = cell.roles[role]?.[state]?.logRatio;
  if (own === undefined) return [];
  const offsets = base.kind === "baseline" ? undefined : medianByFork(base.roles[role]?.[state]?.logRatio);
  return own.forks.flatMap((fork, place) => {
    const offset = offsets === undefined ? 0 : offsets.get(fork);
    if (offset === undefined) return [];
    const ratio = (of: readonly number[]) => Math.exp(of[place]! - offset);
    return [
      { fork, ratio: ratio(own.p50), low: ratio(own.p25), high: ratio(own.p75), slices: own.counts[place]! },
    ];
  });
}

function medianByFork(seen: QuartilesRecord | undefined): Map<number, number> {
  return new Map(seen?.forks.map((fork, place) => [fork, seen.p50[place]!]));
}
