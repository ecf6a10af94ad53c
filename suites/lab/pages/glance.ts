import type { JudgedMeasured, JudgedScenario } from "../../engine/schema/verdict.ts";
import { formatRatio } from "../../reporter/src/index.ts";
import type { Verdicts } from "../schema/verdict.ts";
import type { Raced } from "../tables/decided.ts";
import { shownRatio, shownVerdict } from "../verdicts/another-run.ts";
import { type Answer, seenFromAbove } from "./answer.ts";
import { citedIn, figuresIn, namesIn } from "./evidence.ts";

/**
 * What to take with one worker, with two and with many: the items of all answers that begin with `- **With`. Answers have no
 * figures of their own. So below an item stands one for each race that it links to. It has the ratios of the competitors that
 * the item names, at the number of workers that it begins with. Another has the columns of surveys that the item names. An item
 * that begins with no number is about more workers than were raced: the simulated figures of the competitors that it names
 * follow. Empty where no answer has such an item. Pure.
 */
export function glanceText(answered: readonly Answered[]): string {
  return answered
    .flatMap((one) => {
      const { primitive, question, answer } = one;
      const items = itemsOf(answer?.text ?? "").map((item) =>
        seenFromAbove([item, ...figuresOf(item, one)].join("\n  - "), primitive),
      );
      return items.length === 0
        ? []
        : [`### ${primitive}\n\n[${question}](${primitive}/README.md)\n\n${items.join("\n")}\n`];
    })
    .join("\n");
}

export interface Answered extends Raced, Verdicts {
  readonly question: string;
  readonly answer: Pick<Answer, "text"> | undefined;
  /** Figures with the most workers that were simulated, if any were. */
  readonly simulated?: SimulatedFigures | undefined;
  /** What other hosts say of a row, by its cell. */
  readonly elsewhere?: ReadonlyMap<string, string>;
}

export interface SimulatedFigures {
  /** Scenario, machine, workers and unit. */
  readonly title: string;
  readonly byCompetitor: ReadonlyMap<string, string>;
}

const ITEM = /^- \*\*With .*\n(?: {2}.*\n)*/gm;
const WORKERS = /^- \*\*With (\d+) worker/;

function itemsOf(text: string): string[] {
  return [...text.matchAll(ITEM)].map(([item]) => item.trimEnd());
}

/** The items below an item. */
function figuresOf(item: string, answered: Answered): string[] {
  const workers = WORKERS.exec(item)?.[1];
  if (workers !== undefined) {
    const readings = figuresIn(item, { races: [], metrics: answered.metrics });
    return [
      ...ratiosIn(item, Number(workers), answered),
      ...(readings.length === 0 ? [] : [`${readings.join("; ")}.`]),
    ];
  }
  const { simulated } = answered;
  return simulated === undefined ? [] : simulatedIn(item, simulated);
}

function simulatedIn(item: string, { title, byCompetitor }: SimulatedFigures): string[] {
  const figures = namesIn(item).flatMap((name) => {
    const figure = byCompetitor.get(name);
    return figure === undefined ? [] : `\`${name}\` ${figure}`;
  });
  return figures.length === 0 ? [] : [`${title}: ${figures.join("; ")}.`];
}

function ratiosIn(item: string, workers: number, { races, elsewhere = new Map() }: Answered): string[] {
  return [...citedIn(item)].flatMap(([scenario, { competitors }]) => {
    const race = races.find((judged) => judged.scenario === scenario);
    const baseline = race?.conditions.find((at) => at.workers === workers)?.baseline;
    if (race === undefined || baseline === undefined) return [];
    const ratios = [...competitors].flatMap((name) => ratiosOf(race, workers, name, elsewhere));
    return ratios.length === 0 ? [] : `${scenario}, to \`${baseline}\`: ${ratios.join("; ")}.`;
  });
}

/** One for each role of the workers; none of a baseline, which ratios are to. */
function ratiosOf(
  { rows }: JudgedScenario,
  workers: number,
  name: string,
  elsewhere: ReadonlyMap<string, string>,
): string[] {
  return rows.flatMap((row) => {
    if (row.noNumber !== undefined || row.competitor !== name || row.workers !== workers) return [];
    const words = ratioWords(row);
    const who = row.role === undefined ? `\`${name}\`` : `\`${name}\` (${row.role})`;
    const others = elsewhere.get(row.cell);
    return words === undefined
      ? []
      : [[`${who} ${words}`, ...(others === undefined ? [] : [others])].join(", and ")];
  });
}

function ratioWords(row: JudgedMeasured): string | undefined {
  const { verdict, groups, forks } = row;
  const ratio = shownRatio(row);
  if (verdict === "depends" && groups !== undefined)
    return groups
      .map((group) => `${formatRatio(shownRatio(group))} in ${group.forks} processes`)
      .join(" and ");
  return ratio === undefined ? undefined : `${formatRatio(ratio)}, ${shownVerdict(row)}, ${forks} processes`;
}
