/**
 * The promises of a dispatch list as judgements on numbers that an observer kept. Each returns undefined, or one
 * sentence that says what broke and by how much. They are independent of any competitor.
 */

/**
 * No client is taken before its deadline, and none is left when `take` returns NOBODY at or after it. `earlyBy`:
 * seconds by which a taken client came before its deadline, 0 or less if it did not. `lateBy`: where `take` returned no
 * client, the seconds from a listed client's deadline to the next moment at which it could be taken. 0 or less if it
 * was not due.
 */
export function onTime(earlyBy: number, lateBy: number): string | undefined {
  if (earlyBy > 0) return `onTime: a client was taken ${earlyBy} s before it was due`;
  return lateBy > 0 ? `onTime: a client is ${lateBy} s late` : undefined;
}

/** `strays`: takes of clients that were not listed: taken or removed before, never entered, or no client. */
export function takenOnce(strays: number): string | undefined {
  return strays === 0 ? undefined : `takenOnce: ${strays} takes of clients that were not listed`;
}

/** What happened to a list from its beginning to the moment when all clients were due and none was left to be taken. */
export interface Totals {
  readonly entered: number;
  readonly taken: number;
  readonly removed: number;
}

/** Every client that was entered was taken or removed in the end. */
export function conserved({ entered, taken, removed }: Totals): string | undefined {
  return entered === taken + removed
    ? undefined
    : `conserved: ${entered} entered, but ${taken} taken and ${removed} removed`;
}

/** `wrongAnswers`: removes that denied a listed client or confirmed one that was not. */
export function answersTruly(wrongAnswers: number): string | undefined {
  return wrongAnswers === 0 ? undefined : `answersTruly: ${wrongAnswers} removes had the wrong answer`;
}

/** `accepted`: calls that should have thrown by the contract and did not, or threw another error, in words. */
export function badInputIsRefused(accepted: readonly string[]): string | undefined {
  return accepted.length === 0 ? undefined : `badInputIsRefused: not refused: ${accepted.join(", ")}`;
}
