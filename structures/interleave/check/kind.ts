/**
 * What a failure is called: equal for errors that count as the same one. A smaller part of a program may fail for another
 * reason, such as a result that it does not have; that is no smaller example of the failure.
 *
 * Errors are the same if they come from the same place and say the same, whatever numbers are in it. What assertions make
 * up from the values that they compare is not asked.
 */
export function kindOf(promise: string, error: unknown): string {
  if (!(error instanceof Error))
    return JSON.stringify([promise, typeof error, withoutNumbers(String(error))]);
  const { name, message, stack = "" } = error;
  const says = "generatedMessage" in error && error.generatedMessage === true ? "" : withoutNumbers(message);
  const [place] = /^ *at .+$/m.exec(stack) ?? [];
  return JSON.stringify([promise, name, says, place]);
}

/** One mark for a number, or for several in a row. */
const withoutNumbers = (text: string): string => text.replaceAll(/-?\d[^a-z]*/gi, "#");
