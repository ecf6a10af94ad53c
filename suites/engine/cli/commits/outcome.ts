import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { plainLine } from "../../schema/lines.ts";
import type { FailOn } from "../arguments.ts";
import type { RefusedFile } from "../report.ts";
import { EXIT } from "../usage.ts";
import type { SeenRace } from "./verdicts.ts";

/** What came of comparing two commits: plain data, which `--json` writes as it is. Times in ns, ratios head / base. */
export interface CommitsOutcome {
  readonly base: { readonly ref: string; readonly commit: string };
  /** `commit` is what is checked out; `isDirty` where the working tree differs from it. */
  readonly head: { readonly commit: string; readonly isDirty: boolean };
  /** What was done and what a reader has to know, a line each. */
  readonly remarks: readonly string[];
  /** In the order of the files. */
  readonly rows: readonly TaskRow[];
  /** Files that neither commit can race, or that cannot be compared, and why in one line. */
  readonly refused: readonly { readonly file: string; readonly reason: string }[];
  readonly exitCode: number;
  /** Absent unless the base has no bench file at all. */
  readonly isFirst?: true;
}

/** A task of either commit, at one number of workers. */
export interface TaskRow extends Partial<Omit<SeenRace, "verdict" | "role">> {
  /** Of its file, relative to the repository. */
  readonly file: string;
  /** Of the task, and of its workers where there are several. */
  readonly task: string;
  /**
   * A verdict of a race: `slower` (in two races), `faster`, `same`, `depends`, `cannot tell`, `no power`, `not judged`, `no number`. Or why
   * there was none: `unchanged` (the base loads the same files), `new`, `gone`, `failed` (in the head alone), `no base` (the base alone
   * fails or is refused), `refused` (both are), `not raced` (no time).
   */
  readonly verdict: string;
  readonly remark?: string;
}

/**
 * 3 where something is slower, or allocates more, as far as that is to fail. Else 1 where something failed in the head alone. Else 2 where nothing
 * was compared: no race had a verdict and no task is unchanged, or time was over before any of those that changed. Else 0.
 */
export function exitCodeOf(
  rows: readonly TaskRow[],
  refused: CommitsOutcome["refused"],
  failOn: FailOn,
): number {
  const { compared, unchanged, others } = partsOf(rows);
  if (failOn !== "never" && compared.some(({ verdict }) => verdict === "slower")) return EXIT.slower;
  if (failOn === "bytes" && rows.some(({ allocates }) => allocates?.verdict === "more")) return EXIT.slower;
  if (others.some(({ verdict }) => verdict === "failed")) return EXIT.failed;
  const isKnown = unchanged.length > 0 && !others.some(({ verdict }) => verdict === "not raced");
  const isNothing = rows.length + refused.length === 0;
  return compared.length > 0 || isKnown || isNothing ? EXIT.ok : EXIT.usage;
}

/** What to do where nothing was compared, a line each. `build` is what may build the base; undefined where it was built. */
export function mendings(rows: readonly TaskRow[], build: string | undefined): string[] {
  const building =
    build === undefined
      ? ""
      : `--build "${build}", which runs in both commits, if it has to be built or lacks packages, or `;
  const lines = {
    "no base": `the base does not run: give ${building}another --base`,
    "not raced": "there was no time: give a longer --budget, or fewer tasks by --task TEXT",
    new: "the base has none of these tasks: give a --base that has some",
  };
  return Object.entries(lines).flatMap(([wanted, line]) =>
    rows.some(({ verdict }) => verdict === wanted) ? [`nothing was compared, since ${line}`] : [],
  );
}

/** What was not raced, for the list of a report, whose files are URLs. `top` is the folder of the repository. */
export function refusalsOf({ rows, refused }: CommitsOutcome, top: string): RefusedFile[] {
  const urlOf = (file: string) => pathToFileURL(join(top, file)).href;
  return [
    ...refused.map(({ file, reason }) => ({ file: urlOf(file), reason: plainLine(`${file}: ${reason}`) })),
    ...rows
      .filter(({ verdict, reason }) => !RACED.includes(verdict) && reason !== undefined)
      .map(({ file, task, reason }) => ({
        file: urlOf(file),
        reason: plainLine(`${file}: ${task}: ${reason}`),
      })),
  ];
}

/** Verdicts with a ratio to rest on, in the order of tables. */
const COMPARED = ["slower", "faster", "depends", "same", "cannot tell", "no power"];
/** Of all races, likewise. */
const RACED = [...COMPARED, "not judged", "no number"];
/** The others, likewise. */
const NOT_RACED = ["failed", "unchanged", "new", "gone", "no base", "refused", "not raced"];

/** The rows that raced, in the order of tables: the largest differences first. */
export function racedRows(rows: readonly TaskRow[]): TaskRow[] {
  const distance = ({ ratio }: TaskRow) => Math.abs(Math.log(ratio?.value ?? 1));
  return rows
    .filter(({ verdict }) => RACED.includes(verdict))
    .toSorted((a, b) => RACED.indexOf(a.verdict) - RACED.indexOf(b.verdict) || distance(b) - distance(a));
}

/** The rows that were compared; those whose commits load the same files; and all others. */
function partsOf(rows: readonly TaskRow[]) {
  const isCompared = ({ verdict }: TaskRow) => COMPARED.includes(verdict);
  const isUnchanged = ({ verdict }: TaskRow) => verdict === "unchanged";
  return {
    compared: rows.filter(isCompared),
    unchanged: rows.filter(isUnchanged),
    others: rows.filter((row) => !isCompared(row) && !isUnchanged(row)),
  };
}

/** "3 compared (2 slower, 1 same), 0 unchanged, 1 not compared (1 new)" */
export function summaryOf(rows: readonly TaskRow[]): string {
  const { compared, unchanged, others } = partsOf(rows);
  const counted = (what: string, own: readonly TaskRow[]) =>
    `${own.length} ${what}${own.length === 0 ? "" : ` (${countsOf(own)})`}`;
  return [
    counted("compared", compared),
    `${unchanged.length} unchanged`,
    counted("not compared", others),
  ].join(", ");
}

/** "2 slower, 1 faster, 4 same": of all verdicts that there are. */
export function countsOf(rows: readonly TaskRow[]): string {
  const counts = [...RACED, ...NOT_RACED].map((verdict) => [
    verdict,
    rows.filter((row) => row.verdict === verdict).length,
  ]);
  return counts
    .filter(([, count]) => count !== 0)
    .map(([verdict, count]) => `${count} ${verdict}`)
    .join(", ");
}
