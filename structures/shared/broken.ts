import assert from "node:assert/strict";

/** Whether a law is among those that an examination or a model found broken: one sentence each, with its name first. */
export function isBroken(law: string, broken: readonly string[]): boolean {
  return broken.some((sentence) => sentence.startsWith(`${law}:`));
}

/** The same of a law that an examination is to end at, if any, among what it asked so far. */
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
