/**
 * What stands in a word that says which worker holds it:
 *
 *     bits 0 .. 23   holder: its index + 1, 0 where the word is free
 *     bit 24         someone may sleep
 *     bit 25         a holder has died, and the data have not been declared consistent since
 *     bit 26         unusable, for good
 */
export const HOLDER = 2 ** 24 - 1;
export const NOBODY = 0;
export const SLEEPERS = 2 ** 24;
export const OWNER_DIED = 2 ** 25;
export const UNUSABLE = 2 ** 26;

/** How a word names the worker with this index. */
export const numberOf = (index: number) => index + 1;
export const holderOf = (state: number) => state & HOLDER;
