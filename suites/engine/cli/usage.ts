import { messageOf } from "../measure/plan/failures.ts";
import { plainLine } from "../schema/lines.ts";

/** What commands share that tell their users what is wrong: hotpath-race's own, and the lab's. */

/**
 * A request that is wrong. Its message is one line that says what is wrong and how to mend it. The command prints it on
 * stderr and exits with 2, having measured and written nothing.
 */
export class UsageError extends Error {}

export const EXIT = { ok: 0, failed: 1, usage: 2, slower: 3, regression: 5, interrupted: 130 } as const;

/** Runs `action`, and throws a UsageError with the line of what it throws. */
export function orUsageError<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw new UsageError(lineOf(error));
  }
}

/** A failure in the words of its first line, as the command prints it. */
export function lineOf(error: unknown): string {
  return plainLine(messageOf(error));
}

/** How many there are: "1 task", "2 tasks". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** `names` with the ones most like `wanted` first; ties keep their order. */
export function nearestFirst<Name extends string>(names: Iterable<Name>, wanted: string): Name[] {
  return [...names]
    .map((name) => ({ name, edits: editsBetween(wanted, name) }))
    .sort((a, b) => a.edits - b.edits)
    .map(({ name }) => name);
}

/** The most names that are guessed. */
const MOST_LIKELY = 3;

/** The `names` that `wanted` may stand for, nearest first: it begins them, or few of its letters differ. */
export function likely(names: Iterable<string>, wanted: string): string[] {
  const differing = Math.ceil(wanted.length / 3);
  return nearestFirst(names, wanted)
    .filter((name) => name.startsWith(wanted) || editsBetween(wanted, name) <= differing)
    .slice(0, MOST_LIKELY);
}

/** Letters to put in, take out or change to make one of the other (Levenshtein): a package of its own would be the first here. */
function editsBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [line, letter] of [...from].entries()) {
    const next = [line + 1];
    for (let index = 0; index < to.length; index++) {
      const changed = row[index]! + Number(letter !== to[index]);
      next.push(Math.min(changed, row[index + 1]! + 1, next[index]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}
