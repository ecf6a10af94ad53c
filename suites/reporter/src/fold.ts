/** A table that is too wide, as several that are not. */
import { type Column, heading, refuseWrongShape, rowTexts, type Table } from "./table.ts";

/** What a column takes in a line of markdown beside its text: a pipe and two spaces. */
const MARKDOWN_BETWEEN = 3;

/**
 * The table itself if it is at most `width` characters wide, and else several that hold its columns between them. Wide
 * is the sum over the columns of the longest heading or cell and 3 characters; every character counts as one.
 *
 * Each of the several begins with the first columns of the table, as few as distinguish its rows, or the first alone
 * where none do. The other columns follow once each: first the `foremost` ones, then the rest, both in their order. A
 * table is full where the next column would make it too wide. One that holds a single column besides the repeated ones
 * may therefore still be too wide. The provenance is on the first, the legend on the last, and all but the first are
 * continuations, which print no heading.
 *
 * @throws {Error} with one line, for a table that `toMarkdown` would refuse, and a width that is not above zero.
 */
export function folded(table: Table, width: number): Table[] {
  refuseWrongShape(table);
  refuseWrongWidth(width);
  const lines = [table.columns.map(heading), ...table.rows.map((row) => rowTexts(table.columns, row))];
  const widths = new Map(
    table.columns.map((column, index) => {
      const longest = Math.max(...lines.map((line) => displayWidth(line[index]!)));
      return [column, longest + MARKDOWN_BETWEEN] as const;
    }),
  );
  return foldedBy(table, width, (column) => widths.get(column)!);
}

/** The same with another measure: `widthOf` is what a column takes in a line, with the gap to the next. */
export function foldedBy(table: Table, width: number, widthOf: (column: Column) => number): Table[] {
  const total = (columns: readonly Column[]) => columns.reduce((sum, column) => sum + widthOf(column), 0);
  if (total(table.columns) <= width) return [table];
  const repeated = table.columns.slice(0, identifyingColumns(table));
  const others = table.columns.slice(repeated.length);
  const isForemost = ({ foremost = false }: Column) => foremost;
  const ordered = [...others.filter(isForemost), ...others.filter((column) => !isForemost(column))];
  const hands: Column[][] = [];
  for (const column of ordered) {
    const last = hands.at(-1);
    if (last !== undefined && total([...repeated, ...last, column]) <= width) last.push(column);
    else hands.push([column]);
  }
  if (hands.length < 2) return [table];
  return hands.map((hand, index) => ({
    title: table.title,
    provenance: index === 0 ? table.provenance : [],
    columns: [...repeated, ...hand],
    rows: table.rows.map(({ cells, ...rest }) => ({
      ...rest,
      cells: cellsOf(cells, [...repeated, ...hand]),
    })),
    legend: index === hands.length - 1 ? table.legend : [],
    ...(index === 0 && !table.isContinuation ? {} : { isContinuation: true }),
  }));
}

/** Throws for a width that nothing can be fitted to. */
export function refuseWrongWidth(width: number): void {
  if (!(width > 0)) throw new Error(`width must be above zero, not ${width}`);
}

/** How many of the first columns distinguish the rows; 1 if it would take all, or all are not enough. */
function identifyingColumns({ columns, rows }: Table): number {
  for (let count = 1; count < columns.length; count += 1) {
    const leading = columns.slice(0, count);
    // Without its mark, which says something of a row rather than which it is.
    const names = new Set(rows.map(({ cells }) => JSON.stringify(rowTexts(leading, { cells }))));
    if (names.size === rows.length) return count;
  }
  return 1;
}

function cellsOf(cells: Table["rows"][number]["cells"], columns: readonly Column[]) {
  const present = columns.filter(({ key }) => Object.hasOwn(cells, key));
  return Object.fromEntries(present.map(({ key }) => [key, cells[key]!]));
}

/** Columns that a text takes: one for each character, ASCII or not. */
export function displayWidth(text: string): number {
  return [...text].length;
}
