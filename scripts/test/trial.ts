import { join } from "node:path";
import { run } from "node:test";
import { pathToFileURL } from "node:url";
import { testsOf } from "./choice.ts";
import type { Mutant } from "./mutants.ts";
import { planting } from "./plant.ts";
import type { Sources } from "./reads.ts";

/** One mutant's trial: the tests of its area are run until the first fails. */

/** Test files of one area, and which of their tests are left out. */
export interface Part {
  readonly files: readonly string[];
  readonly leaveOut: RegExp;
}

/** Whether a test failed, all passed, or one was waited for too long. */
export type Ended = "killed" | "survived" | "hung";

export interface Outcome {
  readonly ended: Ended;
  /** The test that failed. */
  readonly by?: string;
  /** The longest that was waited for a test to end. */
  readonly longestMs: number;
}

/**
 * The tests that can detect a fault of `file`: the tests of its area. Left out are tests of competitors that it cannot
 * reach, and of planted faults, which check that the laws catch something else.
 */
export function partFor(sources: Sources, area: string, file?: string): Part {
  const below = [...sources.files].filter((path) => path.startsWith(`structures/${area}/`));
  // The examination comes first: it asks most.
  const main = `structures/${area}/${area}.test.ts`;
  const files = below
    .filter((path) => path.endsWith(".test.ts"))
    .sort((a, b) => Number(b === main) - Number(a === main));
  const isRead = (path: string) => file === undefined || file in sources.closureOf(path);
  // What a test reads besides the competitors may be in all of its tests, whatever they are named after.
  const reachesAll = !/\/competitors\//.test(file ?? "") && files.some(isRead);
  const leftOut = below.filter((path) => !reachesAll && /\/competitors\//.test(path) && !isRead(path));
  return { files, leaveOut: new RegExp([PLANTED, ...ofCompetitors(leftOut)].join("|")) };
}

/** Of none there is no pattern: one of no names would match some test. */
function ofCompetitors(paths: readonly string[]): string[] {
  return paths.length === 0 ? [] : [testsOf(paths.map((path) => path.replace(/\.ts$/, ""))).source];
}

/** Names of tests that plant a fault themselves. */
const PLANTED = "\\bmutants?\\b|: .* breaks \\w+$";

/** `patienceMs`: a test that has not ended after this long hangs. */
export async function tried(
  root: string,
  { files, leaveOut }: Part,
  mutant: Mutant | undefined,
  patienceMs: number,
): Promise<Outcome> {
  const ended = new AbortController();
  const stream = run({
    files: files.map((file) => join(root, file)),
    concurrency: 1,
    env: mutant === undefined ? process.env : withMutant(mutant, root),
    testSkipPatterns: leaveOut,
    signal: ended.signal,
  });
  let outcome: Omit<Outcome, "longestMs"> = { ended: "survived" };
  let longestMs = 0;
  let last = performance.now();
  const end = (as: typeof outcome) => {
    if (ended.signal.aborted) return;
    outcome = as;
    ended.abort();
  };
  const hung = setTimeout(() => end({ ended: "hung" }), patienceMs);
  for await (const { type, data } of stream) {
    if (type !== "test:pass" && type !== "test:fail") continue;
    longestMs = Math.max(longestMs, performance.now() - last);
    last = performance.now();
    hung.refresh();
    if (type === "test:fail") end({ ended: "killed", by: data.name });
  }
  clearTimeout(hung);
  return { ...outcome, longestMs };
}

/** By the environment rather than an argument: examinations start their threads without the arguments of the process. */
function withMutant(mutant: Mutant, root: string): NodeJS.ProcessEnv {
  const { NODE_OPTIONS = "" } = process.env;
  const url = pathToFileURL(join(root, mutant.file)).href;
  return { ...process.env, NODE_OPTIONS: `${NODE_OPTIONS} --import=${planting({ ...mutant, url })}` };
}
