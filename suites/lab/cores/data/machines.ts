import type { CostName, Machine, Parameter } from "../machine/machine.ts";
import data from "./machines.json" with { type: "json" };

/**
 * The machines that are simulated: the one that measured the published records, and two servers on which others
 * measured how long a line takes from core to core. machines.json has their figures, each with its source.
 *
 * Those measurements let two cores change one word by compare-exchange in turn, and give half of a round trip. This is
 * one handover: `travelOf` finds how long a line travels for that.
 *
 * Both servers are x86 processors, where a read-modify-write always brings the line to its core. Arm's processors may
 * send the operation to the line instead: 16 cores of a Graviton 2 add to one word every 9 ns, while a line takes 47 ns
 * from core to core there. Such a machine needs another model than that of lines that travel.
 */

type Costs = Partial<Record<CostName, Parameter>>;
/** How lines are handed on in detail; and what is of V8, Node and Linux rather than of the processor. */
const { lines, runtime } = data satisfies Readonly<Record<"lines" | "runtime", Costs>>;

/**
 * Handovers in ns: the 5th percentile, the median and the 95th, over all pairs of hardware threads of two cores at that
 * distance. The tables have a value for each pair.
 */
interface Handover {
  readonly p5: number;
  readonly median: number;
  readonly p95: number;
  /** Where the figures are from; or why they are never used. */
  readonly source?: string;
  readonly unused?: string;
  /** How far the range reaches in fact, and why. */
  readonly upTo?: number;
  readonly why?: string;
}

/**
 * Both cores compare and exchange all the time, so the other one's request is there before the line may go on. In the
 * model such a handover is what remains of a travel after the former owner has lost the line, and a hold.
 */
function travelOf({ p5, median, p95, source, unused, upTo = p95, why = "" }: Handover): Parameter {
  const { snoopShare, hold } = lines;
  const of = (handoverNs: number, heldNs: number) =>
    Math.max(LEAST_TRAVEL_NS, Math.round((10 * (handoverNs - heldNs)) / (1 - snoopShare.value)) / 10);
  const measured = `${source}: one handover took ${median} ns in the median, ${p5} to ${p95} ns from the 5th to the 95th percentile`;
  return {
    value: of(median, hold.value),
    low: of(p5, hold.value),
    high: of(upTo, hold.low),
    source: unused ?? `${measured}${why}`,
  };
}
/** A line cannot come from another core sooner than from the cache of its own. */
const LEAST_TRAVEL_NS = 10;

const mapped = <Name extends string, From>(
  all: Readonly<Record<Name, From>>,
  to: (from: From, name: Name) => Parameter,
) =>
  Object.fromEntries((Object.keys(all) as Name[]).map((name) => [name, to(all[name], name)])) as Record<
    Name,
    Parameter
  >;

/** Those of the machine that measured, for another one: as good a guess as any, so the ranges are twice as wide. */
function assumed({ value, low, high }: Parameter, name: CostName): Parameter {
  const most = SHARES.has(name) ? Math.min(high * 2, 1) : high * 2;
  return {
    value,
    low: low / 2,
    high: most,
    source: "not published: assumed as on the machine that measured",
  };
}
const SHARES: ReadonlySet<CostName> = new Set([
  "copyShare",
  "jitter",
  "snoopShare",
  "upgradeShare",
  "nearestFirst",
]);

function server({ costs, travels, ...machine }: typeof data.milanX | typeof data.iceLake): Machine {
  const own = { ...costs, ...mapped<keyof typeof travels, Handover>(travels, travelOf) };
  return {
    ...machine,
    costs: {
      ...mapped<keyof typeof runtime, Parameter>(runtime, assumed),
      ...mapped<keyof typeof lines, Parameter>(lines, assumed),
      ...own,
    },
  };
}

/** The machine of the published records. Its model is checked against what was measured on it. */
export const HERE: Machine = { ...data.here, costs: { ...runtime, ...lines, ...data.here.costs } };
/** Complexes of 8 cores that share a cache; every other line goes by the die in the middle. */
export const MILAN_X = server(data.milanX);
/** A mesh: all cores of a socket share the last cache, and are about equally far from one another. */
export const ICE_LAKE = server(data.iceLake);

/** The one that measured comes first. */
export const MACHINES: readonly Machine[] = [HERE, MILAN_X, ICE_LAKE];
