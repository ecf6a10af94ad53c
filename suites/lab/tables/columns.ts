import { present } from "../../engine/words/present.ts";
import { type Column, type Row, type Table, toMarkdown } from "../../reporter/src/index.ts";
import { withoutHeading } from "./markdown.ts";

/** A column of words. */
export function left(key: string, title: string): Column {
  return { key, title, align: "left" };
}

/** A column of figures; `unit` stands behind its title unless it is empty. */
export function right(key: string, title: string, unit = ""): Column {
  return { key, title, unit: unit === "" ? undefined : unit, align: "right" };
}

type Cell = Row["cells"][string];

/** A column, and what it has of an item. */
export type Of<Item> = readonly [column: Column, cellOf: (item: Item) => Cell];

/** A row for each item. `markOf` says what stands behind a row's name; `more` what stands around the table. */
export function tableOf<Item>(
  title: string,
  items: readonly Item[],
  columns: readonly Of<Item>[],
  markOf: (item: Item) => string | undefined = () => undefined,
  more: Partial<Pick<Table, "provenance" | "legend">> = {},
): Table {
  return {
    title,
    provenance: [],
    columns: columns.map(([column]) => column),
    rows: items.map((item): Row => {
      const mark = markOf(item);
      const cells = Object.fromEntries(columns.map(([{ key }, cellOf]) => [key, cellOf(item)]));
      return { cells, ...present({ mark }) };
    }),
    legend: [],
    ...more,
  };
}

/** A table where the text above it is heading enough. */
export function plain(table: Table): string {
  return withoutHeading(toMarkdown(table));
}
