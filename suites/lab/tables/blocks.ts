import {
  type Table,
  type TerminalOptions,
  terminalList,
  terminalText,
  toMarkdown,
  toTerminal,
} from "../../reporter/src/index.ts";

/** What is said once and shown in two ways: as markdown in a file, and in lines at a terminal. Pure. */

/** A paragraph of markdown, a table, or a list under a heading. */
export type Block = string | Table | Items;

export interface Items {
  readonly title: string;
  readonly items: readonly string[];
}

/** Headings are of the second level; ends with one newline unless there is nothing to say. */
export function blocksMarkdown(blocks: readonly Block[]): string {
  return blocks
    .map((block) => {
      if (typeof block === "string") return `${block}\n`;
      if ("columns" in block) return toMarkdown(block);
      return `## ${block.title}\n\n${block.items.map((item) => `- ${item}\n`).join("")}`;
    })
    .join("\n");
}

/** The same where a person reads it; ends likewise. */
export function blocksTerminal(blocks: readonly Block[], options: TerminalOptions): string {
  return blocks
    .map((block) => {
      if (typeof block === "string") return `${terminalText(block, options)}\n`;
      if ("columns" in block) return toTerminal(block, options);
      return `${terminalText(`**${block.title}**`, options)}\n\n${terminalList(block.items, options)}\n`;
    })
    .join("\n");
}
