import { ascending, compare, mean, sum } from "../../suites/engine/statistics.ts";
import { HERE } from "../../suites/lab/cores/data/machines.ts";
import { coresOf } from "../../suites/lab/cores/machine/machine.ts";
import {
  type Compared,
  comparedAt,
  DECIDING_WORKERS,
  MOST_MISSED,
  missAtTwo,
  rankCorrelations,
  summaryOf,
} from "../../suites/lab/cores/page/check.ts";
import { FEWEST_BEYOND, throughputOf } from "../../suites/lab/cores/page/scaling.ts";
import { type CoresCell, type CoresRecord, structureOf } from "../../suites/lab/cores/record.ts";
import { left, right } from "../../suites/lab/tables/columns.ts";
import { workersText } from "../../suites/lab/tables/phrases.ts";
import { type Column, formatNumber, type Table } from "../../suites/reporter/src/index.ts";

/** A worker with less than this share of what it would have if all had the same is starved. */
const STARVED = 0.1;
const UNCHECKED_MARK = "†";

const COLUMNS: readonly Column[] = [
  left("competitor", "Competitor"),
  right("ns", "Simulated", "ns/op"),
  right("band", "Band", "ns/op"),
  right("throughput", "Throughput", "Mop/s"),
  right("p99", "p99", "ns"),
  right("p999", "p99.9", "ns"),
  right("fairness", "Fairness"),
  right("starved", "Starved", "workers"),
  right("transfers", "Transfers", "per op"),
  right("failures", "Failed attempts", "per op"),
];

/**
 * A table of each race at each worker count on each machine. `checked` has records in which structures were simulated on
 * the machine that measured: the first that has one says how far it misses there.
 */
export function simulatedTables(record: CoresRecord, checked: readonly CoresRecord[]): Table[] {
  const machines = new Map(record.machines.map((machine) => [machine.name, machine]));
  const keyOf = ({ primitive, scenario, machine, workers }: CoresCell) =>
    `${primitive}/${scenario}, ${workersText(workers)} on ${machines.get(machine)!.title}`;
  return [...Map.groupBy(record.cells, keyOf)].map(([name, cells]) => {
    const cores = coresOf(machines.get(cells[0]!.machine)!);
    const rows = cells.map((cell) => rowOf(cell, cores, checked));
    return {
      title: `${name}, simulated`,
      provenance: [],
      columns: COLUMNS,
      rows: rows
        .flatMap((row) => (row.cells === undefined ? [] : [{ cells: row.cells, mark: row.mark }]))
        .toSorted((a, b) => compare(a.cells.ns, b.cells.ns)),
      legend: [
        "Simulated, not measured. Band: the least and the most with costs drawn from their ranges. Fairness: operations of the worker with the fewest over those of the one with the most. A dash: too few operations for a percentile, too many handovers for a band, or more workers than cores, which are not compared.",
        ...(rows.some(({ mark }) => mark !== undefined)
          ? [`${UNCHECKED_MARK} nothing measured at two workers shows how far this is from a real machine`]
          : []),
        ...without(rows),
      ],
    };
  });
}

interface Row {
  readonly competitor: string;
  readonly cells?: { readonly ns: number } & Readonly<Record<string, string | number | null>>;
  readonly mark?: string | undefined;
  /** Why it has no figures. */
  readonly reason?: string;
}

function rowOf(cell: CoresCell, cores: number, checked: readonly CoresRecord[]): Row {
  const { competitor, nominal, band, absent, failure, workers } = cell;
  const broken = nominal?.broken;
  const missed = missedIn(checked, structureOf(cell));
  const isMissed = workers > DECIDING_WORKERS && missed !== undefined && missed > MOST_MISSED;
  const reason =
    absent ??
    failure ??
    (broken === undefined ? undefined : `it broke a law: ${broken}`) ??
    (isMissed
      ? `with two workers simulated and measured figure differ ${missed.toFixed(1)} times`
      : undefined);
  if (nominal === undefined || reason !== undefined) return { competitor, reason: reason ?? "no figure" };
  const { nsPerOperation, perWorker } = nominal;
  const [least, most] = [Math.min(...perWorker), Math.max(...perWorker)];
  const beyond = (share: number, ns: number) => (share * sum(perWorker) < FEWEST_BEYOND ? null : ns);
  const [low, high] = band?.nsPerOperation ?? [];
  return {
    competitor,
    mark: workers > DECIDING_WORKERS && missed === undefined ? UNCHECKED_MARK : undefined,
    cells: {
      competitor,
      ns: nsPerOperation,
      band: low === undefined ? null : `${formatNumber(low)} - ${formatNumber(high!)}`,
      throughput: throughputOf(perWorker.length, nsPerOperation),
      p99: beyond(0.01, nominal.p99Ns),
      p999: beyond(0.001, nominal.p999Ns),
      // Of workers that share a core some never run in a window that is shorter than a quantum.
      fairness: workers > cores ? null : (least / most).toFixed(2),
      starved: workers > cores ? null : starvedOf(perWorker),
      transfers: nominal.transfersPerOperation,
      failures: nominal.failuresPerOperation,
    },
  };
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
function without(rows: readonly Row[]): string[] {
  const lacking = rows.filter(({ reason }) => reason !== undefined);
  return [...Map.groupBy(lacking, ({ reason }) => reason)].map(
    ([reason, own]) => `no figure: ${own.map(({ competitor }) => competitor).join(", ")} (${reason})`,
  );
}

/** Simulated beside measured figures at each worker count where there are any, and below them how near they come. */
export function checkTables(record: CoresRecord): Table[] {
  const counts = [...new Set(record.cells.map(({ workers }) => workers))].toSorted(ascending);
  return counts
    .filter((workers) => workers >= DECIDING_WORKERS)
    .flatMap((workers) => {
      const compared = comparedAt(record, workers);
      return compared.length === 0 ? [] : [checkTable(workers, compared)];
    });
}

function checkTable(workers: number, compared: readonly Compared[]): Table {
  const { counted, medianErrorPercent, shareWithin } = summaryOf(compared);
  const ranks = [...rankCorrelations(compared)].filter(([, coefficient]) => !Number.isNaN(coefficient));
  return {
    title: `Simulated beside measured figures, ${workersText(workers)}`,
    provenance: [],
    columns: [
      left("structure", "Structure"),
      right("simulated", "Simulated", "ns/op"),
      right("measured", "Measured", "ns/op"),
      right("ratio", "Simulated / measured"),
    ],
    rows: compared.map((own) => ({
      mark: own.isFitted ? "*" : undefined,
      cells: {
        structure: structureOf(own),
        simulated: own.simulatedNs,
        measured: own.measuredNs,
        ratio: own.ratio.toFixed(2),
      },
    })),
    legend: [
      ...(workers > coresOf(HERE)
        ? [
            "a simulated window may be shorter than a quantum: waits for a worker that is off its core are then missing",
          ]
        : []),
      ...(compared.some(({ isFitted }) => isFitted)
        ? ["* costs were fitted to it: it does not count below"]
        : []),
      ...(counted === 0
        ? []
        : [
            `median absolute error ${medianErrorPercent.toFixed(0)} %, and ${(100 * shareWithin).toFixed(0)} % of ${counted} within a factor of ${MOST_MISSED}`,
          ]),
      ...ranks.map(([race, coefficient]) => `rank correlation of ${race}: ${coefficient.toFixed(2)}`),
    ],
  };
}
