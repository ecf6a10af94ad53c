import { execFile } from "node:child_process";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { competitorsOf, type Entry, primitives } from "../../structures/catalog.ts";
import { firstLine } from "../../structures/shared/examination.ts";
import type { Start } from "../../suites/engine/race.ts";
import { ROOT } from "../../suites/lab/command/npm.ts";

/**
 * The examinations of competitors in another runtime. Test files are for Node's own test runner, which other runtimes
 * have only in part: examinations need none. Each competitor has a process of its own, so that one that ends it ends no
 * other.
 */

/** What came of one examination. */
export type Finding =
  | { readonly kind: "kept" }
  | { readonly kind: "absent"; readonly reason: string }
  /** Laws, or what became of the process. */
  | { readonly kind: "broken"; readonly sentences: readonly string[] };

export interface Examinee {
  readonly primitive: string;
  readonly entry: Entry;
}

export interface Examined extends Examinee {
  readonly finding: Finding;
}

/** The competitors whose files are below any of these paths, which begin at the top; all if there are none. */
export function examineesBelow(paths: readonly string[]): Examinee[] {
  const all = primitives().flatMap((primitive) =>
    competitorsOf(primitive).map((entry) => ({ primitive, entry })),
  );
  const file = ({ entry }: Examinee) => relative(ROOT, fileURLToPath(entry.url));
  return all.filter((one) => paths.length === 0 || paths.some((path) => file(one).startsWith(path)));
}

/** Examines them there, `lanes` at a time, and hands on each as it is done. */
export async function examineOn(
  start: Start,
  examinees: readonly Examinee[],
  lanes: number,
  done: (examined: Examined) => void,
): Promise<void> {
  // All lanes take from one queue.
  const queue = examinees.values();
  const work = async () => {
    for (const examinee of queue) done({ ...examinee, finding: await findingOf(start, examinee) });
  };
  await Promise.all(Array.from({ length: lanes }, work));
}

const PROGRAM = join(ROOT, "scripts", "test", "examine.ts");
/** The slowest takes ten seconds on a machine with several times the work that it has cores for; in ms. */
const LIMIT_MS = 120_000;

export function findingOf(
  { file, args }: Start,
  { primitive, entry }: Examinee,
  limitMs = LIMIT_MS,
): Promise<Finding> {
  return new Promise((resolve) => {
    const broken = (sentence: string) => resolve({ kind: "broken", sentences: [sentence] });
    const options = { cwd: ROOT, timeout: limitMs, killSignal: "SIGKILL" } as const;
    const child = execFile(
      file,
      [...args, PROGRAM, primitive, entry.url],
      options,
      (error, stdout, stderr) => {
        const answer = stdout.trimEnd().split("\n").at(-1)!;
        if (error === null)
          return answer.startsWith("{")
            ? resolve(JSON.parse(answer) as Finding)
            : broken("its process ended without an answer");
        if (error.killed) return broken(`its examination was not done after ${limitMs / 1000} s`);
        const how =
          child.signalCode === null ? `exited with code ${child.exitCode}` : `died of ${child.signalCode}`;
        return broken(`its process ${how}: ${firstLine(stderr.trim())}`);
      },
    );
  });
}
