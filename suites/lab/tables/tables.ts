import type { Absent, Conditions, Instrument } from "../../engine/schema/verdict.ts";
// By path, not by its package name: the package is built when it is installed, and a table must show today's source.
import { formatNumber, type Table } from "../../reporter/src/index.ts";
import type { TailMetric } from "../../shared/vocabulary.ts";
import { NO_CONTENDER, othersText, RACING_OTHERS } from "../schema/contenders.ts";
import type { JudgedMetrics, Spread } from "../schema/verdict.ts";
import { deviationIn } from "../verdicts/another-run.ts";
import { SEEDS_FOR_TAILS, TAILS } from "../verdicts/metrics.ts";
import { havingText, spreadText } from "../verdicts/spread.ts";
import { left, right } from "./columns.ts";
import { workersText } from "./phrases.ts";

/**
 * Simulations and surveys as tables, and what tables of races say below them: what pages print as markdown and
 * terminals in columns. Pure.
 */

/** How the races of one worker count went, without the times of the instruments: a sentence each, without full stop. */
export function circumstances(conditions: Conditions): string[] {
  return [
    [floorText(conditions), ...apartText(conditions)].join("; "),
    [
      ...stateText(conditions),
      ...(conditions.isOfMeans === true
        ? ["ratios are of means, because large sets put work off and do it in a few slices"]
        : []),
      ...handoverText(conditions),
      pinningText(conditions),
      ...memoryText(conditions),
    ].join("; "),
    ...betweenText(conditions),
    ...warnings(conditions),
  ];
}

/** Where the interval for another run is from. */
function betweenText(conditions: Conditions): string[] {
  const { betweenRuns, workers } = conditions;
  if (betweenRuns === undefined) return [];
  const { runs, isOwn } = betweenRuns;
  const deviation = deviationIn({ ...conditions, betweenRuns });
  const of = isOwn ? "of these rows" : `of others with ${workersText(workers)}`;
  return [`between runs: ${(100 * deviation).toPrecision(2)} %, by ${runs} runs ${of}`];
}

/** The same in one sentence, and what went wrong. */
export function inBrief(conditions: Conditions): string[] {
  const { judgedBy, quietShare } = conditions;
  const forks = judgedBy.quiet + judgedBy.far + judgedBy.any;
  const quiet =
    quietShare === undefined ? [] : [`${judgedBy.quiet} of ${forks} processes judged by quiet slices`];
  return [[floorText(conditions), ...quiet, ...betweenText(conditions)].join("; "), ...warnings(conditions)];
}

/** The least share of slices in a state with a name that a table may rest on. */
const TRUSTED_SHARE = 1 / 2;

/** With more workers than cores every slice counts alike. */
function unnamedText({ oversubscribed, quietShare, farShare = 0 }: Conditions): string[] {
  if (oversubscribed || quietShare === undefined || quietShare + farShare >= TRUSTED_SHARE) return [];
  const share = Math.round(100 * (quietShare + farShare));
  return [
    `only ${share} % of the slices are of a known state of the machine; below ${100 * TRUSTED_SHARE} % race again before you trust a small difference`,
  ];
}

function warnings(conditions: Conditions): string[] {
  const { forks, crowdedForks, lostForks, failedInstruments = [] } = conditions;
  return [
    ...unnamedText(conditions),
    ...(crowdedForks === 0
      ? []
      : [
          `in ${crowdedForks} of ${forks} forks even the private add cost over 1.1 times more beside other workers: these cores are not independent`,
        ]),
    ...lostForks.map((lost) => `lost ${lost}`),
    ...failedInstruments.map(({ kind, reason }) => `the ${INSTRUMENTS[kind]} failed: ${reason}`),
  ];
}

function floorText({ floors }: Conditions): string {
  if (floors.length === 0) return "noise floor none";
  const shares = floors.map((share) => `${(100 * share).toFixed(1)} %`).join(", ");
  return `noise floor ${shares}`;
}

function apartText({ apart, slices, oversubscribed, betweenRuns }: Conditions): string[] {
  if (oversubscribed) {
    const ofOneRun =
      betweenRuns === undefined
        ? " and verdicts hold in one run, whose processes saw one regime of the scheduler"
        : "";
    return [`every slice counts, as there are more workers than cores; ratios are factors${ofOneRun}`];
  }
  return apart === 0 ? [] : [`${apart} of ${slices} slices do not count, as a worker was off its core`];
}

/** By which of their slices processes are judged: every process counts. */
function stateText({ judgedBy, quietShare }: Conditions): string[] {
  if (quietShare === undefined) return ["the machine's state was not measured"];
  const { quiet, far, any } = judgedBy;
  const parts = [
    { count: quiet, by: `quiet slices (${Math.round(100 * quietShare)} % of all)` },
    { count: far, by: "slices with the cores far apart" },
    { count: any, by: "all of their slices" },
  ].filter(({ count }) => count > 0);
  if (parts.length === 0) return [];
  return [`processes judged by ${parts.map(({ count, by }) => `${by}: ${count}`).join(", by ")}`];
}

function handoverText({ handovers }: Conditions): string[] {
  if (handovers === undefined) return [];
  const { nearNs, farNs } = handovers;
  const far = farNs === undefined ? "" : `, ${formatNumber(farNs)} ns while they were far apart`;
  return [`a cache line took ${formatNumber(nearNs)} ns from core to core${far}`];
}

function pinningText({ pinned }: Conditions): string {
  return pinned ? "workers pinned to cores" : "workers not pinned";
}

function memoryText({ placements }: Conditions): string[] {
  const names = { arena: "one memory for all crews in turn", own: "each crew in memory of its own" };
  if (placements.length === 1) return [names[placements[0]!.placement]];
  const costs = placements.map(({ placement, baselineNs }) =>
    Number.isFinite(baselineNs)
      ? `${names[placement]} (there the baseline costs ${formatNumber(baselineNs)} ns)`
      : names[placement],
  );
  return costs.length === 0 ? [] : [costs.join(" or, what cannot be moved, ")];
}

const INSTRUMENTS: Readonly<Record<Instrument, string>> = {
  control: "private add",
  "control-alone": "private add, alone",
  empty: "empty operation",
};

/** What was measured besides the competitors at one worker count, ns per operation; what has no number is left out. */
export function instrumentsOf({ workers, control, controlAlone, emptyNs }: Conditions) {
  const instruments = [
    { name: INSTRUMENTS.control, ns: control.value },
    ...(workers === 1 ? [] : [{ name: INSTRUMENTS["control-alone"], ns: controlAlone.value }]),
    { name: INSTRUMENTS.empty, ns: emptyNs },
  ];
  return instruments.filter(({ ns }) => Number.isFinite(ns));
}

/** One line for each reason not to take part. Competitors that were not asked for are too many to be named. */
export function absenceLines(absent: Absent): string[] {
  return absent.map(({ reason, competitors }) =>
    reason === NO_CONTENDER
      ? `No contenders, and not raced with them: ${othersText(competitors.length)} (${RACING_OTHERS}).`
      : `Not here, ${reason}: ${competitors.join(", ")}.`,
  );
}

/** The table of a simulation or a survey: one row for each competitor, the baseline's name bold, one column for each metric. */
export function metricsTable(judged: JudgedMetrics): Table {
  const { primitive, scenario, title, kind, metrics, rows, absent } = judged;
  const columns = Object.entries(metrics);
  const failed = rows.some(({ noNumber }) => noNumber !== undefined);
  return {
    title: `${primitive}/${scenario}: ${title}`,
    provenance: [],
    columns: [
      left("competitor", "Competitor"),
      ...columns.map(([key, { title, unit }]) => right(key, title, unit)),
      ...(failed ? [left("remark", "Remark")] : []),
    ],
    rows: rows.map(({ competitor, isBaseline, noNumber, spreads }) => ({
      cells: {
        competitor: isBaseline ? `**${competitor}**` : competitor,
        ...Object.fromEntries(
          columns.map(([key, { digits }]) => [key, figureText(spreads[key], digits, kind)]),
        ),
        ...(noNumber === undefined ? {} : { remark: `no number: ${noNumber}` }),
      },
    })),
    legend: [
      ...(kind === "simulation" ? simulationLines(judged) : surveyLines(judged)),
      ...absenceLines(absent),
    ],
  };
}

/** Metrics of a tail that stand beside other scenarios. */
const FOREMOST_OF_TAIL: readonly string[] = ["p50", "p99", "p999", "max"] satisfies TailMetric[];

/** The table of a tail without what else was measured, and without legend. */
export function foremostTailTable(
  judged: JudgedMetrics,
  { workers, oversubscribed }: NonNullable<JudgedMetrics["tail"]>,
): Table {
  const foremost = Object.entries(judged.metrics).filter(([key]) => FOREMOST_OF_TAIL.includes(key));
  return {
    ...metricsTable({ ...judged, metrics: Object.fromEntries(foremost) }),
    title: `${workersText(workers)}${oversubscribed ? ", oversubscribed" : ""}`,
    legend: [],
  };
}

function figureText(spread: Spread | undefined, digits: number, kind: JudgedMetrics["kind"]): string | null {
  if (spread === undefined) return null;
  const text = spreadText(spread, digits);
  return kind === "simulation" ? `${text}${havingText(spread)}` : text;
}

function simulationLines({ times, rows }: JudgedMetrics): string[] {
  const spreads = rows.flatMap((row) => Object.values(row.spreads));
  const ends =
    times < SEEDS_FOR_TAILS
      ? "the least and the greatest of them"
      : `from ${TAILS.low} % to ${TAILS.high} % of them`;
  return [
    "Simulated, without a clock: the same seed gives the same digits on every machine. The baseline's name is bold.",
    ...(times === 1
      ? []
      : [`From ${times} seeds: the median and, in brackets where it is not one figure, ${ends}.`]),
    ...(spreads.some(({ high }) => high === Number.POSITIVE_INFINITY)
      ? ["never: it did not happen within the simulated time, and counts as later than any time."]
      : []),
    ...(times > 1 && spreads.some(({ having, of }) => having < of)
      ? ["Some seeds lack a figure: it is followed by the number of seeds that have it, and is their median."]
      : []),
  ];
}

function surveyLines({ times, tail }: JudgedMetrics): string[] {
  // No competitor took part or has a number; each reason is given elsewhere.
  if (times === 0) return [];
  return [
    `Surveyed: each competitor ran alone in ${times === 1 ? "a process of its own" : `${times} processes of its own, one after the other; figures are the median and, in brackets, the range`}. No two are paired, so nothing is judged. The baseline's name is bold.`,
    ...(tail === undefined ? [] : tailLines(tail)),
  ];
}

function tailLines({ workers, oversubscribed, intervalUs }: NonNullable<JudgedMetrics["tail"]>): string[] {
  return [
    `Each of ${workersText(workers)} has one operation due at a random moment of every ${intervalUs} us, and spins until then. Times count from when it was due, even if the previous operation was late. Service times count from when it began.`,
    "Empty: the same threads with nothing to do, right before. It shows what the clock, the schedule and the machine add. Max: the greatest of all processes. Unserved: operations given up after twice the time of the schedule; each counts with the time that it had waited. A percentile with fewer than 10 operations beyond it is left out.",
    ...(oversubscribed
      ? [
          "Oversubscribed: there are more workers than cores, and all of them spin, which a program would not do.",
        ]
      : []),
  ];
}
