import { dirname, resolve } from "node:path";
import type { TestContext } from "node:test";

/**
 * Compares texts with a file, whole, as their reader sees them, each below its name. `file` is relative to the folder of
 * the test. After a change that is meant, `node --test --test-update-snapshots TEST` writes the file anew.
 */
export function golden(test: TestContext, file: string, texts: Readonly<Record<string, string>>): void {
  const whole = Object.entries(texts).map(([name, text]) => `## ${name}\n\n${text}\n`);
  test.assert.fileSnapshot(whole.join("\n"), resolve(dirname(test.filePath!), file), {
    serializers: [String],
  });
}
