import type { Contrast, JudgedMeasured, Ratio } from "../schema/verdict.ts";
import { mean } from "../statistics.ts";
import { type Division, divisionOf, type GroupOfProcesses } from "./division.ts";
import { type Appearance, costIn, joined, type Ratios } from "./samples.ts";
import { ratiosOfGroups, type Strictness, type Verdict } from "./verdict.ts";

/** Rows whose processes fall into two groups: what each group says, and what distinguishes the groups. */

/** Nothing where its processes are one group, or nothing tells the groups apart. */
export function groupsOfProcesses(
  contrast: Contrast,
  appearances: readonly Appearance[],
  strictness: Strictness,
): Pick<JudgedMeasured, "groups" | "apartBy"> {
  const groups = ratiosOfGroups(contrast, strictness);
  if (groups === undefined) return {};
  const { seen, division } = dividedOf(appearances);
  const medians = division!.groups.map((group) => medianOf(group, seen, appearances[0]!.entrant.role));
  return {
    apartBy: division!.apartBy!,
    groups: groups.map((group, index) => ({ ...group, median: medians[index]! })),
  };
}

/** What an operation cost in the processes of a group, in ns. */
function medianOf({ places, state }: GroupOfProcesses, { processes, states }: Ratios, role: string): number {
  const costs = places.map((place) => {
    const { cell, fork } = processes[place]!;
    return costIn(cell, role, state ?? states[place]!, fork);
  });
  return Math.exp(mean(costs.map((ns) => Math.log(ns!))));
}

/** The ratios of a row, and how they are divided. */
function dividedOf(appearances: readonly Appearance[]): {
  readonly seen: Ratios;
  readonly division: Division | undefined;
} {
  const seen = joined(appearances.map(({ entrant }) => entrant.logRatios));
  return { seen, division: divisionOf(seen) };
}

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
  return `${low}, ${high}, distinguished by ${apartBy}`;
}

const UNKNOWN_REASON =
  "; nothing that was measured beside them tells these apart, and the interval is over all";

/** The remark on two groups that nothing measured tells apart; none where there are no such. */
export function unexplainedText(appearances: readonly Appearance[]): string[] {
  const { division } = dividedOf(appearances);
  if (division === undefined || division.apartBy !== undefined) return [];
  const [low, high] = division.groups.map(
    ({ values }) => `${values.length} processes at x${Math.exp(mean(values)).toPrecision(2)}`,
  );
  return [`${low}, ${high}${UNKNOWN_REASON}`];
}

/** Whether a remark is on what groups of a row's processes are to its baseline. */
export function isOnGroups(flag: string, { groups, apartBy }: Pick<JudgedMeasured, "groups" | "apartBy">) {
  return flag.endsWith(UNKNOWN_REASON) || (groups !== undefined && flag === groupsText(groups, apartBy));
}

function ratioText({ value, low, high }: Ratio): string {
  const [shown, from, to] = [value, low, high].map((figure) => figure.toPrecision(2));
  return `x${shown} (${from}-${to})`;
}
