import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";

/** A fenced block of a case: a file, or a symbolic link with what is in it. */
export interface CaseFile {
  /** The first word behind the fence. */
  readonly language: string;
  readonly name: string;
  /** What else stands behind the fence. */
  readonly remark: string;
  readonly text: string;
}

/**
 * Runs the cases of a golden file of markdown in turn, and resolves to the file as it has to be. A case is a heading, its
 * files as fenced blocks with their names, and a last block of `text` with what came of it.
 */
export async function casesRun(
  test: TestContext,
  file: string,
  outcomeOf: (files: readonly CaseFile[]) => Promise<string>,
): Promise<string> {
  const [start, ...cases] = readFileSync(join(dirname(test.filePath!), file), "utf8").split(/^(?=## )/m);
  const texts = [start];
  for (const one of cases) {
    const [given] = one.split(/^```text$/m);
    texts.push(`${given}\`\`\`text\n${await outcomeOf(filesIn(given!))}\n\`\`\`\n\n`);
  }
  return texts.join("").replace(/\n+$/, "\n");
}

function filesIn(given: string): CaseFile[] {
  const blocks = given.matchAll(/^```(\w+) (\S+) ?(.*)\n([\s\S]*?)^```$/gm);
  return [...blocks].map(([, language, name, remark, text]) => {
    return { language: language!, name: name!, remark: remark!, text: text!.slice(0, -1) };
  });
}
