import { distance } from "fastest-levenshtein";

/**
 * A request that cannot be carried out as it stands. Its message is one line that says what is wrong and how to mend
 * it; the script prints it on stderr and exits with 2, having measured and written nothing.
 */
export class UsageError extends Error {}

/** Exit codes of the scripts. */
export const EXIT = { ok: 0, noNumber: 1, usage: 2, interrupted: 130 } as const;

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
