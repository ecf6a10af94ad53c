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
  /** Files that could not be compared, and why in one line. */
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
   * there was none: `unchanged` (the base loads the same files), `new`, `gone`, `refused`, `not raced` (no time).
   */
  readonly verdict: string;
  readonly remark?: string;
}

/** 3 where something is slower, unless that is never to fail. 2 where files were refused and there is nothing else. Else 0. */
export function exitCodeOf(
  rows: readonly TaskRow[],
  refused: CommitsOutcome["refused"],
  failOn: "slower" | "never",
): number {
  if (failOn === "slower" && rows.some(({ verdict }) => verdict === "slower")) return 3;
  const isNothing = rows.every(({ verdict }) => verdict === "refused");
  return isNothing && rows.length + refused.length > 0 ? 2 : 0;
}

/** Verdicts of races in the order of tables. */
const RACED = ["slower", "faster", "depends", "same", "cannot tell", "no power", "not judged", "no number"];

/** The rows that raced, in the order of tables: the largest differences first. */
export function racedRows(rows: readonly TaskRow[]): TaskRow[] {
  const distance = ({ ratio }: TaskRow) => Math.abs(Math.log(ratio?.value ?? 1));
  return rows
    .filter(({ verdict }) => RACED.includes(verdict))
    .toSorted((a, b) => RACED.indexOf(a.verdict) - RACED.indexOf(b.verdict) || distance(b) - distance(a));
}

/** "2 slower, 1 faster, 4 same": of all verdicts that there are. */
export function countsOf(rows: readonly TaskRow[]): string {
  const order = [...RACED, "unchanged", "new", "gone", "refused", "not raced"];
  const counts = order.map((verdict) => [verdict, rows.filter((row) => row.verdict === verdict).length]);
  return counts
    .filter(([, count]) => count !== 0)
    .map(([verdict, count]) => `${count} ${verdict}`)
    .join(", ");
}
