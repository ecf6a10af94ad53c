import { ascending, compare, mean } from "../../suites/engine/statistics.ts";
import { HERE } from "../../suites/lab/cores/data/machines.ts";
import { coresOf } from "../../suites/lab/cores/machine/machine.ts";
import { comparedAt, DECIDING_WORKERS, MOST_MISSED, missAtTwo } from "../../suites/lab/cores/page/check.ts";
import { checkTable, comparedTable } from "../../suites/lab/cores/page/pages.ts";
import { percentileIn, throughputOf } from "../../suites/lab/cores/page/scaling.ts";
import { type CoresCell, type CoresRecord, structureOf } from "../../suites/lab/cores/record.ts";
import { left, right, tableOf } from "../../suites/lab/tables/columns.ts";
import { workersText } from "../../suites/lab/tables/phrases.ts";
import { formatNumber, type Table } from "../../suites/reporter/src/index.ts";

/** A worker with less than this share of what it would have if all had the same is starved. */
const STARVED = 0.1;
const UNCHECKED_MARK = "†";

/**
 * A table of each race at each worker count on each machine. `checked` has records in which structures were simulated on
 * the machine that measured: the first that has one says how far it misses there.
 */
export function simulatedTables(record: CoresRecord, checked: readonly CoresRecord[]): Table[] {
  const machines = new Map(record.machines.map((machine) => [machine.name, machine]));
  const keyOf = ({ primitive, scenario, machine, workers }: CoresCell) =>
    `${primitive}/${scenario}, ${workersText(workers)} on ${machines.get(machine)!.title}`;
  return [...Map.groupBy(record.cells, keyOf)].map(([name, cells]) => {
    const [{ machine, workers }] = cells as [CoresCell];
    return simulatedTable(name, workers > coresOf(machines.get(machine)!), cells, checked);
  });
}

function simulatedTable(
  name: string,
  isCrowded: boolean,
  cells: readonly CoresCell[],
  checked: readonly CoresRecord[],
): Table {
  const simulated = cells.flatMap((cell): Shown[] => {
    const { competitor, nominal, band, workers } = cell;
    if (lackOf(cell, checked) !== undefined) return [];
    const isUnchecked = workers > DECIDING_WORKERS && missedIn(checked, structureOf(cell)) === undefined;
    return [{ competitor, isUnchecked, band: band?.nsPerOperation, ...nominal! }];
  });
  const throughput = ({ perWorker, nsPerOperation }: Shown) => throughputOf(perWorker.length, nsPerOperation);
  const fairness = ({ perWorker }: Shown) => Math.min(...perWorker) / Math.max(...perWorker);
  return tableOf(
    `${name}, simulated`,
    simulated.toSorted((a, b) => compare(a.nsPerOperation, b.nsPerOperation)),
    [
      [left("competitor", "Competitor"), ({ competitor }) => competitor],
      [right("ns", "Simulated", "ns/op"), ({ nsPerOperation }) => nsPerOperation],
      [right("band", "Band", "ns/op"), ({ band }) => bandText(band)],
      [right("throughput", "Throughput", "Mop/s"), throughput],
      [right("p99", "p99", "ns"), (one) => percentileIn(one, 0.01, one.p99Ns) ?? null],
      [right("p999", "p99.9", "ns"), (one) => percentileIn(one, 0.001, one.p999Ns) ?? null],
      // Of workers that share a core some never run in a window that is shorter than a quantum.
      [right("fairness", "Fairness"), (one) => (isCrowded ? null : fairness(one).toFixed(2))],
      [right("starved", "Starved", "workers"), ({ perWorker }) => (isCrowded ? null : starvedOf(perWorker))],
      [right("transfers", "Transfers", "per op"), ({ transfersPerOperation }) => transfersPerOperation],
      [right("failures", "Failed attempts", "per op"), ({ failuresPerOperation }) => failuresPerOperation],
    ],
    ({ isUnchecked }) => (isUnchecked ? UNCHECKED_MARK : undefined),
    {
      legend: [
        "Simulated, not measured. Band: the least and the most with costs drawn from their ranges. Fairness: operations of the worker with the fewest over those of the one with the most. A dash: too few operations for a percentile, too many handovers for a band, or more workers than cores, which are not compared.",
        ...(simulated.some(({ isUnchecked }) => isUnchecked)
          ? [`${UNCHECKED_MARK} nothing measured at two workers shows how far this is from a real machine`]
          : []),
        ...without(cells, checked),
      ],
    },
  );
}

function bandText(band: readonly number[] | undefined): string | null {
  return band === undefined ? null : band.map((ns) => formatNumber(ns)).join(" - ");
}

type Shown = NonNullable<CoresCell["nominal"]> & {
  readonly competitor: string;
  readonly isUnchecked: boolean;
  readonly band: readonly number[] | undefined;
};

/** Why a cell has no figures; undefined where it has. */
function lackOf(cell: CoresCell, checked: readonly CoresRecord[]): string | undefined {
  const { nominal, absent, failure, workers } = cell;
  const missed = missedIn(checked, structureOf(cell)) ?? 0;
  if (absent !== undefined || failure !== undefined) return absent ?? failure;
  if (nominal === undefined) return "no figure";
  if (nominal.broken !== undefined) return `it broke a law: ${nominal.broken}`;
  return workers > DECIDING_WORKERS && missed > MOST_MISSED
    ? `with two workers simulated and measured figure differ ${missed.toFixed(1)} times`
    : undefined;
}

function missedIn(checked: readonly CoresRecord[], structure: string): number | undefined {
  for (const record of checked) {
    const missed = missAtTwo(record, structure);
    if (missed !== undefined) return missed;
  }
  return undefined;
}

/** How many workers are starved. */
export function starvedOf(perWorker: readonly number[]): number {
  const fair = mean(perWorker);
  return perWorker.filter((own) => own < STARVED * fair).length;
}

/** A line for each reason, with all that lack figures for it. */
function without(cells: readonly CoresCell[], checked: readonly CoresRecord[]): string[] {
  const byReason = Map.groupBy(cells, (cell) => lackOf(cell, checked));
  byReason.delete(undefined);
  return [...byReason].map(
    ([reason, own]) => `no figure: ${own.map(({ competitor }) => competitor).join(", ")} (${reason})`,
  );
}

const TURNS =
  "a simulated window may be shorter than a quantum: waits for a worker that is off its core are then missing";

/** As on the page: simulated beside measured figures at each worker count where there are any, and how near they come. */
export function checkTables(record: CoresRecord): Table[] {
  const counts = [...new Set(record.cells.map(({ workers }) => workers))].toSorted(ascending);
  return counts
    .filter((workers) => workers >= DECIDING_WORKERS)
    .flatMap((workers) => {
      const compared = comparedAt(record, workers);
      const legend = workers > coresOf(HERE) ? [TURNS] : [];
      const title = `Simulated beside measured figures, ${workersText(workers)}`;
      const tables = [{ ...comparedTable(compared, false), title, legend }, checkTable(compared)];
      return compared.length === 0 ? [] : tables;
    });
}
