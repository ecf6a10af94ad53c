import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";

/** Names in the calls, and their values. */
export type Scope = Readonly<Record<string, unknown>>;

/**
 * Tests that each call in a file is refused, in a line of its own. The file has a call in each line, as a user writes it,
 * and indented below it what is thrown. `scope` makes what the calls name, anew for each. To add a call, add its line and
 * run `node --test --test-update-snapshots TEST`; the diff shows what is said to it.
 */
export function itRefusesAsWritten(name: string, file: URL, scope: () => Scope): void {
  test(name, async (context) => {
    const calls = callsIn(file);
    assert.ok(calls.length > 0);
    const answers: string[] = [];
    for (const call of calls) answers.push(`${call}\n    ${await refusalOf(call, scope())}\n`);
    compareWhole(context, file, answers.join(""));
  });
}

export function callsIn(file: URL): string[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => /^\S/.test(line));
}

/** What a call throws or rejects with, on one line. */
async function refusalOf(call: string, scope: Scope): Promise<string> {
  let made: unknown;
  try {
    made = await new Function(...Object.keys(scope), `return ${call};`)(...Object.values(scope));
  } catch (error) {
    return saidBy(error);
  }
  return assert.fail(`${call} is not refused: ${made}`);
}

function saidBy(error: unknown): string {
  if (!(error instanceof Error || error instanceof DOMException)) return String(error);
  const said = `${error.name}: ${error.message}`;
  assert.doesNotMatch(said, /\n/);
  return said;
}

function compareWhole(context: TestContext, file: URL, text: string): void {
  context.assert.fileSnapshot(text, fileURLToPath(file), { serializers: [String] });
}
