import { ratiosBetween, weighsIn } from "../../../suites/engine/judge/pairs.ts";
import { type Place, prepareTable } from "../../../suites/engine/judge/samples.ts";
import type { CellRecord, GroupRecord } from "../../../suites/engine/schema/record.ts";
import type { State } from "../../../suites/engine/schema/verdict.ts";

/** What every process of a race saw of one competitor. Rounds are not in a record. */
export interface Strip {
  readonly competitor: string;
  /** In the order of the processes. */
  readonly processes: readonly ProcessSeen[];
}

export interface ProcessSeen {
  /** Group and fork, as they are counted from 1. */
  readonly name: string;
  /** That it is judged in. */
  readonly state: State;
  /** Ratio to the baseline in it, and as far to either side as the middle half of the competitor's slices lies. */
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
  readonly slices: number;
  /** Whether it weighs in the row's ratio. */
  readonly weighs: boolean;
}

/** One for each competitor that was compared with the baseline, of a role. */
export function stripsOf(groups: readonly GroupRecord[], role: string, baseline: string): Strip[] {
  const { places } = prepareTable(groups);
  const rivals = places.filter(
    ({ entrant: { cell, role: own } }) => own === role && cell.competitor !== baseline,
  );
  return [...Map.groupBy(rivals, ({ entrant }) => entrant.cell.competitor)].map(([competitor, same]) => ({
    competitor,
    processes: same.flatMap((place) => {
      const beside = places.find(
        ({ group, entrant }) =>
          group === place.group && entrant.role === role && entrant.cell.competitor === baseline,
      );
      return beside === undefined ? [] : processesIn(place, beside, groups.indexOf(place.group.group) + 1);
    }),
  }));
}

function processesIn({ group, entrant }: Place, beside: Place, groupNumber: number): ProcessSeen[] {
  const { cell, role } = entrant;
  const seen = ratiosBetween(group.group, entrant, beside.entrant);
  const weighs = weighsIn(seen, group.scales.get(role)!);
  return seen.forks.map((fork, place) => {
    const state = seen.states[place]!;
    const ratio = Math.exp(seen.values[place]!);
    const { below, above, slices } = spreadIn(cell, role, state, fork);
    return {
      name: `${groupNumber}.${fork + 1}`,
      state,
      ratio,
      low: ratio * below,
      high: ratio * above,
      slices,
      weighs: weighs[place]!,
    };
  });
}

/** The quartiles of a process's slices, to their median. */
function spreadIn({ roles }: CellRecord, role: string, state: State, fork: number) {
  const { forks, counts, p25, p50, p75 } = roles[role]![state]!.costNs;
  const place = forks.indexOf(fork);
  return { below: p25[place]! / p50[place]!, above: p75[place]! / p50[place]!, slices: counts[place]! };
}
