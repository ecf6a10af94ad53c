/**
 * The promises of a dispatch list as judgements on numbers that an observer kept. Each returns undefined, or one
 * sentence that says what broke and by how much. They know nothing of any competitor.
 */

/**
 * Nobody is taken before its deadline, nor left when `take` says NOBODY at or after it. `earlyBy`: seconds by which a taken
 * client came before its deadline, 0 or less if it did not. `lateBy`: where nobody was said to be due, seconds from the deadline
 * of a listed client to the next at which it could be taken, 0 or less if it was not due.
 */
export function onTime(earlyBy: number, lateBy: number): string | undefined {
  if (earlyBy > 0) return `onTime: a client was taken ${earlyBy} s before it was due`;
  return lateBy > 0 ? `onTime: a client is ${lateBy} s late` : undefined;
}

/** `strays`: takes of what was not listed: taken or removed before, never entered, or no client. */
export function takenOnce(strays: number): string | undefined {
  return strays === 0 ? undefined : `takenOnce: ${strays} takes of clients that were not listed`;
}

/** What happened to a list from its beginning to the moment when everybody was due and nobody was left to be taken. */
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

/** `accepted`: calls that the contract says throw and which did not, or threw another error, in words. */
export function badInputIsRefused(accepted: readonly string[]): string | undefined {
  return accepted.length === 0 ? undefined : `badInputIsRefused: not refused: ${accepted.join(", ")}`;
}
