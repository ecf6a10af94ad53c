import type { JudgedScenario } from "../../engine/schema/verdict.ts";
import { formatRatio, type Row, type Table, toMarkdown } from "../../reporter/src/index.ts";
import type { JudgedMetrics, Verdicts } from "../schema/verdict.ts";
import { left, right, tableOf } from "../tables/columns.ts";
import { ratioInTwo, unbroken } from "../tables/markdown.ts";
import { rangeText, workersText } from "../tables/phrases.ts";
import { type Labels, type RaceResult, raceResults } from "../tables/races.ts";
import { shownRatio, shownVerdict } from "../verdicts/another-run.ts";

/** The number of figures of a scenario, or of competitors of a leading group, that are named; the rest are counted. */
const NAMED = 3;

/**
 * The scenarios of a primitive, with a link to the page of each. Races have their leaders with the ratio and verdict;
 * simulations and surveys have the names of their figures. Pure.
 */
export function scenariosText({ races, metrics }: Verdicts, methods: Methods, labels?: Labels): string {
  const ofKind = (wanted: JudgedMetrics["kind"]) => metrics.filter(({ kind }) => kind === wanted);
  const tables = [
    racesTable(races, methods, labels),
    metricsIndex("Simulations", ofKind("simulation"), "Seeds"),
    metricsIndex("Surveys", ofKind("survey"), "Processes"),
  ].filter(({ rows }) => rows.length > 0);
  return ["## Scenarios\n", ...tables.map((table) => toMarkdown(table, { headingLevel: 3 }))].join("\n");
}

/** The version of the method that measured a scenario, and whether there are several. */
interface Methods {
  readonly isMixed: boolean;
  readonly methodIn: (scenario: string) => number;
}

/** The page of a folder. */
export const FOLDER_PAGE = "README.md";

/** Name of a scenario's page, beside the record. */
export function scenarioFile(scenario: string): string {
  return `${scenario}.md`;
}

/** The columns of a table of leaders, behind those that name a race. */
export const LEADER_COLUMNS = [
  right("ratio", "Lowest ratio"),
  left("verdict", "Verdict"),
  left("leading", "Leading group"),
  left("at", "At"),
  left("baseline", "Baseline"),
  right("floor", "Noise floor"),
];

/** The meaning of these columns. */
export const LEADER_LEGEND =
  "Leading group: the lowest ratio to the baseline and the rows that cannot be distinguished from it, at the largest number of workers with a core each. Lower bounds, oracles and variants do not compete. Ratio and verdict are those of the first competitor named.";

export function leaderCells({ conditions, role, baseline, leading }: RaceResult): Row["cells"] {
  const [lowest] = leading;
  return {
    at: [unbroken(workersText(conditions.workers)), ...(role === undefined ? [] : [role])].join(", "),
    leading: lowest === undefined ? null : firstOf(leading.map(({ competitor }) => competitor)),
    ratio: lowest?.ratio === undefined ? null : ratioInTwo(formatRatio(shownRatio(lowest)!)),
    verdict: lowest === undefined ? null : shownVerdict(lowest),
    baseline: baseline ?? null,
    floor: rangeText(conditions.floors),
  };
}

function racesTable(
  races: readonly JudgedScenario[],
  { isMixed, methodIn }: Methods,
  labels: Labels | undefined,
): Table {
  return {
    title: "Races",
    provenance: [],
    columns: [
      left("scenario", "Scenario"),
      ...LEADER_COLUMNS,
      ...(isMixed ? [right("method", "Method")] : []),
    ],
    rows: races.flatMap((judged) =>
      raceResults(judged, labels).map((result) => ({
        cells: {
          scenario: linkTo(judged),
          ...leaderCells(result),
          ...(isMixed ? { method: methodIn(judged.scenario) } : {}),
        },
      })),
    ),
    legend: [
      LEADER_LEGEND,
      ...(isMixed
        ? ["Method: the version that measured it. Times and ratios of different versions do not compare."]
        : []),
    ],
  };
}

function metricsIndex(title: string, judged: readonly JudgedMetrics[], samples: string): Table {
  return tableOf(title, judged, [
    [left("scenario", "Scenario"), linkTo],
    [right("competitors", "Competitors"), ({ rows }) => rows.length],
    [right("samples", samples), ({ times }) => times],
    [left("figures", "Figures"), figuresText],
  ]);
}

function linkTo({ scenario, title }: { readonly scenario: string; readonly title: string }): string {
  return `[${scenario}](${scenarioFile(scenario)}): ${title}`;
}

function figuresText({ metrics }: JudgedMetrics): string {
  return firstOf(Object.values(metrics).map(({ title }) => title));
}

function firstOf(names: readonly string[]): string {
  const more = names.length - NAMED;
  return [...names.slice(0, NAMED), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}
