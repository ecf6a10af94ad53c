import { ProgramError } from "../search/program.ts";

/** Operations of a program that are kept: numbers of a thread and of its operations, in ascending order. */
export interface Kept {
  readonly thread: number;
  readonly operations: readonly number[];
}

/** All of a program whose threads have these numbers of operations. */
export function wholeOf(operations: readonly number[]): readonly Kept[] {
  return operations.map((length, thread) => ({ thread, operations: [...new Array(length).keys()] }));
}

/**
 * Asks of one part after another whether it counts, and returns the smallest that does. A part is without one thread or
 * operation of the smallest so far. The last ones go first: what comes later is less likely to matter.
 */
export function* shrinking(whole: readonly Kept[]): Generator<readonly Kept[], readonly Kept[], boolean> {
  for (const part of smallerThan(whole)) if (yield part) return yield* shrinking(part);
  return whole;
}

function* smallerThan(part: readonly Kept[]): Generator<readonly Kept[]> {
  if (part.length > 1)
    for (let at = part.length - 1; at >= 0; at--) yield part.filter((_, other) => other !== at);
  for (let at = part.length - 1; at >= 0; at--) {
    const { thread, operations } = part[at]!;
    if (operations.length === 1) continue;
    for (const left of operations.toReversed())
      yield part.with(at, { thread, operations: operations.filter((one) => one !== left) });
  }
}

/** As text: `0.0,0.2/1.0` keeps operations 0 and 2 of thread 0 and operation 0 of thread 1. */
export function writtenPart(part: readonly Kept[]): string {
  return part.map(({ thread, operations }) => operations.map((one) => `${thread}.${one}`).join()).join("/");
}

/** Throws an Error where the text is none, or names what a program of these numbers of operations does not have. */
export function readPart(text: string, operations: readonly number[]): readonly Kept[] {
  const part = text.split("/").map((kept) => {
    const pairs = kept.split(",").map((token) => readOperation(token, operations));
    return { thread: pairs[0]!.thread, operations: pairs.map(({ operation }) => operation) };
  });
  const isAscending = part.every(
    ({ thread, operations }, at) =>
      thread > (part[at - 1]?.thread ?? -1) &&
      operations.every((operation, place) => operation > (operations[place - 1] ?? -1)),
  );
  if (isAscending && writtenPart(part) === text) return part;
  throw new ProgramError(
    `"${text}" is no part of a program: expected ascending operations, as in "0.0,0.2/1.0"`,
  );
}

function readOperation(token: string, operations: readonly number[]): { thread: number; operation: number } {
  const [, thread, operation] = /^(\d+)\.(\d+)$/.exec(token) ?? [];
  if (thread === undefined)
    throw new ProgramError(
      `"${token}" is no operation: expected its thread's number and its own, as in "0.2"`,
    );
  const read = { thread: Number(thread), operation: Number(operation) };
  if (!(read.operation < (operations[read.thread] ?? 0)))
    throw new ProgramError(`the program has no operation ${read.operation} of thread ${read.thread}`);
  return read;
}

export function isWhole(part: readonly Kept[], operations: readonly number[]): boolean {
  return writtenPart(part) === writtenPart(wholeOf(operations));
}
