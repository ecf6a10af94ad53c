import { FEWEST_FORKS } from "../measure/plan/timing.ts";
import type { CellRecord } from "../schema/record.ts";
import type { State } from "../schema/verdict.ts";
import { mean, type Sample, squaresOf } from "../statistics.ts";
import { apartByOf, distanceText, type RowProcess } from "./apart-by.ts";
import type { Ratios } from "./samples.ts";
import { GAP_DEVIATIONS, LEAST_APART } from "./verdict.ts";
import { dividedByVersion, type TwoGroups, versionIn } from "./versions.ts";

/** How the processes of a row fall into two groups. No process stands in both. */

/** The lower ratio first. */
export interface Division {
  readonly groups: readonly [GroupOfProcesses, GroupOfProcesses];
  /** What distinguishes them. Where nothing that was measured does, they are not judged one by one. */
  readonly apartBy: string | undefined;
}

export interface GroupOfProcesses {
  /** Of its processes among those of the row. */
  readonly places: readonly number[];
  readonly values: Sample;
  /** Which slices its values are of, where the distance of the cores divides the row. */
  readonly state: State | undefined;
}

/** Each of two groups has at least this many processes, and at least a tenth of all. */
export const FEWEST_OF_GROUP = 3;
const LEAST_SHARE_OF_GROUP = 0.1;
/** A gap that is found in each half of fewer processes is often chance. */
const FEWEST_TO_HALVE = 8;

/** By the first of these that divides them; only the last looks for groups in the values themselves. */
export function divisionOf(seen: Ratios): Division | undefined {
  if (seen.values.length < FEWEST_FORKS) return undefined;
  return byDistance(seen) ?? byVersion(seen) ?? byGap(seen);
}

/**
 * Processes that saw enough slices of near cores, and processes that saw enough of far ones. One that saw enough of both
 * stands in the group that is smaller so far, in order of racing, so that no process is counted twice.
 */
function byDistance({ values, processes, quiet, far }: Ratios): Division | undefined {
  const places = [...values.keys()];
  const [sawNear, sawFar] = [quiet, far].map((own) => places.filter((place) => own[place] !== undefined));
  const near = sawNear!.filter((place) => far[place] === undefined);
  const distant = sawFar!.filter((place) => quiet[place] === undefined);
  for (const place of sawNear!.filter((place) => far[place] !== undefined))
    (near.length <= distant.length ? near : distant).push(place);
  if (Math.min(near.length, distant.length) < FEWEST_OF_GROUP) return undefined;
  const groupOf = (places: readonly number[], own: Ratios["quiet"], state: State) => {
    return { places, values: places.map((place) => own[place]!), state };
  };
  const ofNear = groupOf(near, quiet, "quiet");
  const ofFar = groupOf(distant, far, "far");
  const isNearFirst = mean(ofNear.values) <= mean(ofFar.values);
  return {
    groups: isNearFirst ? [ofNear, ofFar] : [ofFar, ofNear],
    apartBy: distanceText(processes, isNearFirst),
  };
}

/** By the code that V8 made of the row, and otherwise of its baseline. Of a rare version nothing is known: it is in no group. */
function byVersion({ processes, values }: Ratios): Division | undefined {
  const dividedBy = (cellIn: (process: RowProcess) => CellRecord) =>
    dividedByVersion(
      values,
      processes.map((process) => versionIn(cellIn(process), process.role, process.fork)),
    );
  const own = dividedBy(({ cell }) => cell);
  if (own !== undefined) return { groups: groupsAt(own, values), apartBy: "how V8 compiled it" };
  const ofBaseline = dividedBy(({ baseline }) => baseline);
  return ofBaseline && { groups: groupsAt(ofBaseline, values), apartBy: "how V8 compiled its baseline" };
}

function byGap({ processes, values }: Ratios): Division | undefined {
  const found = groupsByGap(values);
  if (found === undefined) return undefined;
  const [low, high] = found.map((places) => places.flatMap((place) => processes[place] ?? []));
  return { groups: groupsAt(found, values), apartBy: apartByOf(low!, high!) };
}

function groupsAt([low, high]: TwoGroups, values: Sample): Division["groups"] {
  const groupOf = (places: readonly number[]): GroupOfProcesses => {
    return { places, values: places.map((place) => values[place]!), state: undefined };
  };
  return [groupOf(low), groupOf(high)];
}

/**
 * The places of the values below and above a gap, in order of racing; undefined where they are one group.
 *
 * A gap that was looked for in the values that it divides makes these look more alike than they are. So it is looked for
 * twice: in the processes at even places and in those at odd ones. Each half has to show a gap, and is divided by the
 * threshold of the other, the middle of that one's gap. This has to be in its own gap, too.
 */
export function groupsByGap(values: Sample): TwoGroups | undefined {
  if (values.length < FEWEST_TO_HALVE) return undefined;
  const [even, odd] = [0, 1].map((half) => gapIn(values.filter((_, place) => place % 2 === half)));
  if (even === undefined || odd === undefined) return undefined;
  if (!isWithin(odd, middleOf(even)) || !isWithin(even, middleOf(odd))) return undefined;
  const isAbove = (place: number) => values[place]! > middleOf(place % 2 === 0 ? odd : even);
  const places = [...values.keys()];
  const [low, high] = [places.filter((place) => !isAbove(place)), places.filter(isAbove)];
  const fewest = Math.max(FEWEST_OF_GROUP, LEAST_SHARE_OF_GROUP * values.length);
  return Math.min(low.length, high.length) >= fewest ? [low, high] : undefined;
}

interface Gap {
  readonly low: number;
  readonly high: number;
}

function middleOf({ low, high }: Gap): number {
  return (low + high) / 2;
}

function isWithin({ low, high }: Gap, value: number): boolean {
  return low < value && value < high;
}

/** The widest gap between these values, if it is one. */
function gapIn(values: Sample): Gap | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  let widest = 1;
  for (let place = 1; place < sorted.length; place++)
    if (sorted[place]! - sorted[place - 1]! > sorted[widest]! - sorted[widest - 1]!) widest = place;
  const [below, above] = [sorted.slice(0, widest), sorted.slice(widest)];
  const within = Math.sqrt((squaresOf(below) + squaresOf(above)) / (sorted.length - 2));
  const gap = { low: below.at(-1)!, high: above[0]! };
  const isApart = mean(above) - mean(below) >= LEAST_APART && gap.high - gap.low > GAP_DEVIATIONS * within;
  return isApart ? gap : undefined;
}
