import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../usage.ts";

/** What people wrote to stand above a primitive's tables, in markdown. */
export interface Answer {
  /** The whole of it. */
  readonly text: string;
  /** File of the record that it rests on. */
  readonly writtenFor: string;
}

/**
 * The answer in a folder of results, if there is one. Throws a UsageError unless its first line names a record of the
 * folder, or if it has a heading of the first level, which the page has already.
 */
export function readAnswer(folder: string): Answer | undefined {
  const path = join(folder, "answer.md");
  if (!existsSync(path)) return undefined;
  const written = readFileSync(path, "utf8");
  const text = written.endsWith("\n") ? written : `${written}\n`;
  const writtenFor = /^Written for (`?)([\w.-]+\.json)\1\.\n/.exec(text)?.[2];
  if (writtenFor === undefined) {
    throw new UsageError(
      `${path} does not say what it rests on: let its first line be "Written for <record file>."`,
    );
  }
  if (!existsSync(join(folder, writtenFor))) {
    throw new UsageError(
      `${path} was written for ${writtenFor}, which is not beside it: let its first line name a record that is`,
    );
  }
  const outsideCode = text.replaceAll(/^```.*?^```/gms, "");
  if (/^# /m.test(outsideCode)) {
    throw new UsageError(
      `${path} has a heading of the first level, as its page has already: begin headings with ##`,
    );
  }
  return { text, writtenFor };
}

/** An answer as it stands above tables made from `source`: word for word, below a line if that is another record. */
export function answerText({ text, writtenFor }: Answer, source: string): string {
  return writtenFor === source ? text : `The tables below are from \`${source}\`.\n\n${text}`;
}
