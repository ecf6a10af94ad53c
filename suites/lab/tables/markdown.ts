const NON_BREAKING_HYPHEN = "\u2011";
const NON_BREAKING_SPACE = "\u00a0";

/** A text that begins with a heading, and how a page shows it. */
export interface Section {
  readonly text: string;
  /** Set between the heading and the rest; each ends its line. */
  readonly paragraphs?: readonly string[];
  /** The rest is folded away under it; then a section without text is left out. */
  readonly summary?: string;
}

export type PagePart = string | Section | Picture;

/** A page of these parts. */
export function pageText(parts: readonly PagePart[]): string {
  return parts.flatMap(partTexts).join("\n");
}

/** A row of a table, and the one below its heading that says how columns are aligned. */
const TABLE_ROW = /^\|.*\|$/gm;
const TABLE_RULE = /^\|(?: :?-+:? \|)+$/;

/** A page whose tables have no padding, which no code host shows and of which pages were a third. */
export function withoutPadding(page: string): string {
  return page.replaceAll(TABLE_ROW, (row) =>
    TABLE_RULE.test(row) ? row.replaceAll(/-{3,}/g, "--") : row.replaceAll(/ {2,}/g, " "),
  );
}

function partTexts(part: PagePart): string[] {
  if (typeof part === "string") return [part];
  return "file" in part ? [image(part)] : sectionTexts(part);
}

function sectionTexts({ text, paragraphs = [], summary }: Section): string[] {
  if (summary !== undefined && text === "") return [];
  const whole = paragraphs.length === 0 ? text : underHeading(text, paragraphs);
  return [summary === undefined ? whole : foldedUnderHeading(summary, whole)];
}

/** A text that begins with a heading, with paragraphs set between the heading and the rest; each ends its line. */
function underHeading(text: string, paragraphs: readonly string[]): string {
  const { heading, body } = headingAndBody(text);
  return [heading, ...paragraphs, body].join("\n");
}

/** A table without its heading, where the text above it is heading enough. */
export function withoutHeading(text: string): string {
  return headingAndBody(text).body;
}

/** A heading is the first line, with an empty one below it. */
function headingAndBody(text: string): { heading: string; body: string } {
  const end = text.indexOf("\n\n");
  return { heading: text.slice(0, end + 1), body: text.slice(end + 2) };
}

/** A text that a reader unfolds. The empty lines let the text inside be markdown. */
export function foldedAway(summary: string, text: string): string {
  return `<details>\n<summary>${summary}</summary>\n\n${text}\n</details>\n`;
}

/** A text that begins with a heading, which stays in sight; the rest a reader unfolds. */
export function foldedUnderHeading(summary: string, text: string): string {
  const { heading, body } = headingAndBody(text);
  return `${heading}\n${foldedAway(summary, body)}`;
}

/** A picture before it is drawn. */
export interface Picture {
  /** Name of its file, which stands beside the record. */
  readonly file: string;
  /** What it shows, in words, for readers who cannot see it. */
  readonly alt: string;
  /** Name of the file of the same picture for screens as wide as a desktop's. */
  readonly wideFile?: string | undefined;
}

/** A picture with its words. */
export function image({ alt, file, wideFile }: Picture): string {
  const words = alt.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  const narrow = `<img alt="${words}" src="${file}">`;
  return wideFile === undefined
    ? `${narrow}\n`
    : `<picture><source media="(min-width: 1000px)" srcset="${wideFile}">${narrow}</picture>\n`;
}

/**
 * A figure that no line ends within. A code host breaks it at its hyphen, to give the room to a column of long texts
 * beside it.
 */
export function unbroken(figure: string): string {
  return figure.replaceAll("-", NON_BREAKING_HYPHEN).replaceAll(" ", NON_BREAKING_SPACE);
}

/** A ratio that a line may end within before its interval alone: on a narrow screen a verdict then has room beside it. */
export function ratioInTwo(ratio: string): string {
  return ratio
    .split(/ (?=\()/)
    .map(unbroken)
    .join(" ");
}

/** One item of a list for each line. */
export function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}\n`).join("");
}

/** The anchor that a code host gives a heading, if it is the first of its words. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");
}
