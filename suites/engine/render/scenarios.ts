import type { JudgedMetrics } from "../schema/verdict.ts";
import { formatRatio, type Row, type Table, toMarkdown } from "./benchmark-reporter-markdown/src/index.ts";
import { left, right } from "./columns.ts";
import { rangeText, workersText } from "./drawing.ts";
import { unbroken } from "./markdown.ts";
import { hasSeveralMethods, methodOf, type Newest } from "./newest.ts";
import { type RaceResult, raceResults, type Standings } from "./races.ts";

/** How many figures of a scenario are named before the rest are counted. */
const NAMED_FIGURES = 3;

/**
 * The newest of a primitive's scenarios, with a link to the page of each and what one reads there: races with the fastest
 * and how sure that is, simulations and surveys with what they measure. Pure.
 */
export function scenariosText(newest: Newest, standings: Standings | undefined): string {
  const ofKind = (wanted: JudgedMetrics["kind"]) =>
    newest.verdicts.metrics.filter(({ kind }) => kind === wanted);
  const tables = [
    racesTable(newest, standings),
    metricsIndex("Simulations", ofKind("simulation"), "Seeds"),
    metricsIndex("Surveys", ofKind("survey"), "Processes"),
  ].filter(({ rows }) => rows.length > 0);
  return ["## Scenarios\n", ...tables.map((table) => toMarkdown(table, { headingLevel: 3 }))].join("\n");
}

/** Name of a scenario's page, which stands beside the record. */
export function scenarioFile(scenario: string): string {
  return `${scenario}.md`;
}

/** Of a table that says who leads in races: behind the columns that name a race. */
export const LEADER_COLUMNS = [
  left("at", "At"),
  left("fastest", "Fastest"),
  right("ratio", "Ratio"),
  left("verdict", "Verdict"),
  left("baseline", "Baseline"),
  right("floor", "Noise floor"),
];

export function leaderCells({ conditions, role, baseline, fastest }: RaceResult): Row["cells"] {
  return {
    at: [unbroken(workersText(conditions.workers)), ...(role === undefined ? [] : [role])].join(", "),
    fastest: fastest?.competitor ?? null,
    ratio: fastest?.ratio === undefined ? null : unbroken(formatRatio(fastest.ratio)),
    verdict: fastest?.verdict ?? null,
    baseline: baseline ?? null,
    floor: rangeText(conditions.floors),
  };
}

function racesTable(newest: Newest, standings: Standings | undefined): Table {
  const isMixed = hasSeveralMethods(newest);
  return {
    title: "Races",
    provenance: [],
    columns: [
      left("scenario", "Scenario"),
      ...LEADER_COLUMNS,
      ...(isMixed ? [right("method", "Method")] : []),
    ],
    rows: newest.verdicts.races.flatMap((judged) =>
      raceResults(judged, standings).map((result) => ({
        cells: {
          scenario: linkTo(judged),
          ...leaderCells(result),
          ...(isMixed ? { method: methodOf(newest, judged.scenario) } : {}),
        },
      })),
    ),
    legend: [
      "Fastest: the lowest ratio to the baseline, at the most workers that have a core each, among those that compete: no floor, no oracle, no variant of another.",
      ...(isMixed
        ? ["Method: the version that measured it; times and ratios of different versions do not compare."]
        : []),
    ],
  };
}

function metricsIndex(title: string, judged: readonly JudgedMetrics[], samples: string): Table {
  return {
    title,
    provenance: [],
    columns: [
      left("scenario", "Scenario"),
      right("competitors", "Competitors"),
      right("samples", samples),
      left("figures", "Figures"),
    ],
    rows: judged.map((each) => ({
      cells: {
        scenario: linkTo(each),
        competitors: each.rows.length,
        samples: each.times,
        figures: figuresText(each),
      },
    })),
    legend: [],
  };
}

function linkTo({ scenario, title }: { readonly scenario: string; readonly title: string }): string {
  return `[${scenario}](${scenarioFile(scenario)}): ${title}`;
}

function figuresText({ metrics }: JudgedMetrics): string {
  const titles = Object.values(metrics).map(({ title }) => title);
  const more = titles.length - NAMED_FIGURES;
  return [...titles.slice(0, NAMED_FIGURES), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}
