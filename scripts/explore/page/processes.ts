import { FEWEST_QUIET, type PreparedGroup, prepareTable } from "../../../suites/engine/judge/samples.ts";
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
  const strips = prepareTable(groups).groups.flatMap((prepared, place) =>
    stripsIn(prepared, place, role, baseline),
  );
  return [...Map.groupBy(strips, ({ competitor }) => competitor)].map(([competitor, same]) => ({
    competitor,
    processes: same.flatMap(({ processes }) => processes),
  }));
}

function stripsIn(
  { group, entrants }: PreparedGroup,
  place: number,
  role: string,
  baseline: string,
): Strip[] {
  const base = group.cells.find(({ competitor }) => competitor === baseline);
  if (base === undefined) return [];
  return entrants
    .filter((entrant) => entrant.role === role && entrant.cell.competitor !== baseline)
    .map(({ cell, state, logRatios }) => {
      const counts = new Set(logRatios.forks);
      const processes = STATES.flatMap((of) =>
        seenIn(cell, base, role, of).map(({ fork, ...seen }): ProcessSeen => {
          const why =
            of !== state ? "of another state" : counts.has(fork) ? undefined : whyNot(of, seen.slices);
          return {
            ...seen,
            name: `${place + 1}.${fork + 1}`,
            state: of,
            ...(why === undefined ? {} : { leftOut: why }),
          };
        }),
      );
      return { competitor: cell.competitor, processes };
    });
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
