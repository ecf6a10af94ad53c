import { compare, sum } from "../../../engine/statistics.ts";
import { coresOf } from "../machine/machine.ts";
import type { Simulated } from "../machine/simulated.ts";
import { type CoresCell, type CoresRecord, structureOf } from "../record.ts";
import { DECIDING_WORKERS, hasFigure, MOST_MISSED, missAtTwo } from "./check.ts";

/** How the structures of a scenario scale on a simulated machine: what pages and pictures show of a record. Pure. */

/** Operations per us of all workers together; where workers have roles, of those whose operations are counted. */
export interface Throughput {
  readonly workers: number;
  readonly throughput: number;
}

/** One that was simulated, with its band: `low` and `high` are `throughput` where there is none. */
export interface Point extends Throughput {
  readonly low: number;
  readonly high: number;
  readonly hasBand: boolean;
  /** All figures of the simulation. */
  readonly simulated: Simulated;
}

export interface Scaled {
  readonly competitor: string;
  /** By workers, one at least. */
  readonly points: readonly Point[];
  /** With one worker and two, on the machine that measured, whatever machine is simulated. */
  readonly measured: readonly Throughput[];
}

export interface Scaling {
  readonly primitive: string;
  readonly scenario: string;
  readonly machine: CoresRecord["machines"][number];
  /** By throughput at the most workers, the highest first. */
  readonly structures: readonly Scaled[];
  /** Structures without a figure, by why. */
  readonly without: ReadonlyMap<string, readonly string[]>;
}

/** Of each scenario of these primitives, all by default, on each machine with more cores, as far as there are figures. */
export function scalingsOf(record: CoresRecord, of?: ReadonlySet<string>): Scaling[] {
  const own = record.cells.filter(({ primitive }) => of === undefined || of.has(primitive));
  const byScenario = Map.groupBy(own, ({ primitive, scenario }) => `${primitive}/${scenario}`);
  return [...byScenario.values()].flatMap((cells) =>
    record.machines
      .filter((machine) => coresOf(machine) > DECIDING_WORKERS)
      .map((machine) => scalingOf({ ...record, cells }, machine))
      .filter(({ structures }) => structures.length > 0),
  );
}

/** `record` has the cells of one scenario alone, which is enough, and is looked through for each of them. */
function scalingOf(record: CoresRecord, machine: Scaling["machine"]): Scaling {
  const { cells } = record;
  const [{ primitive, scenario }] = cells as [CoresCell];
  const structures: Scaled[] = [];
  const without: { competitor: string; why: string }[] = [];
  for (const [competitor, all] of Map.groupBy(cells, (cell) => cell.competitor)) {
    const own = all.filter((cell) => cell.machine === machine.name);
    const points = own
      .filter((cell) => hasFigure(record, cell))
      .flatMap(pointOf)
      .toSorted((a, b) => compare(a.workers, b.workers));
    if ((points.at(-1)?.workers ?? 0) > DECIDING_WORKERS) {
      structures.push({ competitor, points, measured: measuredIn(all) });
    } else {
      without.push({ competitor, why: reasonOf(record, own) });
    }
  }
  const byWhy = Map.groupBy(without, ({ why }) => why);
  const last = (one: Scaled) => one.points.at(-1)!;
  return {
    primitive,
    scenario,
    machine,
    structures: structures.toSorted(
      (a, b) =>
        compare(last(b).workers, last(a).workers) ||
        compare(last(b).throughput, last(a).throughput) ||
        compare(a.competitor, b.competitor),
    ),
    without: new Map([...byWhy].map(([why, all]) => [why, all.map(({ competitor }) => competitor)])),
  };
}

/** Why a structure has no figure with more than two workers. `cells` are its own on a machine. */
function reasonOf(record: CoresRecord, cells: readonly CoresCell[]): string {
  for (const { absent, failure, nominal } of cells) {
    if (nominal?.broken !== undefined) return `broke a law when simulated: ${nominal.broken}`;
    const why = absent ?? failure;
    if (why !== undefined) return why;
  }
  const [first] = cells;
  if (first === undefined || !cells.some(({ workers }) => workers > DECIDING_WORKERS)) return "not simulated";
  return missAtTwo(record, structureOf(first)) !== undefined
    ? `its simulated time at two workers misses the measured one by more than a factor of ${MOST_MISSED}`
    : "not measured at two workers, so the simulation is not checked";
}

function pointOf({ workers, nominal, band }: CoresCell): Point[] {
  if (nominal === undefined) return [];
  const { nsPerOperation, perWorker } = nominal;
  const [least, most] = band?.nsPerOperation ?? [nsPerOperation, nsPerOperation];
  const throughput = (ns: number) => throughputOf(perWorker.length, ns);
  return [
    {
      workers,
      throughput: throughput(nsPerOperation),
      low: throughput(most),
      high: throughput(least),
      hasBand: band !== undefined,
      simulated: nominal,
    },
  ];
}

function measuredIn(cells: readonly CoresCell[]): Throughput[] {
  return cells.flatMap(({ workers, nominal, measuredNs }) =>
    nominal === undefined || measuredNs === undefined || workers > DECIDING_WORKERS
      ? []
      : [{ workers, throughput: throughputOf(nominal.perWorker.length, measuredNs) }],
  );
}

/** A percentile has a figure if at least this many operations lie beyond it. */
const FEWEST_BEYOND = 5;

/** The percentile beyond which this share of the operations lies, in ns; undefined where too few do. */
export function percentileIn(
  { perWorker }: Pick<Simulated, "perWorker">,
  share: number,
  ns: number,
): number | undefined {
  return share * sum(perWorker) < FEWEST_BEYOND ? undefined : ns;
}

/** Operations per us of all `workers`, each of which waits `ns` for one. */
export function throughputOf(workers: number, ns: number): number {
  return (1000 * workers) / ns;
}

export function pointAt({ points }: Scaled, workers: number): Point | undefined {
  return points.find((point) => point.workers === workers);
}

/** The structures that lead: the highest, and all whose bands reach into its band. The highest first. */
export function leadersAt({ structures }: Pick<Scaling, "structures">, workers: number): string[] {
  const places = structures
    .flatMap(({ competitor, ...own }) => {
      const point = pointAt({ competitor, ...own }, workers);
      return point === undefined ? [] : [{ competitor, point }];
    })
    .toSorted((a, b) => compare(b.point.throughput, a.point.throughput));
  const [first] = places;
  return places.filter(({ point }) => point.high >= first!.point.low).map(({ competitor }) => competitor);
}

/** A structure that is above others with more workers, and was below them with fewer. */
export interface Turnover {
  readonly competitor: string;
  readonly passes: readonly string[];
}

/** Only what is apart on both sides counts: bands that overlap at either number of workers show nothing. */
export function turnoversOf(
  { structures }: Pick<Scaling, "structures">,
  from: number,
  to: number,
): Turnover[] {
  const isAbove = (one: Scaled, other: Scaled, workers: number) => {
    const [a, b] = [pointAt(one, workers), pointAt(other, workers)];
    return a !== undefined && b !== undefined && a.low > b.high;
  };
  return structures.flatMap((one) => {
    const passes = structures
      .filter((other) => isAbove(other, one, from) && isAbove(one, other, to))
      .map(({ competitor }) => competitor);
    return passes.length === 0 ? [] : [{ competitor: one.competitor, passes }];
  });
}

/**
 * The few that a picture has room for. `named` come first, in their order, as far as there are figures of them. Then always
 * the one whose curve is furthest from those that are shown already: what is alike needs no second line.
 */
export function shownOf(
  { structures }: Pick<Scaling, "structures">,
  named: readonly string[],
  most: number,
): Scaled[] {
  const shown = named
    .flatMap((name) => structures.find(({ competitor }) => competitor === name) ?? [])
    .slice(0, most);
  if (shown.length === 0) shown.push(...structures.slice(0, 1));
  while (shown.length < Math.min(most, structures.length)) {
    const left = structures.filter((one) => !shown.includes(one));
    const apart = left.map((one) => Math.min(...shown.map((other) => distance(one, other))));
    shown.push(left[apart.indexOf(Math.max(...apart))]!);
  }
  return structures.filter((one) => shown.includes(one));
}

/** How far apart two curves are where they are furthest, as the logarithm of a ratio. */
function distance(one: Scaled, other: Scaled): number {
  const gaps = one.points.flatMap(({ workers, throughput }) => {
    const beside = pointAt(other, workers);
    return beside === undefined ? [] : [Math.abs(Math.log(throughput / beside.throughput))];
  });
  return Math.max(0, ...gaps);
}
