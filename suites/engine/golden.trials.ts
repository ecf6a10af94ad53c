import { dirname, resolve } from "node:path";
import type { TestContext } from "node:test";

/**
 * Compares a text with a file, whole, as its reader sees it. `file` is relative to the folder of the test. After a change
 * that is meant, `node --test --test-update-snapshots TEST` writes the file anew; the diff of the commit then shows what
 * readers will see.
 */
export function golden(test: TestContext, file: string, text: string): void {
  test.assert.fileSnapshot(text, resolve(dirname(test.filePath!), file), { serializers: [String] });
}

/** The same of several texts in one file of markdown, each behind its name. */
export function goldenCases(test: TestContext, file: string, texts: Readonly<Record<string, string>>): void {
  const named = Object.entries(texts).map(([name, text]) => `<!-- ${name} -->\n\n${text}`);
  golden(test, file, named.join("\n"));
}
