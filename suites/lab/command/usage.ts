import { realpathSync } from "node:fs";
import { relative } from "node:path";
import { LANGUAGE_FLAGS } from "../../engine/measure/machine/flags.ts";
import { plainLine } from "../../engine/schema/lines.ts";
import { callersFolder, pathFrom, ROOT } from "./npm.ts";

export { EXIT, likely, nearestFirst, orUsageError, UsageError } from "../../engine/cli/usage.ts";

export { parseDuration, parseName, parsePrecision, parseSeed, parseWhole } from "../../engine/cli/values.ts";

/**
 * This process's command, `npm run <script>` with these arguments, as a reader would type it again in the repository's
 * folder.
 */
export function commandLine(
  script: string,
  args: readonly string[],
  { file = process.argv[1]!, flags = LANGUAGE_FLAGS } = {},
): string {
  const words = args.map((word) => (/^[\w./,:=@~+-]+$/.test(word) ? word : JSON.stringify(word)));
  // npm passes no flags on to node, and removes a "--" that node would pass on.
  if (flags.length > 0)
    return plainLine(["node", ...flags, relative(ROOT, realpathSync(file)), ...words].join(" "));
  return plainLine([`npm run ${script}`, ...(words.length > 0 ? ["--", ...words] : [])].join(" "));
}

/** Printed by an interrupted command that leaves no record, in place of how to resume. */
export const NOTHING_FINISHED = "interrupted before anything was finished: nothing is kept\n";

/** Prints which files were written. */
export function sayWritten(paths: readonly string[]): void {
  const listed = paths.length === 0 ? "nothing: all is as it was" : paths.map(shownPath).join("\n      ");
  process.stderr.write(`wrote ${listed}\n`);
}

/** A file's path as it is printed: relative to the user's folder. */
export function shownPath(path: string): string {
  return pathFrom(callersFolder(), path);
}
