import { randomInt } from "node:crypto";
import { writeWhole } from "../measure/machine/write-whole.ts";
import { progressLine } from "../table/progress.ts";
import type { Request } from "./arguments.ts";
import { sidesOfFiles } from "./commits/files.ts";
import { git } from "./commits/git.ts";
import { type CommitsOutcome, refusalsOf } from "./commits/outcome.ts";
import { raceCommits } from "./commits/race-commits.ts";
import { appendOutcome, outcomeJson, outcomeMarkdown, outcomeText } from "./commits/table.ts";
import { filesAt } from "./find-files.ts";
import { confinedUnless, isAsked, listFile, narrowed } from "./list-files.ts";
import { type Output, profileOf, raceFiles, refuseUnwritable } from "./race-files.ts";
import { textOptionsFor } from "./report-text.ts";
import { EXIT, UsageError } from "./usage.ts";

// The command imports all from here: apart, they would make the package larger by the chunks that they share.
export { raceCommands } from "./commands/race-commands.ts";
export { writeWorkflows } from "./commits/workflows.ts";
export { raceFiles };

/** Time for all of it where none is given, in ms: what is decided sooner ends sooner. */
const USUAL_MS = 8 * 60_000;
/** The same of a first look. */
const QUICK_MS = 2 * 60_000;

/**
 * Races each task of bench files against itself as it is in another commit. Returns an exit code. Where that commit has no bench
 * file at all, tasks race without a comparison.
 */
export async function raceBase(request: Request, base: string, output: Output): Promise<number> {
  const { mayWrite } = request;
  const code = await confinedUnless(mayWrite, (folder) => raceConfined(request, base, output, folder));
  return code ?? raceFiles(request, output);
}

async function raceConfined(
  request: Request,
  base: string,
  output: Output,
  confinedTo: string | undefined,
): Promise<number | undefined> {
  const { json, markdown, failOn, build, isTogether } = request;
  const { err, signal } = output;
  for (const path of [json, markdown]) if (path !== undefined) refuseUnwritable(path);
  const { files, remarks } = filesAt(request.paths);
  for (const remark of remarks) err.write(`${remark}\n`);
  const seed = request.seed ?? randomInt(2 ** 32);
  const live = progressLine(err);
  const common = {
    folder: process.cwd(),
    seed,
    signal,
    doing: (what: string, share = 0, leftMs?: number) => live.show(share, leftMs, what),
  };
  const sides = sidesOfFiles({
    ...common,
    files,
    paths: request.paths,
    filesIn: (path) => filesAt([path]).files,
    async list(path, ending) {
      const file = await listFile(path, { confinedTo, signal: ending });
      return "listed" in file ? { listed: file.listed } : file;
    },
    isAsked: (task) => isAsked(task, request),
    check: (listed) => void narrowed(listed, request),
    build,
    isTogether,
    // A verdict ends the race of its pair: how large a difference is matters less than whether others have one.
    profile: { ...profileOf(request), precision: request.precision ?? Number.POSITIVE_INFINITY },
    confinedTo,
  });
  const options = {
    ...common,
    base,
    failOn,
    budgetMs: request.budgetMs ?? (request.isQuick ? QUICK_MS : USUAL_MS),
    announced(line: string) {
      live.clear();
      err.write(`${line}\n`);
    },
  };
  const outcome = await raceCommits(options, sides).catch((error: unknown) => {
    live.clear();
    if (signal.aborted) return undefined;
    // What a package manager or a build printed.
    if (error instanceof UsageError && error.cause !== undefined) err.write(`${error.cause}\n`);
    throw error;
  });
  live.clear();
  if (outcome === undefined || signal.aborted) return EXIT.interrupted;
  if (outcome.isFirst) {
    err.write(`${base} has no bench file to compare with, so tasks race without a comparison\n`);
    return undefined;
  }
  write(outcome, request, output, seed);
  return outcome.exitCode;
}

function write(outcome: CommitsOutcome, request: Request, { out, err, tool }: Output, seed: number): void {
  if (outcome.exitCode === EXIT.usage) {
    err.write(outcomeText(outcome));
    return;
  }
  const { json, markdown } = request;
  const refused = refusalsOf(outcome, git(process.cwd(), "rev-parse", "--show-toplevel"));
  const text = outcomeJson(outcome, tool, seed, refused);
  out.write(json === "-" ? text : outcomeText(outcome, textOptionsFor(out)));
  if (json !== undefined && json !== "-") writeWhole(json, text);
  if (markdown !== undefined) writeWhole(markdown, outcomeMarkdown(outcome));
  const { GITHUB_STEP_SUMMARY: summary } = process.env;
  if (summary) appendOutcome(summary, outcome);
}
