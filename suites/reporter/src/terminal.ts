/**
 * A table for a person at a terminal: columns without pipes that fit a width, folded and wrapped where they must be.
 * The texts of a table are markdown, which a terminal does not show. Emphasis becomes colour or nothing, the signs of
 * code and links go, and what could steer the terminal becomes a space.
 */
import { stripVTControlCharacters, styleText } from "node:util";
import { displayWidth, foldedBy, refuseWrongWidth } from "./fold.ts";
import { type Column, NO_VALUE, type Row, refuseWrongShape, rowTexts, type Table } from "./table.ts";

export interface TerminalOptions {
  /** Characters in a line, above zero. No line is longer, save where the columns of one table cannot be narrower. */
  readonly width: number;
  /** Whether lines may have escape sequences for colour, bold and dim. */
  readonly colour: boolean;
}

/** Spaces between two columns. */
const GAP = 2;

/** A heading may make its column so wide, in characters; a longer one is wrapped, at words. */
const HEADING = 12;

/** Where room is short, texts that are no row's name are wrapped at this number of characters. */
const COMFORTABLE = 30;

/** Texts of the first columns are wrapped at this number, about two words, so that they are not folded away. */
const NARROW = 11;

type Style = Parameters<typeof styleText>[0];

/** What emphasised words look like; all others are bold. */
const EMPHASIS: ReadonlyMap<string, Style> = new Map([
  ["faster", "green"],
  ["slower", "red"],
]);

/** What a whole row looks like that has this text in a cell, alone or before a parenthesis. */
const ROWS: ReadonlyMap<string, Style> = new Map([
  ["baseline", "bold"],
  ["noise floor", "dim"],
]);

/**
 * The table as lines: title, provenance, columns under their headings and a rule, legend. Units stand below the titles
 * of their columns. Ends with exactly one newline and has no trailing spaces.
 *
 * A table that is wider than `width` is folded as `folded` does it, by what columns take here. A cell that is too long
 * for its column is wrapped within it. It breaks at spaces, in words that are too long behind a slash or hyphen, and
 * elsewhere only if it must.
 *
 * @throws {Error} with one line, for a table that `toMarkdown` would refuse, and a width that is not above zero.
 */
export function toTerminal(table: Table, options: TerminalOptions): string {
  refuseWrongShape(table);
  refuseWrongWidth(options.width);
  const { columns, rows } = table;
  const texts = rows.map((row) => rowTexts(columns, row).map((cell) => shown(cell, options)));
  const natural = new Map(
    columns.map(
      (column, index) =>
        [
          column,
          naturalWidth(
            column,
            texts.map((row) => row[index]!),
          ),
        ] as const,
    ),
  );
  // Of the whole table: what makes a row special may stand in another of its parts.
  const styles = rows.map((row) => styleOf(columns, row));
  const [first] = columns;
  const leastWidth = (column: Column) => {
    const width = natural.get(column)!;
    if (column.align === "right" || column === first) return width;
    return Math.min(width, column.foremost ? NARROW : COMFORTABLE);
  };
  const parts = foldedBy(table, options.width + GAP, (column) => leastWidth(column) + GAP);
  const blocks = [
    table.isContinuation ? "" : styled("bold", terminalText(table.title, options), options),
    terminalList(
      table.provenance.map(([label, value]) => `${label}: ${value}`),
      options,
    ),
    ...parts.map((part) => grid(part, styles, natural, leastWidth, options)),
    terminalList(table.legend, options),
  ];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

/** A paragraph of markdown, wrapped, without a newline at its end. */
export function terminalText(text: string, options: TerminalOptions): string {
  return wrapped(shown(text.replaceAll("\n", " "), options), options.width).join("\n");
}

/** Paragraphs of markdown as the items of a list, without a newline at its end. */
export function terminalList(items: readonly string[], options: TerminalOptions): string {
  const narrower = { ...options, width: Math.max(1, options.width - 2) };
  return items
    .map((item) => `- ${terminalText(item, narrower).replaceAll("\n", "\n  ")}`.trimEnd())
    .join("\n");
}

/** The columns of one folded part, with their headings. */
function grid(
  { columns, rows }: Table,
  styles: readonly (Style | undefined)[],
  natural: ReadonlyMap<Column, number>,
  leastWidth: (column: Column) => number,
  options: TerminalOptions,
): string {
  const widths = fittedWidths(
    columns.map((column) => natural.get(column)!),
    columns.map(leastWidth),
    options.width - GAP * (columns.length - 1),
  );
  const titles = columns.map(({ title }, index) => wrapped(shown(title, options), widths[index]!));
  const units = columns.map(({ unit }, index) =>
    unit === undefined ? [] : wrapped(shown(`(${unit})`, options), widths[index]!),
  );
  const headings = titles.map((lines, index) => [...lines, ...units[index]!]);
  const tallest = Math.max(...headings.map((lines) => lines.length));
  const lineOf = (cells: readonly string[]) =>
    cells
      .map((cell, index) => padded(cell, widths[index]!, columns[index]!.align))
      .join(" ".repeat(GAP))
      .trimEnd();
  const linesOf = (cells: readonly (readonly string[])[], count: number) =>
    Array.from({ length: count }, (_, line) => lineOf(cells.map((cell) => cell[line] ?? "")));
  return [
    // Upon the rule, however many lines the others have.
    ...linesOf(
      headings.map((lines) => [...Array<string>(tallest - lines.length).fill(""), ...lines]),
      tallest,
    ),
    lineOf(widths.map((width) => "-".repeat(width))),
    ...rows.flatMap((row, index) => {
      const style = styles[index];
      const cells = rowTexts(columns, row).map((cell, column) =>
        wrapped(shown(cell, options), widths[column]!).map((line) =>
          style === undefined ? line : styled(style, line, options),
        ),
      );
      return linesOf(cells, Math.max(...cells.map((cell) => cell.length)));
    }),
  ].join("\n");
}

/** What a column takes where there is room enough. */
function naturalWidth({ title, unit = "" }: Column, cells: readonly string[]): number {
  const heading = [...title.split(/\s+/), unit === "" ? "" : `(${unit})`];
  return Math.max(
    1,
    ...heading.map(displayWidth),
    Math.min(HEADING, displayWidth(title)),
    ...cells.flatMap((cell) => cell.split("\n")).map(visibleWidth),
  );
}

/**
 * The widths that make the most of `room`: natural ones if they fit. Otherwise the widest are cut, to the least width
 * of each at first, and without regard to it if that is not enough.
 */
function fittedWidths(natural: readonly number[], least: readonly number[], room: number): readonly number[] {
  const narrowest = natural.map(() => 1);
  return cutWidths(natural, least, room) ?? cutWidths(least, narrowest, room) ?? narrowest;
}

/** The widths with the widest cut until all fit, none below its least; undefined if that is not enough. */
function cutWidths(
  widths: readonly number[],
  least: readonly number[],
  room: number,
): readonly number[] | undefined {
  for (let most = Math.max(...widths); most > 0; most -= 1) {
    const tried = widths.map((width, index) => Math.max(least[index]!, Math.min(width, most)));
    if (tried.reduce((sum, width) => sum + width, 0) <= room) return tried;
  }
  return undefined;
}

function styleOf(columns: readonly Column[], row: Row): Style | undefined {
  return rowTexts(columns, row)
    .map((cell) => ROWS.get(cell.replace(/ \(.*$/, "")))
    .find((style) => style !== undefined);
}

/**
 * Markdown as the terminal shows it; in cells `<br>` begins a new line. The signs that tables have of their own, for no
 * value and for a mark, become what terminals without UTF-8 have. They become what is one column wide for tools that
 * count bytes.
 */
function shown(markdown: string, options: TerminalOptions): string {
  return markdown
    .replace(/\p{Cc}+/gu, " ")
    .replaceAll(NO_VALUE, "-")
    .replaceAll("†", "*")
    .replace(AS_WRITTEN, (_, _fence, code: string | undefined, sign: string | undefined) =>
      hidden(code?.replaceAll("\\|", "|") ?? sign ?? ""),
    )
    .replace(/<br>/g, "\n")
    .replace(/\[([^\]]+)\]\(([^)]+)\)/g, (_, text: string, target: string) =>
      text === target ? text : `${text} (${target})`,
    )
    .replace(/\*\*([^*]+)\*\*/g, (_, text: string) => {
      const style = EMPHASIS.get(text) ?? "bold";
      // Word by word, so that a line may break between two.
      return text.replace(/\S+/g, (word) => styled(style, word, options));
    })
    .replace(HIDDEN, (sign) => String.fromCharCode(sign.charCodeAt(0) - HIDING));
}

/** Code, a sign that is escaped, or a comment, which is how markdown shows signs that mean something. */
const AS_WRITTEN = /(?<!`)(`+)(?!`) ?(.+?) ?(?<!`)\1(?!`)|\\([!-/:-@[-`{-~])|<!--.*?-->/g;
/** Signs wait in the private use area, from here on, until the markup is gone. */
const HIDING = 0xe000;
const HIDDEN = /[\ue021-\ue07e]/g;

function hidden(text: string): string {
  return text.replace(/[*`[\]()<>]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + HIDING));
}

function styled(style: Style, text: string, { colour }: TerminalOptions): string {
  return colour ? styleText(style, text, { validateStream: false }) : text;
}

/** Lines of at most `width` characters, broken at spaces, and in words that are longer. */
function wrapped(text: string, width: number): string[] {
  return text.split("\n").flatMap((line) => {
    const lines: string[] = [];
    let current = "";
    for (const word of line.split(/\s+/).flatMap((long) => cut(long, width))) {
      const longer = current === "" ? word : `${current} ${word}`;
      if (visibleWidth(longer) <= width) {
        current = longer;
      } else {
        lines.push(current);
        current = word;
      }
    }
    return [...lines, current];
  });
}

/** A word in pieces that fit, cut behind a slash or hyphen if there is one. One that is cut loses its style. */
function cut(word: string, width: number): string[] {
  if (visibleWidth(word) <= width) return [word];
  const characters = [...stripVTControlCharacters(word)];
  const seam = characters.findLastIndex((character, index) => index < width && /[/-]/.test(character));
  const length = seam > 0 ? seam + 1 : width;
  return [characters.slice(0, length).join(""), ...cut(characters.slice(length).join(""), width)];
}

function padded(text: string, width: number, align: Column["align"]): string {
  const spaces = " ".repeat(Math.max(0, width - visibleWidth(text)));
  return align === "right" ? `${spaces}${text}` : `${text}${spaces}`;
}

function visibleWidth(text: string): number {
  return displayWidth(stripVTControlCharacters(text));
}
