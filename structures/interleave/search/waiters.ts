/**
 * The lists of waiters of all words (ECMA-262, 25.4.1: WaiterList), in one array: two numbers for each waiter, by
 * word, and of one word in the order of waiting. The first says who waits, the second is the word.
 *
 * Threads that sleep and promises of Atomics.waitAsync share a list. A promise's waiter that was notified stays in the
 * array until its thread gets to resolve the promise; it has no word any more, and comes after all others.
 */

/** Bits of the first number: the thread, whether the waiter is a promise's, whether it has a limit; then its number. */
const THREAD = 31;
const AWAITED = 32;
const TIMED = 64;
const NUMBER_SHIFT = 7;
/** Takes the place of a word. */
const NOTIFIED = -1;

/** A thread that sleeps until it is woken. */
export const sleeperOf = (thread: number): number => thread;
export const threadOf = (waiter: number): number => waiter & THREAD;
/** Which of the promises of its thread it is. */
export const numberOf = (waiter: number): number => waiter >> NUMBER_SHIFT;
export const isAwaited = (waiter: number): boolean => (waiter & AWAITED) !== 0;

export function isNotified(list: readonly number[], at: number): boolean {
  return at % 2 === 0 && list[at + 1] === NOTIFIED;
}

/** Whether a limit may end it, which is known of promises only. */
export function isTimed(list: readonly number[], at: number): boolean {
  return (list[at]! & TIMED) !== 0 && list[at + 1] !== NOTIFIED;
}

/** The place of a waiter; -1 if it is not in the list. */
export function placeOf(list: readonly number[], waiter: number): number {
  for (let at = 0; at < list.length; at += 2) if (list[at] === waiter) return at;
  return -1;
}

/**
 * Puts a waiter behind those of the same word. Words come in their order, as it makes no difference on which of several
 * words a thread has waited first.
 */
function add(list: number[], waiter: number, word: number): void {
  let place = 0;
  while (place < list.length && list[place + 1] !== NOTIFIED && list[place + 1]! <= word) place += 2;
  list.splice(place, 0, waiter, word);
}

export function addSleeper(list: number[], thread: number, word: number): void {
  add(list, sleeperOf(thread), word);
}

/** Returns its number: the lowest that no promise of the thread has, so that a loop that waits again looks the same. */
export function addAsyncWaiter(list: number[], thread: number, word: number, hasLimit: boolean): number {
  const taken = new Set<number>();
  for (let at = 0; at < list.length; at += 2)
    if (threadOf(list[at]!) === thread && isAwaited(list[at]!)) taken.add(numberOf(list[at]!));
  let number = 0;
  while (taken.has(number)) number++;
  add(list, thread | AWAITED | (hasLimit ? TIMED : 0) | (number << NUMBER_SHIFT), word);
  return number;
}

/** Notifies the promise at this place. Its thread resolves its promises in the order of notification. */
export function notify(list: number[], at: number): void {
  const [waiter] = list.splice(at, 2);
  // In the order of threads: which thread's was notified first makes no difference.
  let place = list.length;
  while (place > 0 && isNotified(list, place - 2) && threadOf(list[place - 2]!) > threadOf(waiter!))
    place -= 2;
  list.splice(place, 0, waiter!, NOTIFIED);
}

/** Removes all waiters of a thread. */
export function withoutWaiters(list: number[], thread: number): void {
  for (let at = list.length - 2; at >= 0; at -= 2) if (threadOf(list[at]!) === thread) list.splice(at, 2);
}
