import type { SleepingLock } from "../locks.contract.ts";

/** How many tasks of this thread wait by lockAsync, by the word of their handle. */
const tasks = new Map<SleepingLock["word"], number>();

/** Notes that one more waits on a handle with this word, or one less with -1. */
export function noteAwaited(word: SleepingLock["word"], more: 1 | -1): void {
  const count = (tasks.get(word) ?? 0) + more;
  if (count === 0) tasks.delete(word);
  else tasks.set(word, count);
}

/** Throws where this thread would block on a handle for which a task of it waits: the lock may be freed for that task. */
export function assertNotAwaited(caller: string, word: SleepingLock["word"]): void {
  if (tasks.size === 0 || !tasks.has(word)) return;
  throw new Error(
    `${caller}: a task of this thread waits for the lock, and could not take it while the thread is blocked: use lockAsync`,
  );
}
