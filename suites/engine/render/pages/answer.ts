export const ANSWER_FILE = "answer.md";

/** What people wrote to stand above a primitive's tables, in markdown. */
export interface Answer {
  /** The whole of it. */
  readonly text: string;
  /** Its first paragraph, in one line: what a reader of several answers sees of this one. */
  readonly inShort: string;
  /** File of the record that it rests on; undefined where it is held to the newest. */
  readonly writtenFor: string | undefined;
}

/** An answer as it stands above tables made from `sources`: word for word, below a line if it was written for another record. */
export function answerText(
  { text, writtenFor }: Pick<Answer, "text" | "writtenFor">,
  sources: readonly string[],
): string {
  const isMeant = writtenFor === undefined || sources.every((source) => source === writtenFor);
  const files = sources.map((source) => `\`${source}\``).join(" and ");
  return isMeant ? text : `The tables below are from ${files}.\n\n${text}`;
}
