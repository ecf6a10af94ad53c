import { COLOUR } from "./dark.ts";
import { FONT_PX, type Layer, LETTER_PX, LINE_PX } from "./drawing.ts";

/**
 * What names lines that share a frame: each text to the right of the frame, as near to the end of its line as the others
 * allow, with a thin line that leads from one to the other.
 */

/** In turn, so that lines which end next to one another stay distinguishable where they crossed before. */
export const DASHES = [[], [7, 3], [2, 2]];
/** Between the frame and the names, for what leads from one to the other. */
export const LEADER_PX = 30;

/** The most lines of a frame, so that they stay distinguishable. */
const LEAST_FRAME_PX = 300;

/** What stands at the ends of a frame's lines. */
export interface EndTexts {
  /** The names of the lines, or numbers in their place. */
  readonly texts: readonly string[];
  /** The names by their numbers, to stand below; none where names stand at the ends. */
  readonly legend: readonly string[];
}

/**
 * What stands at the ends of lines in frames of one width, by the names of each frame's lines, and that width: names where
 * they leave room for a frame, numbers where they do not, as on a telephone.
 */
export function endTexts(
  frames: readonly (readonly string[])[],
  roomPx: number,
): { readonly framePx: number; readonly ends: readonly EndTexts[] } {
  const framePx = (texts: readonly string[]) =>
    Math.floor(roomPx - LEADER_PX - Math.max(...texts.map(({ length }) => length)) * LETTER_PX);
  const besideNamesPx = framePx(frames.flat());
  if (besideNamesPx >= LEAST_FRAME_PX) {
    return { framePx: besideNamesPx, ends: frames.map((names) => ({ texts: names, legend: [] })) };
  }
  const ends = frames.map((names) => ({
    texts: names.map((_, index) => `${index + 1}`),
    legend: names.map((name, index) => `${index + 1}: ${name}`),
  }));
  return { framePx: framePx(ends.flatMap(({ texts }) => texts)), ends };
}

/** What a picture says where its lines have numbers. */
export const NUMBERED = "Lines have numbers; their names stand below the picture, the lowest first";

/** Where a line ends, from the left and from the top of its frame, and what is written there. */
export interface LineEnd {
  readonly text: string;
  readonly xPx: number;
  readonly yPx: number;
  /** Where its leader starts, from the end of the line. */
  readonly fromPx: number;
}

/** `ends` come from the lowest to the highest in the frame. */
export function endLayers(
  ends: readonly LineEnd[],
  width: number,
  height: number,
): Record<"leaders" | "labels", Layer> {
  const rows = apart(
    ends.map(({ yPx }) => yPx),
    LINE_PX,
    height,
  );
  const path = ends.flatMap(({ xPx, yPx, fromPx }, line) => [
    { line, step: 0, xPx: xPx + fromPx, yPx },
    { line, step: 1, xPx: width + 4, yPx },
    { line, step: 2, xPx: width + LEADER_PX - 4, yPx: rows[line] },
  ]);
  const pixels = (field: string) => ({ field, type: "quantitative" as const, scale: null });
  return {
    leaders: {
      data: { values: path },
      mark: { type: "line", color: COLOUR.grey, strokeWidth: 0.5, aria: false },
      encoding: {
        x: pixels("xPx"),
        y: pixels("yPx"),
        detail: { field: "line", type: "nominal" },
        order: { field: "step", type: "quantitative" },
      },
    },
    labels: {
      data: { values: ends.map(({ text }, line) => ({ text, yPx: rows[line] })) },
      mark: { type: "text", align: "left", baseline: "middle", fontSize: FONT_PX, aria: false },
      encoding: { x: { value: width + LEADER_PX }, y: pixels("yPx"), text: { field: "text" } },
    },
  };
}

/** How far along a logarithmic axis a value lies, 0 to 1. */
export function shareOf([low, high]: readonly [number, number], value: number): number {
  return Math.log(value / low) / Math.log(high / low);
}

/**
 * Positions moved as little as possible (in squares) so that each is `gap` or more from the next, in the same order,
 * between 0 and `most`. `wanted` falls, as the positions of growing values do.
 */
export function apart(wanted: readonly number[], gap: number, most: number): number[] {
  // Less its own gaps, each position may be anywhere above its predecessor: runs of those that are in one another's way
  // stand at their mean, and a run that then is in the way of the one before joins it.
  const runs: { sum: number; count: number }[] = [];
  const rising = wanted.toReversed();
  rising.forEach((position, index) => {
    let run = { sum: position - index * gap, count: 1 };
    for (let before = runs.at(-1); before !== undefined; before = runs.at(-1)) {
      if (before.sum / before.count < run.sum / run.count) break;
      run = { sum: before.sum + run.sum, count: before.count + run.count };
      runs.pop();
    }
    runs.push(run);
  });
  const highest = Math.max(0, most - (wanted.length - 1) * gap);
  return runs
    .flatMap(({ sum, count }) => new Array<number>(count).fill(Math.min(highest, Math.max(0, sum / count))))
    .map((position, index) => position + index * gap)
    .toReversed();
}
