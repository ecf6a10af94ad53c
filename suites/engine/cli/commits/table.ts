import { statSync } from "node:fs";
import { appendStepSummary, MOST_SUMMARY_BYTES } from "../../../reporter/src/step-summary.ts";
import { aligned, percent, type TextOptions } from "../../race-text.ts";
import { plainLine } from "../../schema/lines.ts";
import { median } from "../../statistics.ts";
import { emptyReport, type RefusedFile } from "../report.ts";
import { escaped, ratioText } from "../report-text.ts";
import { moreText, timeText } from "../times.ts";
import { type CommitsOutcome, racedRows, summaryOf, type TaskRow } from "./outcome.ts";

/** The outcome of two commits as text for people: for a terminal, and as Markdown for a job's summary. */

const COLUMNS = ["task", "base", "head", "ratio", "verdict"] as const;

export function outcomeText(outcome: CommitsOutcome, options: TextOptions = {}): string {
  const nameOf = namesOf(outcome.rows);
  const cells = racedRows(outcome.rows).map((row) => cellsOf(row, nameOf(row)));
  return `${[
    titleOf(outcome),
    "",
    ...(cells.length === 0 ? [] : [...aligned([[...COLUMNS], ...cells], options), ""]),
    countsWithNoise(outcome),
    ...linesOf(outcome),
    ...folded(outcome.rows).map(({ what, names }) => `${what}: ${firstOf(names)}`),
  ].join("\n")}\n`;
}

/** What `--json` writes. */
export function outcomeJson(
  outcome: CommitsOutcome,
  tool: string,
  seed: number,
  refused: readonly RefusedFile[],
): string {
  return `${JSON.stringify({ ...emptyReport(tool, seed), refused, commits: outcome }, undefined, 2)}\n`;
}

/** At most `mostBytes` of UTF-8: rows and names that do not fit are counted in a line at the end. */
export function outcomeMarkdown(outcome: CommitsOutcome, mostBytes = Number.POSITIVE_INFINITY): string {
  const nameOf = namesOf(outcome.rows);
  const raced = racedRows(outcome.rows);
  const table = raced.map((row) => {
    const [task, ...figures] = cellsOf(row, nameOf(row));
    return `| ${[code(task!).replaceAll("|", "\\|"), ...figures].join(" | ")} |`;
  });
  const head = [
    `### ${titleOf(outcome)}`,
    "",
    countsWithNoise(outcome),
    "",
    ...(raced.length === 0 ? [] : [`| ${COLUMNS.join(" | ")} |`, "| :-- | --: | --: | --: | :-- |"]),
  ];
  const after = [
    "",
    ...linesOf(outcome).map((line) => `- ${escaped(line)}`),
    ...folded(outcome.rows).flatMap(({ what, names }) => [
      "",
      "<details>",
      `<summary>${what}</summary>`,
      "",
      ...names.map((name) => `- ${code(name)}`),
      "",
      "</details>",
    ]),
  ];
  return cut([...head, ...table, ...after], mostBytes);
}

/** Appends the outcome to the summary of a GitHub job's step, whose file is at `path`: as much as GitHub shows of one. */
export function appendOutcome(path: string, outcome: CommitsOutcome): void {
  const there = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const separation = 1;
  appendStepSummary(outcomeMarkdown(outcome, MOST_SUMMARY_BYTES - there - separation), path);
}

function titleOf({ base, head }: CommitsOutcome): string {
  const changes = head.isDirty ? " with uncommitted changes" : "";
  return `${short(head.commit)}${changes} against ${plainLine(base.ref)} (${short(base.commit)})`;
}

function short(commit: string): string {
  return commit.slice(0, 7);
}

/** How many rows were compared, and how noisy that was. */
function countsWithNoise({ rows }: CommitsOutcome): string {
  const floors = rows.flatMap(({ floor }) => floor ?? []);
  if (floors.length === 0) return `${summaryOf(rows)}.`;
  const [usual, most] = [percent(median(floors)), percent(Math.max(...floors))];
  const atMost = most === usual ? "" : `, and ${most} at most`;
  return `${summaryOf(rows)}. The noise floor of this machine is ${usual}${atMost}.`;
}

/** What a reader has to know beside the table, a line each. */
function linesOf({ rows, refused, remarks }: CommitsOutcome): string[] {
  const nameOf = namesOf(rows);
  return [
    ...refused.map(({ file, reason }) => (reason.startsWith(file) ? reason : `${file}: ${reason}`)),
    ...racedRows(rows).flatMap((row) => {
      const reasons = [row.reason, row.compiled, allocationIn(row), row.remark].filter(
        (text) => text !== undefined,
      );
      return reasons.map((text) => `${nameOf(row)}: ${text}`);
    }),
    ...unracedReasons(rows),
    ...remarks,
  ].map(plainLine);
}

/** "allocates 48 B more"; undefined where that is not shown to be. */
function allocationIn({ allocates }: TaskRow): string | undefined {
  const isShown = allocates?.verdict === "more" || allocates?.verdict === "less";
  return isShown ? `allocates ${moreText(allocates)}` : undefined;
}

/** Why tasks did not race, one line for all tasks of a file that have the same reason. */
function unracedReasons(rows: readonly TaskRow[]): string[] {
  const nameOf = namesOf(rows);
  const raced = new Set(racedRows(rows));
  const unraced = rows.filter((row) => row.reason !== undefined && !raced.has(row));
  const alike = Map.groupBy(unraced, ({ file, verdict, reason }) => JSON.stringify([file, verdict, reason]));
  return [...alike.values()].map((own) => {
    const { verdict, reason } = own[0]!;
    return `${verdict}: ${own.map(nameOf).join("; ")}: ${reason}`;
  });
}

/** Tasks that a reader may unfold. */
function folded(rows: readonly TaskRow[]): { what: string; names: string[] }[] {
  const nameOf = namesOf(rows);
  return [
    ["unchanged", "unchanged, both commits load the same files"],
    ["not raced", "not raced, the budget was over"],
    ["new", "new, the base does not have them"],
    ["gone", "gone, only the base has them"],
  ].flatMap(([verdict, what]) => {
    const names = rows.filter((row) => row.verdict === verdict && row.reason === undefined).map(nameOf);
    return names.length === 0 ? [] : [{ what: `${names.length} ${what}`, names }];
  });
}

/** Names in a line that is to be read; there may be hundreds. */
const MOST_NAMES = 12;

function firstOf(names: readonly string[]): string {
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more, see --json` : "";
  return names.slice(0, MOST_NAMES).join("; ") + more;
}

/** How rows are named: with their file where there are several. */
function namesOf(rows: readonly TaskRow[]): (row: TaskRow) => string {
  const isOne = new Set(rows.map(({ file }) => file)).size === 1;
  return ({ file, task }) => plainLine(isOne ? task : `${file}: ${task}`);
}

function cellsOf(row: TaskRow, name: string): string[] {
  const { ratio, groups, baseNs, headNs, verdict, sees } = row;
  const [base, head] = [baseNs, headNs].map((ns) => (ns === undefined ? "" : timeText(ns))) as [
    string,
    string,
  ];
  const ratios = verdict === "depends" && groups !== undefined ? groups.map((group) => group.ratio) : [ratio];
  const shown = ratios.map((one) => (one === undefined ? "" : ratioText(one))).join(" or ");
  const least = verdict === "cannot tell" && sees !== undefined ? ` (sees ${percent(sees)})` : "";
  return [name, base, head, shown, verdict + least];
}

/** A name as code, in which nothing is markup. A table ends its cell at a bar even there. */
function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const padding = longest === 0 ? "" : " ";
  return `${fence}${padding}${text}${padding}${fence}`;
}

/** What closes a fold, and says how many lines are missing, has room in this number of bytes. */
const ROOM_TO_CLOSE = 100;

/** As many of the lines as fit, and how many do not. */
export function cut(lines: readonly string[], mostBytes: number): string {
  const whole = `${lines.join("\n")}\n`;
  if (Buffer.byteLength(whole) <= mostBytes) return whole;
  let [fitting, bytes] = [0, ROOM_TO_CLOSE];
  for (const line of lines) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > mostBytes) break;
    fitting++;
  }
  if (fitting === 0) return "";
  const shown = lines.slice(0, fitting);
  const isFolded = shown.lastIndexOf("<details>") > shown.lastIndexOf("</details>");
  return `${shown.join("\n")}\n${isFolded ? "\n</details>\n" : ""}\n${lines.length - fitting} more lines do not fit here; --json has all.\n`;
}
