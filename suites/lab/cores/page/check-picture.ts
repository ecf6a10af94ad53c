import type { TopLevelSpec } from "vega-lite";
import { formatNumber } from "../../../reporter/src/index.ts";
import { COLOUR } from "../../pictures/dark.ts";
import {
  AXIS_PX,
  type Layer,
  LETTER_PX,
  LINE_PX,
  logTicks,
  SHORT_NUMBERS,
  sheetSpec,
  WIDTH_PX,
} from "../../pictures/drawing.ts";
import { apart, leaderLayer, shareOf, wordsLayer } from "../../pictures/line-ends.ts";
import type { Picture } from "../../tables/markdown.ts";
import { structureOf } from "../record.ts";
import { type Compared, MOST_MISSED, missOf } from "./check.ts";
import { GROUND } from "./pictures.ts";

/** Simulated against measured, as a picture: see pictures.ts for what all pictures of simulations have in common. Pure. */

const SCATTER_PX = 420;
/** By primitive, in turn. */
const SHAPES = ["circle", "square", "triangle-up", "diamond", "cross"] as const;

/** The picture of what was simulated at two workers against what was measured. */
export function pictureOfCheck(compared: readonly Compared[]): Picture {
  return { file: "simulated-check.svg", alt: checkAlt(compared) };
}

function checkAlt(compared: readonly Compared[]): string {
  const misses = missesIn(compared).map(
    ({ competitor, ratio }) => `${competitor} (${formatNumber(ratio, 3)})`,
  );
  const missed = misses.length === 0 ? "none" : misses.join(", ");
  return `Simulated against measured time of an operation at two workers, ${compared.length} structures. Further off than a factor of ${MOST_MISSED}: ${missed}`;
}

function missesIn(compared: readonly Compared[]): Compared[] {
  return compared.filter(({ ratio }) => missOf(ratio) > MOST_MISSED);
}

/** Simulated against measured, as a vega-lite specification. `source` names the record. */
export function checkSpec(compared: readonly Compared[], source: string): TopLevelSpec {
  const all = compared.flatMap(({ simulatedNs, measuredNs }) => [simulatedNs, measuredNs]);
  const domain: [number, number] = [Math.min(...all) / 1.6, Math.max(...all) * 1.6];
  const width = WIDTH_PX - AXIS_PX;
  const axis = (title: string | null) => ({
    type: "quantitative" as const,
    scale: { type: "log" as const, domain, nice: false as const },
    axis: { title, values: logTicks(domain), ...SHORT_NUMBERS },
  });
  const x = { ...axis("measured, ns per operation"), field: "measuredNs" };
  const y = { ...axis(null), field: "simulatedNs" };
  const diagonal = (factor: number, dash: number[], strokeWidth: number): Layer => ({
    data: {
      values: [Math.max(domain[0], domain[0] / factor), Math.min(domain[1], domain[1] / factor)].map(
        (at) => ({
          measuredNs: at,
          simulatedNs: at * factor,
        }),
      ),
    },
    mark: { type: "line", color: COLOUR.grey, strokeWidth, strokeDash: dash, aria: false },
    encoding: { x, y },
  });
  return sheetSpec(
    {
      alt: checkAlt(compared),
      title: "Simulated against measured, two workers",
      subtitle: [
        "Each point is a structure: simulated ns per operation (up) against the measured median (to the right)",
        `Between the outer dashed lines the simulated time is within a factor of ${MOST_MISSED}; on the middle one it is exact`,
        "Hollow: the machine's costs were fitted to it, so that it proves nothing; the furthest beyond the lines are named",
      ],
      notes: [`Simulated times made from ${source}; measured ones from the published records that it names`],
      indentPx: AXIS_PX,
    },
    {
      width,
      height: SCATTER_PX,
      view: GROUND,
      layer: [
        diagonal(1, [7, 3], 1.25),
        diagonal(MOST_MISSED, [2, 2], 1),
        diagonal(1 / MOST_MISSED, [2, 2], 1),
        pointLayer(compared, x, y),
        ...missLayers(missesIn(compared), domain, width),
      ],
    },
  );
}

function pointLayer(compared: readonly Compared[], x: object, y: object): Layer {
  const primitives = [...new Set(compared.map(({ primitive }) => primitive))];
  const shape = {
    field: "primitive",
    type: "nominal" as const,
    scale: {
      domain: primitives,
      range: primitives.map((_, index) => SHAPES[index % SHAPES.length]!),
    },
    legend: { symbolFillColor: COLOUR.ink, symbolStrokeColor: COLOUR.ink },
  };
  const values = compared.map((one) => ({
    ...one,
    text: `${structureOf(one)}: simulated ${formatNumber(one.simulatedNs, 3)} ns, measured ${formatNumber(one.measuredNs, 3)} ns`,
  }));
  return {
    data: { values },
    mark: { type: "point", size: 60, strokeWidth: 1.25, opacity: 1, stroke: COLOUR.ink },
    encoding: {
      x,
      y,
      shape,
      fill: { condition: { test: "datum.isFitted", value: COLOUR.paper }, value: COLOUR.ink },
      description: { field: "text" },
    },
  };
}

/** From the middle of a point to its name. */
const NAME_PX = 14;
/** There is no room for the names of more: the table has them. */
const MOST_NAMES = 12;

/**
 * The name of each miss beside its point, or above it where neither side has room; moved apart where they would touch, with
 * a thin rule from one to the other. The furthest come first.
 */
function missLayers(misses: readonly Compared[], domain: readonly [number, number], width: number): Layer[] {
  const placed = misses
    .toSorted((a, b) => missOf(b.ratio) - missOf(a.ratio))
    .slice(0, MOST_NAMES)
    .map(({ competitor, simulatedNs, measuredNs }) => {
      const point = {
        xPx: width * shareOf(domain, measuredNs),
        yPx: SCATTER_PX * (1 - shareOf(domain, simulatedNs)),
      };
      const lengthPx = competitor.length * LETTER_PX;
      const [toTheRight, toTheLeft] = [point.xPx + NAME_PX, point.xPx - NAME_PX - lengthPx];
      const beside = toTheRight + lengthPx <= width ? toTheRight : toTheLeft;
      const xPx = beside >= 0 ? beside : Math.max(0, (width - lengthPx) / 2);
      const yPx = beside >= 0 ? point.yPx : point.yPx - LINE_PX;
      return { text: competitor, point, lengthPx, xPx, yPx };
    })
    .toSorted((a, b) => b.yPx - a.yPx);
  const rows = apart(
    placed.map(({ yPx }) => yPx),
    LINE_PX,
    SCATTER_PX,
  );
  const names = placed.map((name, index) => ({ ...name, yPx: rows[index]! }));
  const path = names.flatMap(({ point, xPx, yPx, lengthPx }, line) => [
    { line, step: 0, ...point },
    { line, step: 1, xPx: xPx > point.xPx ? xPx - 2 : Math.min(point.xPx, xPx + lengthPx + 2), yPx },
  ]);
  // Once in the colour of the paper, wider, because lines run behind it.
  const halo = { stroke: COLOUR.paper, strokeWidth: 3 };
  return [leaderLayer(path, 0.75), wordsLayer(names, halo), wordsLayer(names)];
}
