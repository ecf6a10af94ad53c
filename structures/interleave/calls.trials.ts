import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

/**
 * Tests whose cases stand in a file: a call in each line, as a user writes it, and indented below it what comes of it. A
 * line that begins with # is a comment. To add a case, add its line and run `node --test --test-update-snapshots TEST`,
 * which writes what comes of it; read the diff.
 */

/** Names in the calls, and their values. */
export type Scope = Readonly<Record<string, unknown>>;

/** Each call has to throw, or to reject. `scope` is made anew for each. */
export function itRefusesAsWritten(name: string, file: URL, scope: () => Scope): void {
  itComesAsWritten(name, file, async (call) => {
    try {
      await resultOf(call, scope());
    } catch (error) {
      return saidBy(error);
    }
    return assert.fail(`${call} is not refused`);
  });
}

/** The calls are of laws, which return the sentence of what is broken, or nothing. */
export function itJudgesAsWritten(name: string, file: URL, laws: Scope): void {
  itComesAsWritten(name, file, (call) => {
    const sentence = resultOf(call, laws);
    if (sentence === undefined) return "keeps";
    assert.equal(typeof sentence, "string", call);
    return `breaks ${sentence}`;
  });
}

export function callsIn(file: URL): string[] {
  return linesOf(file).filter((line) => /^[^\s#]/.test(line));
}

/** All but the answers. */
function linesOf(file: URL): string[] {
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  return lines.filter((line) => !line.startsWith("    "));
}

function itComesAsWritten(name: string, file: URL, answerOf: (call: string) => unknown): void {
  test(name, async (context) => {
    assert.ok(callsIn(file).length > 0);
    const written: string[] = [];
    for (const line of linesOf(file)) {
      written.push(line);
      if (/^[^\s#]/.test(line)) written.push(`    ${await answerOf(line)}`);
    }
    context.assert.fileSnapshot(`${written.join("\n")}\n`, fileURLToPath(file), { serializers: [String] });
  });
}

function resultOf(call: string, scope: Scope): unknown {
  return new Function(...Object.keys(scope), `return ${call};`)(...Object.values(scope));
}

function saidBy(error: unknown): string {
  if (!(error instanceof Error || error instanceof DOMException)) return String(error);
  const code = "code" in error && typeof error.code === "string" ? ` [${error.code}]` : "";
  const said = `${error.name}${code}: ${error.message}`;
  assert.doesNotMatch(said, /\n/);
  return said;
}
