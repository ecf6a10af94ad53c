import { isAbsolute, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import {
  type Command,
  helpText,
  type OptionTable,
  parseLine,
  refuseStray,
  type Typed,
  withPaths,
} from "../../engine/cli/command-line.ts";
import { WriteError } from "../../engine/measure/machine/write-whole.ts";
import { plainLine } from "../../engine/schema/lines.ts";
import { callersFolder, keptByNpm, pathFrom, ROOT } from "./npm.ts";
import { commandLine, EXIT, UsageError } from "./usage.ts";

export { command, helpText, type Option, refuse, type Typed } from "../../engine/cli/command-line.ts";

/**
 * Runs a script: prints the help text where it is asked for, else carries out what was typed. A UsageError becomes its
 * line and exit code.
 */
export async function runCommand<
  const Options extends OptionTable & { readonly help: { readonly help: string } },
>(description: Command<Options>, main: (typed: Typed<Options>) => Promise<number>): Promise<void> {
  let lost: WriteError | undefined;
  // A reader that has seen enough (`| head`), or a terminal that was closed, is no error. It is no reason to stop a
  // measurement that is also written down.
  process.stderr.on("error", () => {});
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE" && error.code !== "EIO") lost = new WriteError("the output", error);
  });
  process.once("exit", reportCutShort);
  try {
    refuseKept(description);
    const typed = parseCommand(description);
    if (typed.options.help) process.stdout.write(helpText(description));
    else refuseStray(description, typed);
    process.exitCode = typed.options.help ? EXIT.ok : await main(typed);
    // What was written last is known to be lost a moment later.
    await setImmediate();
    if (lost !== undefined) {
      process.stderr.write(`${lost.message}\n`);
      process.exitCode ||= EXIT.failed;
    }
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof WriteError)) throw error;
    process.stderr.write(`${plainLine(error.message)}\n`);
    process.exitCode = EXIT.usage;
  } finally {
    process.off("exit", reportCutShort);
  }
}

/** Refuses a call whose options npm kept for itself, and says how it is typed. */
function refuseKept({ options }: Command<OptionTable>): void {
  const kept = keptByNpm(Object.keys(options));
  if (kept.size === 0) return;
  // npm takes a value for a word unless it is typed with "=", and what is given several times for one.
  const isLost = ([name, value]: readonly [string, string]) =>
    options[name]!.value !== undefined && (options[name]!.multiple || value === "true");
  const asTyped = [...kept].flatMap(([name, value]) => {
    const { value: described } = options[name]!;
    if (described === undefined) return [`--${name}`];
    return isLost([name, value]) ? [`--${name}`, described] : [`--${name}=${value}`];
  });
  const words = [...kept].some(isLost) ? ["..."] : process.argv.slice(2);
  const { npm_lifecycle_event: script } = process.env;
  const call = commandLine(script!, [...words, ...asTyped], { flags: [] });
  const names = [...kept.keys()].map((name) => `--${name}`).join(" and ");
  throw new UsageError(`npm kept ${names} for itself: put -- before the command's own options: ${call}`);
}

/** What ends a process before its command is done must not look like success. */
function reportCutShort(code: number): void {
  if (code !== EXIT.ok) return;
  process.stderr.write("ended before it was done: a module that was imported calls process.exit\n");
  process.exitCode = EXIT.failed;
}

/**
 * What was typed in `folder`. Paths in it begin where this process stands, wherever the person was that typed them; in `argv`
 * they begin in the repository's folder. Throws a UsageError as `parseLine` does.
 */
export function parseCommand<const Options extends OptionTable>(
  description: Command<Options>,
  args: readonly string[] = process.argv.slice(2),
  folder = callersFolder(),
): Typed<Options> {
  const from = (other: string) =>
    resolve(other) === resolve(folder)
      ? args
      : withPaths(description, args, (path) =>
          isAbsolute(path) ? path : pathFrom(other, resolve(folder, path)),
        );
  return { ...parseLine(description, from(process.cwd())), argv: from(ROOT) };
}
