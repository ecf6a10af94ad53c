import { randomInt } from "node:crypto";
import { type ParseArgsConfig, parseArgs } from "node:util";
import { distance } from "fastest-levenshtein";
import { LANGUAGE_FLAGS } from "./flags.ts";

/**
 * A request that cannot be carried out as it stands. Its message is one line that says what is wrong and how to mend
 * it; the script prints it on stderr and exits with 2, having measured and written nothing.
 */
export class UsageError extends Error {}

/** Exit codes of the scripts. */
export const EXIT = {
  ok: 0,
  noNumber: 1,
  usage: 2,
  slower: 3,
  cannotTell: 4,
  regression: 5,
  interrupted: 130,
} as const;

/** Runs a script's main function and turns a UsageError into its line and exit code. */
export async function runScript(main: () => Promise<number>): Promise<void> {
  // A reader that has seen enough (`| head`) is no error, and no reason to stop a measurement that is also written down.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  try {
    process.exitCode = await main();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message.replaceAll("\n", " ")}\n`);
    process.exitCode = EXIT.usage;
  }
}

/** Runs `action` and turns whatever it throws into a UsageError with the same message. */
export function orUsageError<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** `names` with the ones most like `wanted` first; ties keep their order. */
export function nearestFirst(names: Iterable<string>, wanted: string): string[] {
  return [...names]
    .map((name) => ({ name, edits: distance(name, wanted) }))
    .sort((a, b) => a.edits - b.edits)
    .map(({ name }) => name);
}

/**
 * A script's arguments by its own description of its options: what was given to each, and the words beside them. Throws
 * a UsageError for an option that it does not describe.
 */
export function parseArguments<const Described extends NonNullable<ParseArgsConfig["options"]>>(
  options: Described,
  args: readonly string[] = process.argv.slice(2),
) {
  try {
    const { values, positionals } = parseArgs({ args: joinNegatives(args), options, allowPositionals: true });
    return { options: values, words: positionals };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const unknown = code === "ERR_PARSE_ARGS_UNKNOWN_OPTION" ? /'(-+(.+?))'/.exec(message) : null;
    if (unknown === null) throw new UsageError(message);
    const names = nearestFirst(Object.keys(options), unknown[2]!).map((name) => `--${name}`);
    throw new UsageError(`Unknown option '${unknown[1]}'; there are, nearest first: ${names.join(", ")}`);
  }
}

/** `--workers -1` as `--workers=-1`: parseArgs would take the number for an option and lecture about it. */
function joinNegatives(args: readonly string[]): string[] {
  const isNegative = (arg: string | undefined) => arg !== undefined && /^-\d/.test(arg);
  return args.flatMap((arg, index) => {
    if (arg.startsWith("--") && isNegative(args[index + 1])) return [`${arg}=${args[index + 1]}`];
    return isNegative(arg) && args[index - 1]?.startsWith("--") ? [] : [arg];
  });
}

/**
 * Refuses what was typed beside --resume: a run that is taken up again is asked what it was asked before. `options` are
 * those that would change that, `defaults` what they are where nothing was typed.
 */
export function checkResumedAlone(
  options: Readonly<Record<string, unknown>>,
  defaults: Readonly<Record<string, unknown>>,
  filters: readonly string[],
): void {
  const differing = Object.keys(options).filter(
    (key) => JSON.stringify(options[key]) !== JSON.stringify(defaults[key]),
  );
  const extra = [...filters, ...differing.map((key) => `--${key}`)];
  if (extra.length === 0) return;
  throw new UsageError(`--resume asks for what its record was asked: leave away ${extra.join(", ")}`);
}

/** A whole number of an option's text. Throws a UsageError if it is none or out of range. */
export function parseWhole(option: string, text: string, least: number, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new UsageError(`${option} ${text} is out of range: give whole numbers from ${least} to ${most}`);
}

/** This process's command, `npm run <script>` with its arguments, as a reader would type it again. */
export function commandLine(script: string): string {
  const words = process.argv
    .slice(2)
    .map((word) => (/^[\w./,:=@~+-]+$/.test(word) ? word : JSON.stringify(word)));
  // npm passes no flags on to node.
  if (LANGUAGE_FLAGS.length > 0)
    return ["node", ...LANGUAGE_FLAGS, `scripts/${script}.ts`, "--", ...words].join(" ");
  return [`npm run ${script}`, ...(words.length > 0 ? ["--", ...words] : [])].join(" ");
}

/** The seed that was asked for, a uint32, or one drawn at random where none was. */
export function parseSeed(text: string | undefined): number {
  return text === undefined ? randomInt(2 ** 32) : parseWhole("--seed", text, 0, 2 ** 32 - 1);
}
