import type { JudgedMeasured, JudgedScenario } from "../../engine/schema/verdict.ts";
import { formatNumber } from "../../reporter/src/index.ts";
import { left, plain, right, tableOf } from "../tables/columns.ts";
import type { Raced } from "../tables/decided.ts";
import { unbroken } from "../tables/markdown.ts";
import { workersText } from "../tables/phrases.ts";
import { apartAs, type Labels, referenceConditions } from "../tables/races.ts";
import type { Answer } from "./answer.ts";
import { citedIn } from "./evidence.ts";
import { scenarioFile } from "./scenarios.ts";

/** A primitive whose choice may be worth something. */
export interface Weighed extends Raced {
  readonly answer: Pick<Answer, "text"> | undefined;
  readonly labels?: Labels | undefined;
}

const SHORT_NS = 50_000;
const LONG_NS = 2_000_000;
/** A choice that is worth less of a request than this share does not matter. */
const MATTERS = 0.01;

/**
 * How much of a request the choice of a competitor is, primitive by primitive: the most that one operation takes less the least,
 * in the first race that the answer links to. Empty where no answer links to a race. Pure.
 */
export function worthText(primitives: readonly Weighed[]): string {
  const choices = primitives.flatMap(choiceOf).toSorted((a, b) => gain(b) - gain(a));
  if (choices.length === 0) return "";
  const small = choices.filter((choice) => gain(choice) < MATTERS * LONG_NS);
  const table = tableOf("Worth", choices, [
    [left("primitive", "Operation"), ({ primitive, operation }) => `${primitive}: one ${operation}`],
    [left("race", "Race"), raceLink],
    [right("least", "Least"), ({ least }) => timeText(least)],
    [right("most", "Most"), ({ most }) => timeText(most)],
    [right("short", "Choice, of 50 us"), (choice) => shareText(gain(choice) / SHORT_NS)],
    [right("long", "Choice, of 2 ms"), (choice) => shareText(gain(choice) / LONG_NS)],
  ]);
  return `## How much for my server

${sentence(small, choices.length)}

*Choice*: the most less the least, as a share of a request that takes 50 us or 2 ms and does one such operation. Variants do not
count, some of which take longer. Times are medians of what one worker waits. Each worker has a core and does nothing else. With
more workers than cores some locks and pickers take thousands of times as long: see their pages.

${plain(table)}`;
}

interface Choice {
  readonly primitive: string;
  readonly scenario: string;
  readonly operation: string;
  readonly workers: number;
  readonly least: JudgedMeasured;
  readonly most: JudgedMeasured;
}

function choiceOf({ primitive, races, answer, labels }: Weighed): Choice[] {
  const race = [...citedIn(answer?.text ?? "").keys()]
    .map((cited) => races.find(({ scenario }) => scenario === cited))
    .find((found) => found !== undefined);
  if (race === undefined) return [];
  const { workers } = referenceConditions(race);
  const [least, ...more] = rivalsOf(race, workers, labels).toSorted((a, b) => a.median - b.median);
  const most = more.at(-1);
  const { scenario, operation } = race;
  return least === undefined || most === undefined
    ? []
    : [{ primitive, scenario, operation, workers, least, most }];
}

/** What competes at that number of workers, and has a number. */
function rivalsOf({ rows }: JudgedScenario, workers: number, labels: Labels | undefined): JudgedMeasured[] {
  return rows.flatMap((row) =>
    row.noNumber !== undefined ||
    row.workers !== workers ||
    apartAs(row, labels) !== undefined ||
    labels?.variants.has(row.competitor) === true
      ? []
      : [row],
  );
}

function gain({ least, most }: Choice): number {
  return most.median - least.median;
}

function raceLink({ primitive, scenario, workers }: Choice): string {
  return `[${scenario}](${primitive}/${scenarioFile(scenario)}), ${unbroken(workersText(workers))}`;
}

function timeText({ competitor, median }: JudgedMeasured): string {
  return `\`${competitor}\` ${unbroken(`${formatNumber(median, 3)} ns`)}`;
}

function shareText(share: number): string {
  return unbroken(`${formatNumber(100 * share, 3)} %`);
}

function sentence(small: readonly Choice[], all: number): string {
  const names = small.map(({ primitive }) => primitive);
  return names.length === all
    ? "For a request of 2 ms none of these choices is worth a hundredth."
    : `For a request of 2 ms these choices are worth less than a hundredth: ${names.join(", ")}. Choose there by what else an answer says.`;
}
