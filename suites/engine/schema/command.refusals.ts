import assert from "node:assert/strict";
import { it } from "node:test";

/** How a command ended that a test called. */
export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Each with what its one line has to say. */
export type Refusals = readonly (readonly [args: readonly string[], message: RegExp])[];

/** Tests that a command refuses what it cannot do, and that all is as it was then. */
export function itRefuses(
  refusals: Refusals,
  call: (args: readonly string[]) => Ended | Promise<Ended>,
  checkNothingDone: () => void,
): void {
  for (const [args, message] of refusals) {
    it(args.join(" ") || "nothing", async () => {
      checkRefused(await call(args), message);
      checkNothingDone();
    });
  }
}

export function checkRefused({ status, stdout, stderr }: Ended, message: RegExp): void {
  assert.equal(status, 2, stderr);
  assert.equal(stdout, "");
  assert.match(stderr, message);
  assert.equal(stderr.trimEnd().split("\n").length, 1, stderr);
}
