import { isContestant } from "../measure/plan/plan.ts";
import type { CellRecord, GroupRecord } from "../schema/record.ts";
import { mean, median, type Sample } from "../statistics.ts";

/** What was measured beside a row in a process, and may tell two groups of its processes apart. */

/** A process of a row: where its ratio is from. */
export interface RowProcess {
  readonly group: GroupRecord;
  readonly fork: number;
  readonly role: string;
  readonly cell: CellRecord;
  readonly baseline: CellRecord;
}

/** Of a process, and not of the row's costs. */
interface Measurement {
  /** In the sentence "distinguished by ...". */
  readonly name: string;
  readonly text: (value: number) => string;
  /** Whether these two differ by so much that it may be why. */
  readonly differ: (one: number, other: number) => boolean;
  /** Undefined where the process has none. */
  readonly of: (process: RowProcess) => number | undefined;
}

const MEASUREMENTS: readonly Measurement[] = [
  {
    name: "what private code costs",
    text: nsText,
    differ: (one, other) => Math.max(one / other, other / one) >= 1.1,
    of: ({ group: { cells }, fork }) =>
      costIn(
        cells.find(({ kind }) => kind === "control"),
        fork,
      ),
  },
  {
    name: "the share of quiet slices",
    text: (share) => `${Math.round(100 * share)} %`,
    differ: (one, other) => Math.abs(one - other) >= 0.2,
    of: ({ group: { cells }, fork }) => quietShareIn(cells.find(isContestant), fork),
  },
];

/** A measurement distinguishes two groups if it orders this share of all pairs of processes in the same way. */
const TELLS_APART = 0.9;

/** What distinguishes two groups of processes, with its figure in either; undefined if nothing measured does. */
export function apartByOf(low: readonly RowProcess[], high: readonly RowProcess[]): string | undefined {
  for (const { name, text, differ, of } of MEASUREMENTS) {
    const [ofLow, ofHigh] = [low, high].map((own) => own.flatMap((process) => of(process) ?? []));
    if (!separates(ofLow!, ofHigh!)) continue;
    const [one, other] = [median(ofLow!), median(ofHigh!)];
    if (differ(one, other)) return `${name}: ${text(one)} and ${text(other)}`;
  }
  return undefined;
}

/** The same of groups by distance; `isNearFirst`: the first is of near cores. */
export function distanceText(processes: readonly RowProcess[], isNearFirst: boolean): string {
  const known = [...new Set(processes.map(({ group }) => group))].flatMap(({ handovers }) => handovers ?? []);
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
