/** Columns that every terminal has. */
const COLUMNS = 80;

/** A space at which no line is broken. */
export const TIED = "\u00a0";

/** Words that are wrapped together, each line after the first as far in as `hang`. */
interface Block {
  readonly indent: number;
  readonly hang: number;
  readonly words: string[];
}

/**
 * Text wrapped to 80 columns, a line break at its end, `first` before it and as many spaces before each further line.
 *
 * Lines of one indentation are one paragraph; an empty line stands as it is. A line with two spaces or more between
 * words is a term and its explanation: it begins anew, and goes on below the explanation. How far the text's further
 * lines are indented together does not count, so that it can be written where it belongs in the source.
 */
export function wrapped(text: string, first = ""): string {
  const indent = " ".repeat(first.length);
  const lines = blocksOf(dedented(text)).flatMap((block) => linesOf(block, COLUMNS - indent.length));
  return lines
    .map((line, index) => `${`${index === 0 ? first : indent}${line}`.trimEnd()}\n`)
    .join("")
    .replaceAll(TIED, " ");
}

function dedented(text: string): string[] {
  const [first = "", ...others] = text.split("\n");
  const margin = Math.min(...others.filter((line) => line.trim() !== "").map(indentOf));
  return [...(first === "" ? [] : [first]), ...others.map((line) => line.slice(margin))];
}

function blocksOf(lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  for (const line of lines) {
    const indent = indentOf(line);
    const explanation = /^ *\S.*? {2,}(?=\S)/.exec(line)?.[0].length;
    const before = blocks.at(-1);
    if (explanation !== undefined) {
      const [word, ...others] = wordsOf(line.slice(explanation));
      blocks.push({ indent, hang: explanation, words: [line.slice(indent, explanation) + word, ...others] });
    } else if (
      line.trim() === "" ||
      before === undefined ||
      before.words.length === 0 ||
      before.hang !== indent
    ) {
      blocks.push({ indent, hang: indent, words: wordsOf(line) });
    } else before.words.push(...wordsOf(line));
  }
  return blocks;
}

function linesOf({ indent, hang, words }: Block, width: number): string[] {
  const lines: string[] = [];
  let line = " ".repeat(indent) + (words[0] ?? "");
  for (const word of words.slice(1)) {
    if (line.length + 1 + word.length > width) {
      lines.push(line);
      line = " ".repeat(hang) + word;
    } else line += ` ${word}`;
  }
  return [...lines, line];
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function wordsOf(line: string): string[] {
  return line
    .trim()
    .replaceAll(/ {2,}/g, (gap) => TIED.repeat(gap.length))
    .split(" ")
    .filter((word) => word !== "");
}
