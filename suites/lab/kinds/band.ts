/**
 * Series for pictures. One may have a value for each of 21,600 seconds, and a frame has some hundred pixel columns. So
 * what is kept of a band is what can be drawn of it.
 */

/** Two series, a lower and an upper one, in columns. */
export interface Band {
  /** Values of either series, and how many of them share a column; fewer in the last where there are no more. */
  readonly values: number;
  readonly per: number;
  /** By column: the lowest and the highest of its values. */
  readonly low: number[];
  readonly high: number[];
}

/** Columns of a picture that has one wide frame, and of each panel where there are several: about one for each pixel. */
const FRAME_COLUMNS = 780;
const PANEL_COLUMNS = 200;

/** How many values share a column, in a picture of `panels` panels; `values` is the number of the longest. */
export function valuesPerColumn(values: number, panels: number): number {
  return Math.ceil(values / (panels === 1 ? FRAME_COLUMNS : PANEL_COLUMNS));
}

/**
 * Two series, of one length, in columns of `per` values. No value is left out. Many pictures are there to show a spike
 * one second wide; a mean or every n-th value would lose it.
 */
export function bandOf(low: readonly number[], high: readonly number[], per: number): Band {
  const columns = Array.from({ length: Math.ceil(low.length / per) }, (_, column) => column * per);
  const extreme = (values: readonly number[], pick: (...values: number[]) => number) =>
    columns.map((at) => pick(...values.slice(at, at + per)));
  return { values: low.length, per, low: extreme(low, Math.min), high: extreme(high, Math.max) };
}
