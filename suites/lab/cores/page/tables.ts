import { type Column, formatNumber, type Row, type Table, toMarkdown } from "../../../reporter/src/index.ts";
import { withoutHeading } from "../../tables/markdown.ts";

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
      return { cells, ...(mark === undefined ? {} : { mark }) };
    }),
    legend: [],
    ...more,
  };
}

/** A table where the text above it is heading enough. */
export function plain(table: Table): string {
  return withoutHeading(toMarkdown(table));
}

/** To three digits; none for what there is not. */
export function short(figure: number | undefined): string | null {
  return figure === undefined ? null : formatNumber(figure, 3);
}
