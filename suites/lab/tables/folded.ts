import { displayWidth, foldedBy } from "../../reporter/src/fold.ts";
import { type Table, toMarkdown } from "../../reporter/src/index.ts";
import { heading, rowTexts } from "../../reporter/src/table.ts";

/** Characters of the widest line that a code host shows without a bar to scroll by. */
const PAGE_WIDTH = 110;
/** What a column takes beside its text. */
const BETWEEN = 3;
/** A code host breaks the words of a heading into lines where its column is narrow. */
const HEADING_LINES = 2;

/** A table as markdown; where it is wider than a page as several. */
export function foldedText(table: Table, headingLevel: number): string {
  return partsText(pageParts(table), headingLevel);
}

/** Tables as markdown, one below the other. */
export function partsText(parts: readonly Table[], headingLevel: number): string {
  return parts.map((part) => toMarkdown(part, { headingLevel })).join("\n");
}

/**
 * The table itself. Where it is wider than a page, several that repeat the first column, as few as can be and of about
 * one width. All but the first lack rows in which they would show nothing.
 */
export function pageParts(table: Table): readonly Table[] {
  const [first, ...others] = partsOf(table);
  const names = new Set(first!.columns);
  return [first!, ...others.map((part) => withoutEmptyRows(part, names))];
}

function withoutEmptyRows(part: Table, names: ReadonlySet<Table["columns"][number]>): Table {
  const shown = part.columns.filter((column) => !names.has(column));
  const rows = part.rows.filter(({ cells }) => shown.some(({ key }) => (cells[key] ?? null) !== null));
  return { ...part, rows };
}

function partsOf(table: Table): readonly Table[] {
  const widths = columnWidths(table);
  const foldedTo = (width: number) => foldedBy(table, width, (column) => widths.get(column)!);
  const fewest = foldedTo(PAGE_WIDTH);
  const narrower = Array.from({ length: PAGE_WIDTH - 1 }, (_, index) => index + 1);
  const narrowest = narrower.find((width) => foldedTo(width).length === fewest.length);
  return narrowest === undefined ? fewest : foldedTo(narrowest);
}

function columnWidths(table: Table): ReadonlyMap<Table["columns"][number], number> {
  const rows = table.rows.map((row) => rowTexts(table.columns, row));
  return new Map(
    table.columns.map((column, index) => {
      const cells = rows.map((texts) => displayWidth(texts[index]!));
      const own = displayWidth(heading(column)) / HEADING_LINES;
      return [column, Math.max(own, ...cells) + BETWEEN];
    }),
  );
}
