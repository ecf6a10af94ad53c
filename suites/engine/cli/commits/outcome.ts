import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { plainLine } from "../../schema/lines.ts";
import type { Refusal } from "../report.ts";
import type { Seen } from "./verdicts.ts";

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
}

/** A task of either commit, at one number of workers. */
export interface TaskRow extends Partial<Omit<Seen, "verdict">> {
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
 * 3 where something is slower, unless that is never to fail. Else 1 where something failed in the head alone. Else 2 where all was
 * refused. Else 0.
 */
export function exitCodeOf(
  rows: readonly TaskRow[],
  refused: CommitsOutcome["refused"],
  failOn: "slower" | "never",
): number {
  if (failOn === "slower" && rows.some(({ verdict }) => verdict === "slower")) return 3;
  if (rows.some(({ verdict }) => verdict === "failed")) return 1;
  const isNothing = rows.every(({ verdict }) => verdict === "refused");
  return isNothing && rows.length + refused.length > 0 ? 2 : 0;
}

/** What was not raced, for the list of a report, whose files are URLs. `top` is the folder of the repository. */
export function refusalsOf({ rows, refused }: CommitsOutcome, top: string): Refusal[] {
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

/** Verdicts of races in the order of tables. */
const RACED = ["slower", "faster", "depends", "same", "cannot tell", "no power", "not judged", "no number"];
/** The others, likewise. */
const NOT_RACED = ["failed", "unchanged", "new", "gone", "no base", "refused", "not raced"];

/** The rows that raced, in the order of tables: the largest differences first. */
export function racedRows(rows: readonly TaskRow[]): TaskRow[] {
  const distance = ({ ratio }: TaskRow) => Math.abs(Math.log(ratio?.value ?? 1));
  return rows
    .filter(({ verdict }) => RACED.includes(verdict))
    .toSorted((a, b) => RACED.indexOf(a.verdict) - RACED.indexOf(b.verdict) || distance(b) - distance(a));
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
