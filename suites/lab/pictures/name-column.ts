import { COLOUR } from "./dark.ts";
import { FONT_PX, LETTER_PX, type View } from "./drawing.ts";

/** The names of rows to the left of a plot, as wide in all panels. */
export class NameColumn {
  readonly widthPx: number;

  /** `names` are those of all panels. */
  constructor(names: readonly string[]) {
    this.widthPx =
      GAP_PX + Math.min(MOST_PX, Math.ceil(Math.max(...names.map(({ length }) => length)) * LETTER_PX));
  }

  /** The column of a panel with these rows, from top to bottom; `y` is the place of a row along the plot's axis. */
  of(names: readonly string[]) {
    const y = {
      field: "name" as const,
      type: "nominal" as const,
      // All names and not those of marks alone: a row without one has its place too.
      scale: { type: "band" as const, padding: 0, domain: [...names] },
    };
    const heightPx = names.length * ROW_PX;
    const labels = names.map((name) => ({ name, text: name }));
    const view: View = {
      width: this.widthPx,
      height: heightPx,
      view: { stroke: null },
      ...textLayer({ ...y, axis: null }, labels, 0, COLOUR.ink),
    };
    return { view, heightPx, y: { ...y, axis: ROW_AXIS } };
  }
}

const ROW_PX = 22;
/** Between a name and the plot. */
export const GAP_PX = 10;
/** A longer name is cut, which leaves a plot room. */
const MOST_PX = Math.ceil(36 * LETTER_PX);
const ROW_AXIS = { title: null, labels: false, ticks: false, domain: false, grid: true, zindex: 0 };

export interface RowText {
  readonly name: string;
  readonly text: string;
}

/** Texts beside or in the rows of these names. */
export function textLayer(y: object, texts: readonly RowText[], xPx: number, color: string) {
  return {
    data: { values: [...texts] },
    mark: {
      type: "text" as const,
      align: "left" as const,
      baseline: "middle" as const,
      fontSize: FONT_PX,
      limit: MOST_PX + 1,
      x: xPx,
      color,
      aria: false,
    },
    encoding: { y, text: { field: "text" } },
  };
}
