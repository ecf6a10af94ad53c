import assert from "node:assert/strict";

/** Whether a law is among those that an examination or a model found broken: one sentence each, with its name first. */
export function isBroken(law: string, broken: readonly string[]): boolean {
  return broken.some((sentence) => sentence.startsWith(`${law}:`));
}

export function assertBroken(law: string, broken: readonly string[]): void {
  assert.ok(isBroken(law, broken), `expected ${law}, got ${broken.join("; ") || "nothing"}`);
}
