import type { JudgedClaims } from "../judge/claims.ts";
import type { Conditions, JudgedScenario } from "../judge/judge.ts";
import { absentByReason, judgeRecord } from "../judge/judge.ts";
import {
  havingText,
  SEEDS_FOR_TAILS,
  spreadOverProcesses,
  spreadOverSeeds,
  spreadText,
  TAILS,
} from "../judge/spread.ts";
import { machinesOf } from "../record/merge.ts";
import type {
  BenchRecord,
  MachineRecord,
  RunFacts,
  SimulationRecord,
  SurveyRecord,
} from "../record/record.ts";
import { type Answer, answerText } from "./answer.ts";
// By path, not by its package name: the package is built when it is installed, and a table must show today's source.
import {
  formatNumber,
  fromLab,
  type LabelledValue,
  type Table,
  toMarkdown,
} from "./benchmark-reporter-markdown/src/index.ts";
import { curvePicturesOf, picturesOf } from "./charts.ts";
import { underHeading } from "./markdown.ts";
import { overviewText } from "./overview.ts";
import { seriesPictureOf } from "./series.ts";
import { statementsText } from "./statements.ts";

/**
 * Records as markdown. Pure: the text depends on the record, and what else is given, alone. So a committed page can be
 * made again byte for byte from the record and the answer beside it, and from the claims that the suites hold today.
 */

/** One scenario's table under a heading of `level`, without provenance: for the terminal and for pages. */
export function scenarioText(judged: JudgedScenario, headingLevel: number): string {
  return toMarkdown(scenarioTable(judged), { headingLevel });
}

/** One simulation's table. */
export function simulationText(simulation: SimulationRecord, headingLevel: number): string {
  return toMarkdown(simulationTable(simulation), { headingLevel });
}

/** One survey's table. */
export function surveyText(survey: SurveyRecord, headingLevel: number): string {
  return toMarkdown(surveyTable(survey), { headingLevel });
}

/**
 * Everything in a record as one page. `source` is how the page names the record it was made from; the rest is what the
 * page shows besides.
 */
export function recordPage(
  title: string,
  record: BenchRecord,
  source: string,
  { pictured = false, claims = [], answer }: Besides = {},
): string {
  const judgements = judgeRecord(record);
  const introduction = [
    ...(answer === undefined ? [] : [answerText(answer, source)]),
    ...(record.overviews ?? []).flatMap((overview) => overviewText(overview, record, judgements) ?? []),
  ];
  const simulated = record.simulations.map(({ scenario }) => scenario);
  const curves = pictured ? curvePicturesOf(judgements) : [];
  const parts = [
    `# ${title}\n`,
    ...introduction,
    ...(introduction.length === 0 ? [] : ["## Where the numbers come from\n"]),
    provenanceOf(record)
      .map(([label, value]) => `- ${label}: ${value}\n`)
      .join(""),
    ...curves.map(({ title, alt, file }) => `## ${title}\n\n${image(alt, file)}`),
    ...judgements.map((judged) =>
      underHeading(scenarioText(judged, 2), [
        ...(pictured ? images(picturesOf(judged)) : []),
        ...placesText(record, judged),
      ]),
    ),
    ...record.simulations.map((simulation) => {
      const picture = pictured ? seriesPictureOf(simulation) : undefined;
      return underHeading(simulationText(simulation, 2), [
        ...images(picture === undefined ? [] : [picture]),
        ...statementsText(claims, simulation.scenario, simulated),
      ]);
    }),
    ...(record.surveys ?? []).map((survey) => surveyText(survey, 2)),
    `${howToRead(record)}\nMade from \`${source}\` by \`npm run report\`. Do not edit: change the lab and make it again.\n`,
  ];
  return parts.join("\n");
}

/** What a page may have besides what its record says. */
export interface Besides {
  /** Shows the pictures of the record, which then must stand beside the page (see charts.ts). */
  readonly pictured?: boolean;
  /** What sources say of the primitive, judged by this record. */
  readonly claims?: readonly JudgedClaims[];
  /** What people wrote to stand above the tables. */
  readonly answer?: Answer | undefined;
}

function images(pictures: readonly { readonly alt: string; readonly file: string }[]): string[] {
  return pictures.map(({ alt, file }) => image(alt, file));
}

function image(alt: string, file: string): string {
  return `![${alt.replaceAll(/[[\]\\]/g, "\\$&")}](${file})\n`;
}

/** Where a record comes from, as label and value. */
export function provenanceOf(record: RunFacts): LabelledValue[] {
  const { runtime, commit, before, after } = record;
  const stolen =
    before.stealSeconds === null || after.stealSeconds === null
      ? ""
      : `, ${(after.stealSeconds - before.stealSeconds).toFixed(1)} s stolen`;
  return [
    ...machinesOf(record).map((machine) => ["Machine", machineText(machine)] as const),
    ["Runtime", [`${runtime.name} ${runtime.version} (${runtime.engine})`, ...runtime.flags].join(" ")],
    [
      "Commit",
      commit === null
        ? "none"
        : `${commit.hash.slice(0, 12)}${commit.dirty ? " with uncommitted changes" : ""}`,
    ],
    ["Date", record.startedAt],
    ["Load", `${before.loadAverage[0] ?? 0} before, ${after.loadAverage[0] ?? 0} after${stolen}`],
    ["Command", `\`${record.command}\``],
    ["Seed", String(record.seed)],
    ["Profile", record.profile],
    ...(record.interrupted ? [["Interrupted", "yes: only what was finished is here"] as const] : []),
  ];
}

function machineText({ cpu, cores, cpuQuotaCores, memoryBytes, platform, kernel }: MachineRecord): string {
  const quota = cpuQuotaCores === null ? "" : `, quota ${cpuQuotaCores} cores`;
  return `${cpu}, ${cores} cores${quota}, ${Math.round(memoryBytes / 2 ** 30)} GiB, ${platform}, kernel ${kernel}`;
}

/** Which machine raced a scenario at which worker counts, where the record is of several. */
function placesText(
  { groups, machine, machines }: BenchRecord,
  { primitive, scenario }: JudgedScenario,
): string[] {
  if (machines === undefined) return [];
  const own = groups.filter((group) => group.primitive === primitive && group.scenario === scenario);
  const byMachine = Map.groupBy(own, (group) => group.machine ?? machine.slug);
  const places = [...byMachine].map(([slug, those]) => {
    const counts = [...new Set(those.map(({ workers }) => `${workers}w`))];
    const { cpu } = machines.find((candidate) => candidate.slug === slug) ?? { cpu: slug };
    return `${counts.join(", ")} on ${cpu}`;
  });
  return [`Raced at ${places.join("; at ")}.\n`];
}

export function scenarioTable(judged: JudgedScenario): Table {
  return fromLab({
    title: `${judged.primitive}/${judged.scenario}: ${judged.title}`,
    provenance: [],
    unit: `ns/${judged.operation}`,
    columns: judged.columns,
    rows: judged.rows,
    legend: [...judged.conditions.flatMap(conditionLines), ...absenceLines(judged.absent)],
  });
}

function conditionLines(conditions: Conditions): string[] {
  const { workers, floors, oversubscribed, forks, crowdedForks, lostForks } = conditions;
  const who = `${workers} worker${workers === 1 ? "" : "s"}`;
  const floor =
    floors.length === 0 ? "none" : floors.map((share) => `${(100 * share).toFixed(1)} %`).join(", ");
  const control =
    workers === 1
      ? `control ${nanoseconds(conditions.controlNs)}`
      : `control ${nanoseconds(conditions.controlNs)} (alone ${nanoseconds(conditions.controlAloneNs)})`;
  const dropped = oversubscribed
    ? "nothing dropped (oversubscribed)"
    : `dropped ${conditions.disturbedRounds} of ${conditions.rounds} rounds as disturbed and ${conditions.droppedForOverlap} of ${conditions.slices} slices for overlap`;
  return [
    `${who}: noise floor ${floor}${floors.length > 1 ? " (by group: each row is judged by its own)" : ""}; ${control}; empty operation ${nanoseconds(conditions.emptyNs)}; ${dropped}.`,
    ...(crowdedForks === 0
      ? []
      : [
          `${who}: in ${crowdedForks} of ${forks} forks even the control cost over 1.1 times more with company: these cores are not independent.`,
        ]),
    ...lostForks.map((lost) => `${who}, lost ${lost}.`),
  ];
}

/** One line for each reason not to take part. */
function absenceLines(absent: ReadonlyMap<string, readonly string[]>): string[] {
  return [...absent].map(([reason, competitors]) => `Not here, ${reason}: ${competitors.join(", ")}.`);
}

/** `1 worker in 5 forks (processes), 2 workers in 10`. */
function forksOf(groups: BenchRecord["groups"]): string {
  const byWorkers = Map.groupBy(groups, ({ workers }) => workers);
  return [...byWorkers]
    .map(([workers, [group]], index) => {
      const forks = Math.max(...group!.cells.map((cell) => cell.forks.length));
      return `${workers} worker${workers === 1 ? "" : "s"} in ${forks}${index === 0 ? " forks (processes)" : ""}`;
    })
    .join(", ");
}

function nanoseconds(value: number): string {
  return Number.isFinite(value) ? `${formatNumber(value)} ns` : "not measured";
}

function simulationTable(simulated: SimulationRecord): Table {
  return {
    ...metricsTable(simulated, (cell, key, metric) => {
      const spread = spreadOverSeeds(cell, key, metric);
      return spread === undefined ? null : `${spreadText(spread, metric.digits)}${havingText(spread)}`;
    }),
    legend: [
      "Simulated, without a clock: the same seed gives the same digits on every machine.",
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

/** The middle over the processes of each figure, and behind it, where it has one, its range. */
function surveyTable(surveyed: SurveyRecord): Table {
  const processes = Math.max(0, ...surveyed.cells.map(({ forks }) => forks.length));
  return {
    ...metricsTable(surveyed, (cell, key, metric) => {
      const spread = spreadOverProcesses(cell, key, metric);
      return spread === undefined ? null : spreadText(spread, metric.digits);
    }),
    legend: [
      `Surveyed: each competitor alone in ${processes} process${processes === 1 ? "" : "es"} of its own, one after the other; the middle and, in brackets, the range over them. Nothing is paired, so nothing is judged.`,
      ...absenceLines(absentByReason([surveyed])),
    ],
  };
}

/** A table of a clockless scenario or a survey, without its legend: one row for each cell, one column for each metric. */
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
  return {
    title: `${primitive}/${scenario}: ${title}`,
    provenance: [],
    columns: [
      { key: "competitor", title: "Competitor", align: "left" },
      ...columns.map(([key, metric]) => ({
        key,
        title: metric.title,
        unit: metric.unit === "" ? undefined : metric.unit,
        align: "right" as const,
      })),
      { key: "remark", title: "Remark", align: "left" },
    ],
    rows: cells.map((cell) => ({
      cells: {
        competitor: cell.competitor,
        ...Object.fromEntries(columns.map(([key, metric]) => [key, valueText(cell, key, metric)])),
        remark:
          cell.failure === undefined
            ? cell.baseline
              ? "baseline"
              : null
            : `no number: ${cell.failure.reason}`,
      },
    })),
  };
}

/** The legend that all race tables share. */
function howToRead({ groups, profile, size }: BenchRecord): string {
  if (groups.length === 0) return "";
  const lines = [
    `Profile ${profile}${size === "smoke" ? " at smoke size" : ""}: ${forksOf(groups)}, each racing all rows of a group slice by slice in shuffled rounds.`,
    "Median: what one worker waits for one operation (workers / summed rates), median over rounds, then over forks. Error: half of its 99 % interval over forks. StdDev: between forks.",
    "Ratio: to the baseline in the same round, with the interval its verdict rests on: 99 %, widened for the number of rows (Bonferroni).",
    "Noise floor: how far the baseline's twin, the same code under another name, strays from it. **faster** / **slower**: interval wholly beyond the floor. same: wholly within the floor or 3 %. cannot tell: neither.",
    "Throughput: all workers together. Fairness: slowest worker / fastest. Overlap: share of the window in which all measured.",
    "Every row's structure was checked after every slice; a row whose law broke has no number.",
  ];
  return `## How to read the tables\n\n${lines.map((line) => `- ${line}\n`).join("")}`;
}
