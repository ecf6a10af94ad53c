import type { JudgedMeasured } from "../../schema/verdict.ts";
import { formatRatio } from "../benchmark-reporter-markdown/src/index.ts";
import type { Raced } from "../tables/decided.ts";
import type { Answer } from "./answer.ts";
import { seenFromAbove } from "./front-door.ts";

/**
 * What to take with one worker, with two and with many: the items of all answers that begin with `- **With`. Answers have no
 * figures of their own. So a sentence follows for each race that an item links to, with the ratio of the first competitor that
 * it names, at the number of workers that it begins with. Empty where no answer has such an item. Pure.
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
const RACE_LINK = /\]\(([\w-]+)\.md\)/g;

function itemsOf(text: string): string[] {
  return [...text.matchAll(ITEM)].map(([item]) => item.trimEnd());
}

function withRatios(item: string, races: Raced["races"]): string {
  const workers = Number(WORKERS.exec(item)?.[1]);
  const competitor = /`([^`]+)`/.exec(item)?.[1];
  const linked = new Set([...item.matchAll(RACE_LINK)].map(([, scenario]) => scenario!));
  const sentences = [...linked].flatMap((scenario) => {
    const race = races.find((judged) => judged.scenario === scenario);
    const row = race?.rows.find((one) => one.workers === workers && one.competitor === competitor);
    const baseline = race?.conditions.find((at) => at.workers === workers)?.baseline;
    return row === undefined || row.noNumber !== undefined || baseline === undefined
      ? []
      : `${scenario}: ${ratioWords(row, baseline)}.`;
  });
  return [item, ...sentences].join("\n  ");
}

function ratioWords({ ratio, verdict, groups, forks }: JudgedMeasured, baseline: string): string {
  if (verdict === "depends" && groups !== undefined) {
    const [low, high] = groups.map((group) => `${formatRatio(group.ratio)} in ${group.forks} processes`);
    return `${low} and ${high}, to \`${baseline}\``;
  }
  return ratio === undefined
    ? "ratios are to it"
    : `ratio ${formatRatio(ratio)} to \`${baseline}\`, ${verdict}, ${forks} processes`;
}
