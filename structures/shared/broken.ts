import assert from "node:assert/strict";

/** Whether `broken` has a sentence on this law: each begins with its law's name. */
export function isBroken(law: string, broken: readonly string[]): boolean {
  return broken.some((sentence) => sentence.startsWith(`${law}:`));
}

/** The same for a law that an examination is to end at, if any, among what it asked so far. */
export function isFound(until: string | undefined, sentences: readonly (string | undefined)[]): boolean {
  return (
    until !== undefined &&
    isBroken(
      until,
      sentences.filter((sentence) => sentence !== undefined),
    )
  );
}

export function assertBroken(law: string, broken: readonly string[]): void {
  assert.ok(isBroken(law, broken), `expected ${law}, got ${broken.join("; ") || "nothing"}`);
}
