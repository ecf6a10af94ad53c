import { posix } from "node:path";
import { spreadText, timeText } from "../../judge/spread.ts";
import { isDecided, judgeContrast, type Verdict } from "../../judge/verdict.ts";
import type { JudgedMeasured, JudgedMetrics, JudgedScenario, Verdicts } from "../../schema/verdict.ts";
import { formatNumber, formatRatio } from "../benchmark-reporter-markdown/src/index.ts";
import { scenarioFile } from "./scenarios.ts";

/**
 * Holds what people write to the newest verdicts. A figure names its row by being a link to the page of its scenario, whose
 * title is the rest of the row's cell; so a reader who doubts it is one click from it:
 *
 *     [0.67 (0.56-0.78)](short-section.md "ticket/2w")               ratio to the baseline
 *     [0.67 (0.56-0.78)](short-section.md "ticket/2w to mcs-spin")   to another
 *     [113 ns (109-117)](short-section.md "ticket/2w")               time of one operation
 *     [3](short-section.md "ticket/2w: spins")                       another column, by its key
 *     [0.52 (0.50-0.54)](short-section.md "ticket/2w: lower")        of a row that depends, one group: lower or upper
 *     [17 (16-17) messages/s](churn.md "least-loaded/peak")          of a simulation or survey, by the metric's key
 *
 * Pure.
 */
export interface Written {
  /** From the root of the repository: `results/pick/answer.md`. */
  readonly path: string;
  readonly text: string;
}

/** A line of its own in a text all of whose figures name their rows. */
export const HELD = "Written for the newest records.";

/** Words that put one before another. */
const RANKING = /\b(?:(?:fast|slow|cheap|quick)(?:er|est)|dearer|dearest|better|best|worse|worst)\b/i;
/** With its interval, or with decimals. */
const FIGURE = /\d[\d.,]*(?: [^\s()]+)? \(\d[\d.,]*-(?:\d[\d.,]*|never)\)|\d+\.\d+/g;
const QUOTE = /\[([^[\]]+)\]\(([^()\s"]+)\s+"([^"]+)"\)/g;

/** The newest of a primitive, if it has any. */
type VerdictsOf = (primitive: string) => Verdicts | undefined;

/** What is wrong with the quotes of a text, one line for each. */
export function faultsOf({ path, text }: Written, verdictsOf: VerdictsOf): string[] {
  const isHeld = text.split("\n").includes(HELD);
  let from = 0;
  return sentencesIn(text).flatMap((sentence) => {
    from = text.indexOf(sentence.trim().split("\n")[0]!, from);
    const line = text.slice(0, from).split("\n").length;
    const faults = [
      ...faultsIn(sentence, posix.dirname(path), verdictsOf),
      ...(isHeld ? withoutRow(sentence) : []),
    ];
    return faults.map((fault) => `${path}:${line}: ${fault}`);
  });
}

/** A cell of a table is a sentence, or several. Code is none. */
function sentencesIn(text: string): string[] {
  const blank = (code: string) => code.replaceAll(/[^\n]/g, " ");
  return text
    .replaceAll(/^```.*?^```/gms, blank)
    .replaceAll(/^ {4}.*$/gm, blank)
    .split(/\n[^\S\n]*\n|\n(?=[->#|])|\|/)
    .flatMap((block) => block.split(/(?<=[.!?](?:\*\*|[)"])?)\s+/))
    .filter((sentence) => sentence.trim() !== "");
}

interface Seen {
  /** As it is written of it. */
  readonly figure: string;
  /** What it is one of. */
  readonly verdict?: Verdict;
}

function faultsIn(sentence: string, folder: string, verdictsOf: VerdictsOf): string[] {
  const words = sentence.replaceAll(QUOTE, "").replaceAll(/`[^`]*`/g, "");
  const [ranking] = RANKING.exec(words) ?? [];
  return [...sentence.matchAll(QUOTE)].flatMap(([, ...parts]) => {
    const [figure, target, title] = parts.map(inOneLine);
    const found = pageOf(target!, folder, verdictsOf);
    if (found === undefined) return [`${target} is no page of a scenario that a row could be of`];
    const row = `${found.page}/${title}`;
    const seen = seenOf(figure!, title!, found);
    if (seen === undefined) return [`${row} is no row with such a figure`];
    if (seen.figure !== figure) return [`${figure} is ${seen.figure} in the newest record: ${row}`];
    if (seen.verdict === "depends")
      return [`${row} depends: quote its groups, as "${title}: lower" and "${title}: upper"`];
    if (ranking === undefined || seen.verdict === undefined || isDecided(seen.verdict)) return [];
    return [`"${ranking}" stands beside ${figure}, which is open (${seen.verdict}): ${row}`];
  });
}

/** The text with the newest figure in each quote of a row that has one. */
export function requoted({ path, text }: Written, verdictsOf: VerdictsOf): string {
  return text.replaceAll(QUOTE, (quote, written: string, target: string, title: string) => {
    const found = pageOf(target, posix.dirname(path), verdictsOf);
    const figure = inOneLine(written);
    const seen = found && seenOf(figure, inOneLine(title), found);
    return seen === undefined || seen.figure === figure ? quote : quote.replace(written, () => seen.figure);
  });
}

function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

interface Page {
  /** `pick/uniform-8`. */
  readonly page: string;
  readonly file: string;
  readonly verdicts: Verdicts;
}

function pageOf(target: string, folder: string, verdictsOf: VerdictsOf): Page | undefined {
  const [, primitive, file] = /^results\/([^/]+)\/([^/]+\.md)$/.exec(posix.join(folder, target)) ?? [];
  const verdicts = primitive === undefined ? undefined : verdictsOf(primitive);
  return verdicts && { page: `${primitive}/${file!.replace(/\.md$/, "")}`, file: file!, verdicts };
}

/** Of all that a row shows what is written in the form of `figure`. */
function seenOf(figure: string, title: string, { file, verdicts }: Page): Seen | undefined {
  const { races, metrics } = verdicts;
  const isOfPage = ({ scenario }: { readonly scenario: string }) => scenarioFile(scenario) === file;
  const race = races.find(isOfPage);
  return race === undefined
    ? seenMetric(figure, title, metrics.find(isOfPage))
    : seenInRace(figure, title, race);
}

function seenMetric(figure: string, title: string, judged: JudgedMetrics | undefined): Seen | undefined {
  const [competitor, metric] = title.split("/");
  const described = judged?.metrics[metric!];
  const spread = judged?.rows.find((row) => row.competitor === competitor)?.spreads[metric!];
  if (described === undefined || spread === undefined) return undefined;
  const text = spreadText(spread, described.digits);
  const withUnit = `${text} ${described.unit}`;
  return { figure: figure.endsWith(` ${described.unit}`) ? withUnit : text };
}

function seenInRace(figure: string, title: string, race: JudgedScenario): Seen | undefined {
  const [cell, column] = title.split(": ");
  const [named, than] = cell!.split(" to ");
  const [competitor, workers, role] = named!.split("/");
  const rowOf = (name: string) =>
    race.rows.find(
      (each): each is JudgedMeasured =>
        each.noNumber === undefined &&
        each.competitor === name &&
        `${each.workers}w` === workers &&
        each.role === role,
    );
  const row = rowOf(competitor!);
  if (row === undefined) return undefined;
  if (column !== undefined) {
    const group = row.groups?.[GROUPS.indexOf(column)];
    if (group !== undefined) return { figure: formatRatio(group.ratio) };
    const value = row.extra[column];
    return value === undefined ? undefined : { figure: formatNumber(value) };
  }
  if (than === undefined) {
    if (/ ns(?: \(|$)/.test(figure)) return { figure: timeText(row) };
    return row.ratio && { figure: formatRatio(row.ratio), verdict: row.verdict as Verdict };
  }
  const contrast = row.against.find(({ cell }) => cell === rowOf(than)?.cell);
  if (contrast === undefined) return undefined;
  const { judged, looks } = race.conditions.find(({ workers }) => workers === row.workers)!;
  const { ratio, verdict } = judgeContrast(contrast, { rows: judged, looks });
  return { figure: formatRatio(ratio), verdict };
}

/** How the groups of a row that depends are named, in their order. */
const GROUPS = ["lower", "upper"];

/** A text as its readers see it: of links the words alone. */
export function withoutLinks(text: string): string {
  return text.replaceAll(/\]\([^()]*\)/g, "]").replaceAll(/[[\]]/g, "");
}

/** Figures of a sentence that are no part of a quote. */
function withoutRow(sentence: string): string[] {
  const rest = withoutLinks(sentence.replaceAll(QUOTE, "").replaceAll(/`[^`]*`/g, ""));
  return (rest.match(FIGURE) ?? []).map(
    (figure) => `${figure} names no row: write it as [${figure}](<scenario>.md "<competitor>/<workers>w")`,
  );
}
