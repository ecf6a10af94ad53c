import { posix } from "node:path";
import { seenFromAbove } from "../pages/answer.ts";
import { anchorOf } from "../tables/markdown.ts";

/** Rows of generated pages that a page written by people quotes. Pure. */

/** `From [page](path#section), ...:`, and below it a table. */
const QUOTE = /^From \[[^\]]*\]\(([^)#]+\.md)(?:#([^)]+))?\)[^|]*?:\n\n((?:\|.*\n)+)/gm;

/** A picture of the page of all results. */
const PICTURE = /^(?:<picture>.*)?<img alt="[^"]*" src="results\/([^"]+)">(?:<\/picture>)?$/gm;

/**
 * The text with its quoted rows as the pages have them today, by their first cells and with their links, and with the words of its pictures.
 * `pageAt` is the text of a page by its path in the text. Throws an Error that names a page which lacks a quoted row.
 */
export function withQuotes(text: string, pageAt: (path: string) => string): string {
  const pictured = text.replaceAll(PICTURE, (picture: string, file: string) => {
    const today = pageAt("results/README.md").match(/^<(?:img|picture).*>$/gm) ?? [];
    const own = today.find((one) => one.includes(` src="${file}">`));
    return own?.replaceAll(/ (src|srcset)="/g, ' $1="results/') ?? picture;
  });
  return pictured.replaceAll(
    QUOTE,
    (quote: string, path: string, anchor: string | undefined, table: string) => {
      const section = sectionOf(pageAt(path), anchor);
      const there = rowsByTable(seenFromAbove(section, posix.dirname(path)));
      const [heading, rule, ...rows] = table.trimEnd().split("\n").map(cellsOf);
      const names = [heading!, ...rows].map(([name]) => name!);
      const found = there.find((own) => names.every((name) => own.has(name)));
      if (found === undefined)
        throw new Error(`no table of ${path} has all the rows that are quoted from it`);
      const [today, ...rest] = names.map((name) => found.get(name)!);
      const lines = [today!, rule!, ...rest].map((cells) => `| ${cells.join(" | ")} |\n`);
      return quote.replace(table, () => lines.join(""));
    },
  );
}

/** The lines below a heading, up to the next one; all of the page without one. */
function sectionOf(page: string, anchor: string | undefined): string {
  if (anchor === undefined) return page;
  const sections = page.split(/^#+ /m);
  return sections.find((section) => anchorOf(section.split("\n")[0]!) === anchor) ?? "";
}

/** The rows of each table by their first cells, its heading among them. */
function rowsByTable(page: string): ReadonlyMap<string, string[]>[] {
  return [...page.matchAll(/(?:^\|.*\n)+/gm)].map(
    ([table]) =>
      new Map(
        table
          .trimEnd()
          .split("\n")
          .map(cellsOf)
          .map((cells) => [cells[0]!, cells]),
      ),
  );
}

function cellsOf(row: string): string[] {
  return row
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}
