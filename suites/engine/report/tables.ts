import type { Conditions } from "../judge/judge.ts";
import { absentByReason } from "../judge/judge.ts";
import {
  havingText,
  SEEDS_FOR_TAILS,
  spreadOverProcesses,
  spreadOverSeeds,
  spreadText,
  TAILS,
} from "../judge/spread.ts";
import type { SimulationRecord, SurveyRecord } from "../record/record.ts";
// By path, not by its package name: the package is built when it is installed, and a table must show today's source.
import type { Table } from "./benchmark-reporter-markdown/src/index.ts";
import { left, right } from "./columns.ts";

/**
 * Simulations and surveys as tables, and what tables of races say below them: what pages print as markdown and
 * terminals in columns. Pure.
 */

/** How the races of one worker count went, without the times of the instruments: a sentence each, without full stop. */
export function circumstances(conditions: Conditions): string[] {
  const { floors, oversubscribed, forks, crowdedForks, lostForks } = conditions;
  const floor =
    floors.length === 0 ? "none" : floors.map((share) => `${(100 * share).toFixed(1)} %`).join(", ");
  const dropped = oversubscribed
    ? "nothing dropped (oversubscribed)"
    : `dropped ${conditions.disturbedRounds} of ${conditions.rounds} rounds as disturbed and ${conditions.droppedForOverlap} of ${conditions.slices} slices for overlap`;
  return [
    `noise floor ${floor}${floors.length > 1 ? " (by group: each row is judged by its own)" : ""}; ${dropped}`,
    ...(crowdedForks === 0
      ? []
      : [
          `in ${crowdedForks} of ${forks} forks even the control cost over 1.1 times more with company: these cores are not independent`,
        ]),
    ...lostForks.map((lost) => `lost ${lost}`),
  ];
}

/** What was measured besides the competitors at one worker count, ns per operation; what has no number is left out. */
export function instrumentsOf({ workers, controlNs, controlAloneNs, emptyNs }: Conditions) {
  const instruments = [
    { name: "control", ns: controlNs },
    ...(workers === 1 ? [] : [{ name: "control alone", ns: controlAloneNs }]),
    { name: "empty operation", ns: emptyNs },
  ];
  return instruments.filter(({ ns }) => Number.isFinite(ns));
}

/** One line for each reason not to take part. */
export function absenceLines(absent: ReadonlyMap<string, readonly string[]>): string[] {
  return [...absent].map(([reason, competitors]) => `Not here, ${reason}: ${competitors.join(", ")}.`);
}

/** A simulation's table: one row for each competitor, one column for each metric. */
export function simulationTable(simulated: SimulationRecord): Table {
  return {
    ...metricsTable(simulated, (cell, key, metric) => {
      const spread = spreadOverSeeds(cell, key, metric);
      return spread === undefined ? null : `${spreadText(spread, metric.digits)}${havingText(spread)}`;
    }),
    legend: [
      "Simulated, without a clock: the same seed gives the same digits on every machine. The baseline's name is bold.",
      ...seedLines(simulated),
      ...absenceLines(absentByReason([simulated])),
    ],
  };
}

function seedLines({ seeds, cells, metrics }: SimulationRecord): string[] {
  const spreads = cells.flatMap((cell) =>
    Object.entries(metrics).flatMap(([key, metric]) => spreadOverSeeds(cell, key, metric) ?? []),
  );
  const neverLine = spreads.some(({ high }) => high === Number.POSITIVE_INFINITY)
    ? ["never: not within the time simulated; counted as later than all others."]
    : [];
  if (seeds === undefined) return neverLine;
  const ends =
    seeds.length < SEEDS_FOR_TAILS
      ? "the least and the greatest of them"
      : `from ${TAILS.low} % to ${TAILS.high} % of them`;
  return [
    `From ${seeds.length} seeds: the median and, in brackets where it is not one figure, ${ends}.`,
    ...neverLine,
    ...(spreads.some(({ having, of }) => having < of)
      ? ["Behind a figure that some seeds have none of: how many have it; the median is that of those."]
      : []),
  ];
}

/** A survey's table: the middle over the processes of each figure, and behind it, where it has one, its range. */
export function surveyTable(surveyed: SurveyRecord): Table {
  const processes = Math.max(0, ...surveyed.cells.map(({ forks }) => forks.length));
  return {
    ...metricsTable(surveyed, (cell, key, metric) => {
      const spread = spreadOverProcesses(cell, key, metric);
      return spread === undefined ? null : spreadText(spread, metric.digits);
    }),
    legend: [
      `Surveyed: each competitor alone in ${processes === 1 ? "a process of its own" : `${processes} processes of its own, one after the other; the middle and, in brackets, the range over them`}. Nothing is paired, so nothing is judged. The baseline's name is bold.`,
      ...absenceLines(absentByReason([surveyed])),
    ],
  };
}

/**
 * A table of a clockless scenario or a survey, without its legend: one row for each cell, the baseline's name bold, one
 * column for each metric.
 */
function metricsTable<Cell extends SimulationRecord["cells"][number] | SurveyRecord["cells"][number]>(
  {
    primitive,
    scenario,
    title,
    metrics,
    cells,
  }: Pick<SimulationRecord, "primitive" | "scenario" | "title" | "metrics"> & { readonly cells: Cell[] },
  valueText: (cell: Cell, key: string, metric: SimulationRecord["metrics"][string]) => string | null,
): Omit<Table, "legend"> {
  const columns = Object.entries(metrics);
  const failed = cells.some(({ failure }) => failure !== undefined);
  return {
    title: `${primitive}/${scenario}: ${title}`,
    provenance: [],
    columns: [
      left("competitor", "Competitor"),
      ...columns.map(([key, { title, unit }]) => right(key, title, unit)),
      ...(failed ? [left("remark", "Remark")] : []),
    ],
    rows: cells.map((cell) => ({
      cells: {
        competitor: cell.baseline ? `**${cell.competitor}**` : cell.competitor,
        ...Object.fromEntries(columns.map(([key, metric]) => [key, valueText(cell, key, metric)])),
        ...(cell.failure === undefined ? {} : { remark: `no number: ${cell.failure.reason}` }),
      },
    })),
  };
}
