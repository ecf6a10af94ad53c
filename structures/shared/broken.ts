import assert from "node:assert/strict";

/** Whether `broken` has a sentence on this law: each begins with its law's name. */
export function isBroken(law: string, broken: readonly string[]): boolean {
  return broken.some((sentence) => sentence.startsWith(`${law}:`));
}

export function assertBroken(law: string, broken: readonly string[]): void {
  assert.ok(isBroken(law, broken), `expected ${law}, got ${broken.join("; ") || "nothing"}`);
}
