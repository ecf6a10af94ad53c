import { posix } from "node:path";

export const ANSWER_FILE = "answer.md";

/** What people wrote to stand above a primitive's tables, in markdown. */
export interface Answer {
  /** The whole of it. */
  readonly text: string;
  /** Its first paragraph, in one line: what a reader of several answers sees of this one. */
  readonly inShort: string;
  /** The day on which its author last read it beside the tables: `2026-11-26`. */
  readonly writtenOn: string;
}

/** A text as its readers see it: of links the words alone. */
export function withoutLinks(text: string): string {
  return text.replaceAll(/\]\([^()]*\)/g, "]").replaceAll(/[[\]]/g, "");
}

/** A text of a primitive's folder, with its links relative to the folder above. */
export function seenFromAbove(text: string, primitive: string): string {
  return text.replaceAll(/\]\((?![a-z]+:|#)([^)]+)\)/g, (_, target: string) => {
    return `](${posix.join(primitive, target)})`;
  });
}
