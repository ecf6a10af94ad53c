import { COLOUR } from "./dark.ts";
import { FONT_PX, type Layer, LETTER_PX, LINE_PX } from "./drawing.ts";

/**
 * Names lines that share a frame. Each has a number to the right of the frame, as near to the end of the line as the
 * others allow. A thin line leads from one to the other. The names stand below.
 */

/** In turn, so that lines which end next to one another stay distinguishable where they crossed before. */
export const DASHES = [[], [7, 3], [2, 2]];
/** Between the frame and the numbers, for what leads from one to the other. */
const LEADER_PX = 30;
/** Room to the right of a frame, for numbers of two digits. */
export const NUMBERS_PX = LEADER_PX + Math.ceil(2 * LETTER_PX);

/** The names of lines by their numbers. */
export function numbered(names: readonly string[]): string[] {
  return names.map((name, index) => `${index + 1}: ${name}`);
}

/** What a picture says of its numbers. */
export const NUMBERED = "Lines have numbers; their names stand below";

/** Where a line ends, from the left and from the top of its frame, and what is written there. */
export interface LineEnd {
  readonly number: number;
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
  const labels = ends.map(({ number }, line) => ({
    text: `${number}`,
    xPx: width + LEADER_PX,
    yPx: rows[line]!,
  }));
  return { leaders: leaderLayer(path), labels: wordsLayer(labels) };
}

const pixels = (field: string) => ({ field, type: "quantitative" as const, scale: null });

/** Thin rules from one place of a frame to others, in px from its left and its top. */
export function leaderLayer(path: readonly object[], strokeWidth = 0.5): Layer {
  return {
    data: { values: [...path] },
    mark: { type: "line", color: COLOUR.grey, strokeWidth, aria: false },
    encoding: {
      x: pixels("xPx"),
      y: pixels("yPx"),
      detail: { field: "line", type: "nominal" },
      order: { field: "step", type: "quantitative" },
    },
  };
}

/** Words at places of a frame, in px from its left and its top. */
export function wordsLayer(
  words: readonly { readonly text: string; readonly xPx: number; readonly yPx: number }[],
  style: object = {},
): Layer {
  return {
    data: { values: words.map(({ text, xPx, yPx }) => ({ text, xPx, yPx })) },
    mark: { type: "text", align: "left", baseline: "middle", fontSize: FONT_PX, ...style, aria: false },
    encoding: { x: pixels("xPx"), y: pixels("yPx"), text: { field: "text" } },
  };
}

/** How far along a logarithmic axis a value lies, 0 to 1. */
export function shareOf([low, high]: readonly [number, number], value: number): number {
  return Math.log(value / low) / Math.log(high / low);
}

/**
 * Positions moved as little as possible (in squares) so that each is `gap` or more from the next. They stay in the same
 * order, between 0 and `most`. `wanted` falls, as the positions of growing values do.
 */
export function apart(wanted: readonly number[], gap: number, most: number): number[] {
  // Less its own gaps, each position may be anywhere above its predecessor. Runs of positions that are in one another's
  // way stand at their mean. A run that then is in the way of the one before joins it.
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
