import { judgeContrast } from "../../engine/judge/verdict.ts";
import type { Conditions, JudgedScenario } from "../../engine/schema/verdict.ts";
import { formatRatio, type Row, toMarkdown } from "../../reporter/src/index.ts";
import { verdictCell } from "../../reporter/src/lab.ts";
import { left, right } from "../tables/columns.ts";
import { ratioInTwo, unbroken } from "../tables/markdown.ts";
import { workersText } from "../tables/phrases.ts";
import type { Labels } from "../tables/races.ts";
import { shownJudgement } from "../verdicts/another-run.ts";
import { scenarioFile } from "./scenarios.ts";

/**
 * How much the language costs: each competitor beside its yardstick, which takes the same steps in WebAssembly, wherever
 * workers had a core each. A pair has a row if both have a number. Empty if no pair has. Pure.
 */
export function yardsticksText(
  races: readonly JudgedScenario[],
  labels: Labels | undefined,
): readonly string[] {
  const rows = races.flatMap((judged) => rowsOf(judged, labels?.yardsticks ?? new Map()));
  if (rows.length === 0) return [];
  const table = toMarkdown(
    {
      title: "How far JavaScript is from WebAssembly",
      provenance: [],
      columns: [
        left("script", "JavaScript"),
        right("ratio", "Ratio"),
        left("verdict", "Verdict"),
        left("yardstick", "Yardstick"),
        left("scenario", "Scenario"),
        left("at", "At"),
      ],
      rows,
      legend: [
        "Yardstick: the same steps in WebAssembly. Ratio: the time of JavaScript over that of its yardstick, with its interval. **slower**: JavaScript is slower.",
      ],
    },
    { headingLevel: 2 },
  );
  return [table];
}

function rowsOf(judged: JudgedScenario, yardsticks: Labels["yardsticks"]): Row[] {
  return judged.conditions
    .filter(({ oversubscribed }) => !oversubscribed)
    .toSorted((a, b) => a.workers - b.workers)
    .flatMap((conditions) =>
      [...yardsticks].flatMap(([yardstick, script]) => pairsOf(judged, conditions, script, yardstick)),
    );
}

/** One row for each role of the workers in which both have a number. */
function pairsOf(judged: JudgedScenario, conditions: Conditions, script: string, yardstick: string): Row[] {
  const { workers } = conditions;
  const measured = judged.rows.flatMap((row) =>
    row.noNumber === undefined && row.workers === workers ? [row] : [],
  );
  return measured
    .filter(({ competitor }) => competitor === script)
    .flatMap(({ role, against }) => {
      const other = measured.find((row) => row.competitor === yardstick && row.role === role);
      const seen = against.find(({ cell }) => cell === other?.cell);
      if (seen === undefined) return [];
      const strictness = { rows: conditions.judged, looks: conditions.looks };
      const judgement = shownJudgement(judgeContrast(seen, strictness), seen, conditions);
      return {
        cells: {
          scenario: `[${judged.scenario}](${scenarioFile(judged.scenario)})`,
          at: [unbroken(workersText(workers)), ...(role === undefined ? [] : [role])].join(", "),
          script,
          yardstick,
          ratio: ratioInTwo(formatRatio(judgement.ratio)),
          verdict: verdictCell(judgement),
        },
      };
    });
}
