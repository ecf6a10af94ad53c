import { confidenceOf, intervalOf, judgeContrast, judgementOf } from "../../engine/judge/verdict.ts";
import type {
  Conditions,
  Contrast,
  JudgedMeasured,
  JudgedScenario,
  Ratio,
} from "../../engine/schema/verdict.ts";
import { mean } from "../../engine/statistics.ts";
import { toMarkdown } from "../../reporter/src/index.ts";
import { left, right, tableOf } from "../tables/columns.ts";
import { list, ratioInTwo } from "../tables/markdown.ts";
import { ratioIn } from "../tables/one-run.ts";
import { apartAs, type Labels } from "../tables/races.ts";
import { shownJudgement } from "../verdicts/another-run.ts";
import { scenarioFile } from "./scenarios.ts";

/** Rows of a table at most. */
const MOST_ROWS = 8;
/** One that raced in a smaller share of the conditions than the others might just lack its bad ones. */
const LEAST_SHARE = 0.5;

/** How far a competitor is behind the best in a condition. */
interface Regret {
  readonly competitor: string;
  /** As what it does not compete, if it does not. */
  readonly as: string | undefined;
  /** The condition, as a link. */
  readonly where: string;
  readonly oversubscribed: boolean;
  /** Its time over that of the best, 1 at least. */
  readonly ratio: Ratio;
}

/**
 * Who is never far from the best: for each competitor of a primitive how many times as long as the best it takes at worst, over
 * all conditions. A condition is a scenario at one worker count and in one role. Where processes fall into two groups that
 * answer differently, the group that suits a competitor less counts. Lower bounds are left out because nobody can use them.
 * Oracles are included. One section, or none where there is nothing to compare. Pure.
 */
export function regretText(races: readonly JudgedScenario[], labels: Labels | undefined): string[] {
  const regrets = races.flatMap((judged) =>
    judged.conditions.flatMap((conditions) => regretsAt(judged, conditions, labels)),
  );
  const within = regrets.filter(({ oversubscribed }) => !oversubscribed);
  const tables = [
    ...regretTable("With a core for each worker", within),
    ...(within.length === regrets.length ? [] : regretTable("Also with more workers than cores", regrets)),
  ];
  if (tables.length === 0) return [];
  return [
    [
      "## Who is never far from the best\n",
      "How many times as long as the best competitor an operation takes, over scenarios and worker counts.\n",
      ...tables,
      list([
        "At worst: the highest ratio, with its interval. In a row that depends it is that of the worse group.",
        "On average: the geometric mean. Conditions: scenarios at one worker count and in one role.",
        `Shown are at most ${MOST_ROWS} competitors, the lowest first. Lower bounds are left out, and so are competitors that raced in fewer than half as many conditions as another.`,
      ]),
    ].join("\n"),
  ];
}

function regretTable(title: string, regrets: readonly Regret[]): string[] {
  const byCompetitor = [...Map.groupBy(regrets, ({ competitor }) => competitor).values()];
  const most = Math.max(0, ...byCompetitor.map(({ length }) => length));
  const ranked = byCompetitor
    .filter(({ length }) => length >= LEAST_SHARE * most)
    .map((own) => ({ own, worst: own.reduce((a, b) => (b.ratio.value > a.ratio.value ? b : a)) }))
    .toSorted((a, b) => a.worst.ratio.value - b.worst.ratio.value);
  if (most < 2 || ranked.length < 2) return [];
  const table = tableOf(title, ranked.slice(0, MOST_ROWS), [
    [
      left("competitor", "Competitor"),
      ({ worst: { competitor, as } }) => (as === undefined ? competitor : `${competitor} (${as})`),
    ],
    [right("worst", "At worst"), ({ worst }) => ratioInTwo(ratioIn(worst, worst.ratio))],
    [left("where", "Where"), ({ worst: { where } }) => where],
    [right("average", "On average"), ({ own }) => averageOf(own).toFixed(2)],
    [right("conditions", "Conditions"), ({ own }) => own.length],
  ]);
  return [toMarkdown(table, { headingLevel: 3 })];
}

function averageOf(own: readonly Regret[]): number {
  return Math.exp(mean(own.map(({ ratio: { value } }) => Math.log(value))));
}

function regretsAt(judged: JudgedScenario, conditions: Conditions, labels: Labels | undefined): Regret[] {
  const { workers, oversubscribed } = conditions;
  const measured = judged.rows.flatMap((row) =>
    row.noNumber !== undefined ||
    row.workers !== workers ||
    row.kind === "aa-control" ||
    labels?.lowerBounds.has(row.competitor) === true
      ? []
      : [row],
  );
  const cells = new Set(measured.map(({ cell }) => cell));
  const link = `[${judged.scenario}](${scenarioFile(judged.scenario)}) ${workers}w`;
  return measured.map((row) => ({
    competitor: row.competitor,
    as: apartAs(row, labels),
    where: row.role === undefined ? link : `${link}, ${row.role}`,
    oversubscribed,
    ratio: furthestBehind(row, cells, conditions),
  }));
}

const NOT_BEHIND: Ratio = { value: 1, low: 1, high: 1 };

/** The highest of its ratios to the others of its condition, 1 at least. */
function furthestBehind(
  { against }: JudgedMeasured,
  cells: ReadonlySet<string>,
  conditions: Conditions,
): Ratio {
  return against
    .filter(({ cell }) => cells.has(cell))
    .map((seen) => worstRatio(seen, conditions))
    .reduce((a, b) => (b.value > a.value ? b : a), NOT_BEHIND);
}

function worstRatio(seen: Contrast, conditions: Conditions): Ratio {
  const { judged: rows, looks } = conditions;
  const judgement = judgeContrast(seen, { rows, looks });
  const worse = judgement.verdict === "depends" ? seen.groups?.at(-1) : undefined;
  if (worse === undefined) return shownJudgement(judgement, seen, conditions).ratio;
  const ofWorse = judgementOf(intervalOf(worse, confidenceOf({ rows, looks })), seen.floor);
  return shownJudgement(ofWorse, { ...seen, ...worse }, conditions).ratio;
}
