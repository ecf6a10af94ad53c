import { isContestant } from "../measure/plan/plan.ts";
import type { CellRecord, GroupRecord } from "../schema/record.ts";
import type { Contrast, JudgedMeasured, Ratio, State } from "../schema/verdict.ts";
import { mean, median, type Sample } from "../statistics.ts";
import { present } from "../words/present.ts";
import { type Division, divisionOf } from "./pairs.ts";
import { FEWEST_OF_STATE, joined, type Place, type Ratios } from "./samples.ts";
import { confidenceOf, groupsOf, ratiosOfGroups, type Strictness, type Verdict } from "./verdict.ts";
import { apartByCode } from "./versions.ts";

/** Rows whose processes fall into two groups: what each group says, and what distinguishes the groups. */

/** Nothing where its processes are one group. */
export function groupsOfProcesses(
  contrast: Contrast,
  places: readonly Place[],
  strictness: Strictness,
): Pick<JudgedMeasured, "groups" | "apartBy"> {
  const groups = ratiosOfGroups(contrast, confidenceOf(strictness));
  if (groups === undefined) return {};
  const medians = mediansOf(places);
  const apartBy = apartByOf(places);
  return {
    ...present({ apartBy }),
    groups: groups.map((group, index) => ({ ...group, median: medians[index]! })),
  };
}

/** What an operation cost in either group, in ns. */
function mediansOf(places: readonly Place[]): readonly [number, number] {
  const { division, seen } = dividedOf(places);
  if (division.isByDistance) {
    const [near, far] = [logCostsIn(places, "quiet"), logCostsIn(places, "far")].map((logs) =>
      Math.exp(mean(logs)),
    );
    return division.groups[0] === seen.quiet ? [near!, far!] : [far!, near!];
  }
  const logs = places.flatMap(({ entrant: { logCosts, logRatios } }) => {
    const byFork = new Map(logCosts.forks.map((fork, place) => [fork, logCosts.values[place]!]));
    return logRatios.forks.map((fork) => byFork.get(fork)!);
  });
  const [low, high] = groupsOf(seen.values)!.map((own) => Math.exp(mean(own.map((place) => logs[place]!))));
  return [low!, high!];
}

/** Of processes that saw enough of a state what an operation cost in it, as logarithms. */
function logCostsIn(places: readonly Place[], state: State): Sample {
  return places.flatMap(({ entrant: { cell, role } }) => {
    const costNs = cell.roles[role]?.[state]?.costNs;
    return costNs?.p50.filter((_, place) => costNs.counts[place]! >= FEWEST_OF_STATE).map(Math.log) ?? [];
  });
}

/** The ratios of a row that is divided, and how. */
function dividedOf(places: readonly Place[]): { readonly seen: Ratios; readonly division: Division } {
  const seen = joined(places.map(({ entrant }) => entrant.logRatios));
  return { seen, division: divisionOf(seen)! };
}

/** A figure of a process that is not of the row. */
interface Trait {
  /** In the sentence "distinguished by ...". */
  readonly name: string;
  readonly text: (value: number) => string;
  /** Whether these two differ by so much that it may be why. */
  readonly differ: (one: number, other: number) => boolean;
  /** Undefined where the process has none. */
  readonly of: (group: GroupRecord, fork: number) => number | undefined;
}

const TRAITS: readonly Trait[] = [
  {
    name: "what private code costs",
    text: nsText,
    differ: (one, other) => Math.max(one / other, other / one) >= 1.1,
    of: ({ cells }, fork) =>
      costIn(
        cells.find(({ kind }) => kind === "control"),
        fork,
      ),
  },
  {
    name: "the share of quiet slices",
    text: (share) => `${Math.round(100 * share)} %`,
    differ: (one, other) => Math.abs(one - other) >= 0.2,
    of: ({ cells }, fork) => quietShareIn(cells.find(isContestant), fork),
  },
];

/** A trait distinguishes two groups if it orders this share of all pairs of processes in the same way. */
const TELLS_APART = 0.9;

/** Groups whose ratios differ by less than this factor are mentioned only where their verdicts differ. */
const WORTH_A_REMARK = 1.1;

/** Whether a row should say what its groups are. */
export function isWorthARemark(groups: NonNullable<JudgedMeasured["groups"]>, verdict: Verdict): boolean {
  const [low, high] = groups;
  return verdict === "depends" || high!.ratio.value > WORTH_A_REMARK * low!.ratio.value;
}

/** `30 processes at x0.41 (0.40-0.42), 9 processes at x1.5 (1.4-1.6), distinguished by what private code costs: 8.3 ns and 16.4 ns`. */
export function groupsText(
  groups: NonNullable<JudgedMeasured["groups"]>,
  apartBy: string | undefined,
): string {
  const [low, high] = groups.map(({ ratio, forks }) => `${forks} processes at ${ratioText(ratio)}`);
  const why =
    apartBy === undefined
      ? "; nothing that was measured beside them tells these apart"
      : `, distinguished by ${apartBy}`;
  return `${low}, ${high}${why}`;
}

/** What distinguishes the groups of a divided row, with its figure in either; undefined if nothing measured does. */
function apartByOf(places: readonly Place[]): string | undefined {
  const { seen, division } = dividedOf(places);
  if (division.isByDistance) return distanceText(places, division.groups[0] === seen.quiet);
  const [below, above] = groupsOf(seen.values)!;
  const byCode = apartByCode(places, [below, above]);
  if (byCode !== undefined) return byCode;
  const processes = places.flatMap(({ group, entrant }) =>
    entrant.logRatios.forks.map((fork) => ({ group: group.group, fork })),
  );
  for (const { name, text, differ, of } of TRAITS) {
    const [ofLow, ofHigh] = [below, above].map((own) =>
      own.flatMap((place) => of(processes[place]!.group, processes[place]!.fork) ?? []),
    ) as unknown as readonly [Sample, Sample];
    const [one, other] = [median(ofLow), median(ofHigh)];
    if (separates(ofLow, ofHigh) && differ(one, other)) return `${name}: ${text(one)} and ${text(other)}`;
  }
  return undefined;
}

function distanceText(places: readonly Place[], isNearFirst: boolean): string {
  const known = places.flatMap(({ group }) => group.group.handovers ?? []);
  const nearText = nsText(median(known.map(({ nearNs }) => nearNs)));
  const farText = nsText(median(known.flatMap(({ farNs }) => farNs ?? [])));
  const [low, high] = isNearFirst ? [nearText, farText] : [farText, nearText];
  return `how long a cache line takes from core to core: ${low} and ${high}`;
}

/** The share of pairs, one from each, in which the second is the larger: 0.5 by chance (Mann & Whitney 1947). */
function separates(ones: Sample, others: Sample): boolean {
  if (ones.length === 0 || others.length === 0) return false;
  const pairs = ones.flatMap((one) => others.map((other) => (other > one ? 1 : other === one ? 0.5 : 0)));
  const larger = mean(pairs);
  return Math.max(larger, 1 - larger) >= TELLS_APART;
}

/** Median over all slices of that process, in ns. */
function costIn(cell: CellRecord | undefined, fork: number): number | undefined {
  const table = Object.values(cell?.roles ?? {})[0]?.any.costNs;
  return table?.p50[table.forks.indexOf(fork)];
}

function quietShareIn(cell: CellRecord | undefined, fork: number): number | undefined {
  const { any, quiet } = Object.values(cell?.roles ?? {})[0] ?? {};
  const count = (table: typeof any) => table?.costNs.counts[table.costNs.forks.indexOf(fork)];
  const all = count(any);
  return all === undefined ? undefined : (count(quiet) ?? 0) / all;
}

function nsText(ns: number): string {
  return `${ns.toPrecision(3)} ns`;
}

function ratioText({ value, low, high }: Ratio): string {
  const [shown, from, to] = [value, low, high].map((figure) => figure.toPrecision(2));
  return `x${shown} (${from}-${to})`;
}
