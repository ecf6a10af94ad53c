import { randomInt } from "node:crypto";
import { accessSync, constants, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { relative } from "node:path";
import { nearestFirst, UsageError } from "../../engine/cli/usage.ts";
import { LANGUAGE_FLAGS } from "../../engine/schema/flags.ts";
import { plainLine } from "../../engine/schema/lines.ts";
import { callersFolder, pathFrom, ROOT } from "./npm.ts";

export { EXIT, likely, nearestFirst, orUsageError, UsageError } from "../../engine/cli/usage.ts";

/** An option's value, or a word, that is one of these names. Throws a UsageError, with `hint` at its end, for any other. */
export function parseName<Name extends string>(
  what: string,
  text: string,
  names: readonly Name[],
  hint = "",
): Name {
  const name = names.find((known) => known === text);
  if (name !== undefined) return name;
  const known = nearestFirst(names, text).join(", ");
  throw new UsageError(`${what} ${text} is unknown; there are, nearest first: ${known}${hint}`);
}

/** A whole number of an option's text. Throws a UsageError if it is not a number or out of range. */
export function parseWhole(option: string, text: string, least: number, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new UsageError(`${option} ${text} is out of range: give whole numbers from ${least} to ${most}`);
}

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
  process.stderr.write(`wrote ${paths.map(shownPath).join("\n      ")}\n`);
}

/** A file's path as it is printed: relative to the user's folder. */
export function shownPath(path: string): string {
  return pathFrom(callersFolder(), path);
}

/** Throws a UsageError unless temporary files can be written where the system's are. */
export function checkTemporary(folder = tmpdir()): void {
  try {
    accessSync(folder, constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `temporary files cannot be written to ${folder} (${code}): set TMPDIR to a folder where they can`,
    );
  }
}

export const SEED = {
  value: "N",
  help: `repeat the order and workload of an earlier run, 0 to 2^32 - 1 (default: drawn at random, printed and
    recorded)`,
} as const;

/** The seed that was asked for, a uint32, or one drawn at random where none was. */
export function parseSeed(text: string | undefined): number {
  return text === undefined ? randomInt(2 ** 32) : parseWhole("--seed", text, 0, 2 ** 32 - 1);
}
