/**
 * The neutral table: what every adapter of this package produces and the only thing that is turned into text. It knows
 * columns, rows and the two lists around them. It does not know what a benchmark is, so a harness without an adapter
 * can fill it by hand.
 */
import { markdownTable } from "markdown-table";
import { formatNumber } from "./numbers.ts";
import { refuseMisshapen } from "./shape.ts";

/** What stands in a cell: text as it is, a number, printed to four significant digits, or no value. */
export type Cell = string | number | null;

/** A label and its value, printed as `Label: value`. */
export type LabelledValue = readonly [label: string, value: string];

export interface Column {
  /** Names the column in `Row.cells`; unique in its table, never printed. */
  readonly key: string;
  readonly title: string;
  /** Printed behind the title, in parentheses: `Median (ns/op)`. */
  readonly unit?: string | undefined;
  readonly align: "left" | "right";
  /** Stands beside the first column, before all that are not, where the table has to be folded. */
  readonly foremost?: boolean | undefined;
}

export interface Row {
  /** Cells by column key. A column the row leaves out has no value, like `null`. */
  readonly cells: Readonly<Record<string, Cell>>;
  /** A short sign, such as `†`, printed behind the first cell of the row; the legend should say what it means. */
  readonly mark?: string | undefined;
}

export interface Table {
  readonly title: string;
  /** Where the numbers come from (machine, runtime, commit), in the order it is to be printed above the table. */
  readonly provenance: readonly LabelledValue[];
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** How to read the table; each line becomes one item of the list below it. */
  readonly legend: readonly string[];
  /** Goes on where the table before it was folded (see fold.ts): printed without its title. */
  readonly isContinuation?: boolean | undefined;
}

export interface MarkdownOptions {
  /** Level of the title's heading, an integer 1 to 6. Default 2. */
  readonly headingLevel?: number;
}

/** Stands for "no value": a blank cell could be mistaken for one that was forgotten. */
export const NO_VALUE = "–";

/** Stands for a figure that was given and is not finite. */
export const NO_NUMBER = "no number";

/**
 * The table as GitHub-flavoured markdown: heading, provenance, table, legend. Ends with exactly one newline, has no
 * trailing spaces, and depends on nothing but its arguments.
 *
 * Markdown inside texts is left to work, except what would break the structure. In a cell a pipe is escaped and a line
 * break becomes `<br>`; elsewhere a line break becomes a space.
 *
 * A number that is not finite becomes `no number`.
 *
 * @throws {Error} with one line, for what is no table, an empty title, a table without columns, two columns with one key, a row with a
 *   key that no column has, or a heading level outside 1 to 6.
 */
export function toMarkdown(table: Table, options: MarkdownOptions = {}): string {
  const { headingLevel = 2 } = options;
  if (!Number.isInteger(headingLevel) || headingLevel < 1 || headingLevel > 6) {
    throw new Error(`heading level must be an integer from 1 to 6, not ${headingLevel}`);
  }
  refuseWrongShape(table);
  const blocks = [
    table.isContinuation ? "" : `${"#".repeat(headingLevel)} ${oneLine(table.title)}`,
    list(table.provenance.map(([label, value]) => `${label}: ${value}`)),
    markdownTable([table.columns.map(heading), ...table.rows.map((row) => rowTexts(table.columns, row))], {
      align: table.columns.map((column) => column.align),
    }),
    list(table.legend),
  ];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

const SHAPE = {
  title: "text",
  provenance: [["text"]],
  columns: [{ key: "text", title: "text", "unit?": "text" }],
  rows: [{ cells: {}, "mark?": "text" }],
  legend: ["text"],
} as const;

/** Throws what `toMarkdown` says it throws for a table. */
export function refuseWrongShape(table: Table): void {
  refuseMisshapen("table", "what an adapter returns", table, SHAPE);
  const { title, columns, rows } = table;
  if (oneLine(title) === "") throw new Error("table without a title");
  const where = `table "${oneLine(title)}"`;
  if (columns.length === 0) throw new Error(`${where}: no columns`);
  const keys = new Set<string>();
  for (const { key } of columns) {
    if (keys.has(key)) throw new Error(`${where}: two columns have the key "${key}"`);
    keys.add(key);
  }
  for (const [index, { cells }] of rows.entries()) {
    for (const key of Object.keys(cells)) {
      if (!keys.has(key))
        throw new Error(`${where}: row ${index + 1} has the key "${key}", which no column has`);
    }
  }
}

/** A column's heading as markdown. */
export function heading({ title, unit }: Column): string {
  return cellText(unit == null ? title : `${title} (${unit})`);
}

/** A row's cells of these columns as markdown; the first has the row's mark behind it. */
export function rowTexts(columns: readonly Column[], { cells, mark }: Row): string[] {
  // `hasOwn`, because a column may well be called `constructor`.
  const texts = columns.map(({ key }) => textOf(Object.hasOwn(cells, key) ? cells[key] : null));
  if (mark != null) texts[0] = `${texts[0]} ${cellText(mark)}`.trim();
  return texts;
}

function textOf(cell: Cell | undefined): string {
  if (cell === null || cell === undefined) return NO_VALUE;
  if (typeof cell === "string") return cellText(cell);
  return Number.isFinite(cell) ? formatNumber(cell) : NO_NUMBER;
}

/**
 * A pipe the author has escaped already (an odd run of backslashes before it) stays as it is. One more backslash would
 * turn the escape into a literal backslash and let the pipe end the cell in some parsers.
 */
function cellText(text: string): string {
  return text
    .trim()
    .replace(/(\\*)\|/g, (found, backslashes: string) =>
      backslashes.length % 2 === 1 ? found : `${backslashes}\\|`,
    )
    .replace(/\s*(?:\r\n|\r|\n)\s*/g, "<br>");
}

function oneLine(text: string): string {
  return text.replace(/\s*[\r\n]\s*/g, " ").trim();
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${oneLine(line)}`.trimEnd()).join("\n");
}
