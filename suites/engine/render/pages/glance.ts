import type { JudgedMeasured, JudgedScenario } from "../../schema/verdict.ts";
import { formatRatio } from "../benchmark-reporter-markdown/src/index.ts";
import type { Raced } from "../tables/decided.ts";
import { type Answer, seenFromAbove } from "./answer.ts";
import { citedIn } from "./evidence.ts";

/**
 * What to take with one worker, with two and with many: the items of all answers that begin with `- **With`. Answers have no
 * figures of their own. So a sentence follows for each race that an item links to, with the ratios of the competitors that it
 * names, at the number of workers that it begins with. Empty where no answer has such an item. Pure.
 */
export function glanceText(answered: readonly Answered[]): string {
  return answered
    .flatMap(({ primitive, question, answer, races }) => {
      const items = itemsOf(answer?.text ?? "").map((item) =>
        seenFromAbove(withRatios(item, races), primitive),
      );
      return items.length === 0
        ? []
        : [`**[${primitive}](${primitive}/README.md).** ${question}\n\n${items.join("\n")}\n`];
    })
    .join("\n");
}

export interface Answered extends Raced {
  readonly question: string;
  readonly answer: Pick<Answer, "text"> | undefined;
}

const ITEM = /^- \*\*With .*\n(?: {2}.*\n)*/gm;
const WORKERS = /^- \*\*With (\d+) worker/;

function itemsOf(text: string): string[] {
  return [...text.matchAll(ITEM)].map(([item]) => item.trimEnd());
}

function withRatios(item: string, races: Raced["races"]): string {
  const workers = Number(WORKERS.exec(item)?.[1]);
  const sentences = [...citedIn(item)].flatMap(([scenario, { competitors }]) => {
    const race = races.find((judged) => judged.scenario === scenario);
    const baseline = race?.conditions.find((at) => at.workers === workers)?.baseline;
    if (race === undefined || baseline === undefined) return [];
    const ratios = [...competitors].flatMap((name) => ratiosOf(race, workers, name));
    return ratios.length === 0 ? [] : `${scenario}, to \`${baseline}\`: ${ratios.join("; ")}.`;
  });
  return [item, ...sentences].join("\n  ");
}

/** One for each role of the workers; none of a baseline, which ratios are to. */
function ratiosOf({ rows }: JudgedScenario, workers: number, name: string): string[] {
  return rows.flatMap((row) => {
    if (row.noNumber !== undefined || row.competitor !== name || row.workers !== workers) return [];
    const words = ratioWords(row);
    const who = row.role === undefined ? `\`${name}\`` : `\`${name}\` (${row.role})`;
    return words === undefined ? [] : `${who} ${words}`;
  });
}

function ratioWords({ ratio, verdict, groups, forks }: JudgedMeasured): string | undefined {
  if (verdict === "depends" && groups !== undefined)
    return groups.map((group) => `${formatRatio(group.ratio)} in ${group.forks} processes`).join(" and ");
  return ratio === undefined ? undefined : `${formatRatio(ratio)}, ${verdict}, ${forks} processes`;
}
