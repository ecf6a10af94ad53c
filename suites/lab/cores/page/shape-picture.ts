import type { TopLevelSpec } from "vega-lite";
import { COLOUR } from "../../pictures/dark.ts";
import {
  AXIS_PX,
  headingLayer,
  type Layer,
  lineLayer,
  sheetSpec,
  type View,
  valueScale,
  WIDTH_PX,
} from "../../pictures/drawing.ts";
import { endLayers, NUMBERED, NUMBERS_PX, numbered, shareOf } from "../../pictures/line-ends.ts";
import type { Picture } from "../../tables/markdown.ts";
import type { CoresRecord } from "../record.ts";
import { countAxis, GROUND } from "./pictures.ts";
import { MISSED_MARK, MISSED_TEXT, type ShapeCurve, type Shapes, shapeCurves } from "./shapes.ts";

/**
 * Curves that others published beside ours, as a picture: theirs measured, with solid lines; ours simulated, dashed on blue
 * ground (see pictures.ts). Only shapes are compared, so each side is relative to its own highest value at the fewest
 * threads. Pure.
 */

const HEIGHT_PX = 320;
const TITLE_GAP_PX = 12;
const WIDTH_OF_PANEL_PX = (WIDTH_PX - AXIS_PX - TITLE_GAP_PX) / 2 - NUMBERS_PX;
const DASH = [5, 3];

export function pictureOfShape({ published: { name, title } }: Shapes): Picture {
  return {
    file: `simulated-shape-${name}.svg`,
    alt: `${title}: throughput over threads, as published and as simulated, each relative to its highest at the fewest threads. The table has both`,
  };
}

/** As a vega-lite specification. `source` names the record. */
export function shapeSpec(record: CoresRecord, shapes: Shapes, source: string): TopLevelSpec {
  const { alt } = pictureOfShape(shapes);
  const curves = shapeCurves(record, shapes);
  const names = curves.map(({ competitor, series, isMissed }) => {
    return `${competitor} (${series})${isMissed ? ` ${MISSED_MARK}` : ""}`;
  });
  const sides = [curves.map(({ published }) => published), curves.map(({ simulated }) => simulated)].map(
    relative,
  );
  const values = sides.flat(2).map(({ value }) => value);
  const domain: [number, number] = [Math.min(...values) / 1.4, Math.max(...values) * 1.4];
  const counts = [...new Set(curves.flatMap(({ published }) => published.map(({ workers }) => workers)))];
  return sheetSpec(
    {
      alt,
      title: `${shapes.published.title}: published, and simulated`,
      subtitle: [
        "Throughput of all threads over threads, both scales log; each side relative to its highest at the fewest threads",
        `Left, solid: measured by others on ${shapes.published.machine}`,
        "Right, dashed on blue ground: simulated",
        NUMBERED,
      ],
      notes: [
        ...numbered(names),
        ...(curves.some(({ isMissed }) => isMissed) ? [MISSED_TEXT] : []),
        `Simulated side made from ${source}`,
      ],
      indentPx: AXIS_PX,
    },
    {
      bounds: "flush",
      spacing: NUMBERS_PX + TITLE_GAP_PX,
      hconcat: ["published", "simulated"].map((title, side) =>
        panel(
          title,
          sides[side]!,
          side === 1,
          counts.toSorted((a, b) => a - b),
          domain,
        ),
      ),
    },
  );
}

interface Place {
  readonly workers: number;
  readonly value: number;
}

/** Each curve relative to the highest of all at the fewest threads that any has. */
function relative(curves: readonly ShapeCurve["published"][]): Place[][] {
  const all = curves.flat();
  const fewest = Math.min(...all.map(({ workers }) => workers));
  const unit = Math.max(
    ...all.filter(({ workers }) => workers === fewest).map(({ throughput }) => throughput),
  );
  return curves.map((curve) =>
    curve.map(({ workers, throughput }) => ({ workers, value: throughput / unit })),
  );
}

function panel(
  title: string,
  curves: readonly (readonly Place[])[],
  isSimulated: boolean,
  counts: readonly number[],
  values: [number, number],
): Extract<View, { hconcat: unknown }>["hconcat"][number] {
  const domain: [number, number] = [counts[0]! / 1.1, counts.at(-1)! * 1.1];
  const powers = counts.filter((count) => Number.isInteger(Math.log2(count)));
  const x = countAxis(isSimulated ? "workers" : "threads", domain, powers);
  const { axis, ...scale } = valueScale(values);
  const y = { ...scale, axis: isSimulated ? { ...axis, labels: false, ticks: false } : axis };
  const ends = curves
    .map((curve, index) => ({ curve, number: index + 1 }))
    .filter(({ curve }) => curve.length > 0)
    .map(({ curve, number }) => ({
      number,
      fromPx: 3,
      xPx: WIDTH_OF_PANEL_PX * shareOf(domain, curve.at(-1)!.workers),
      yPx: HEIGHT_PX * (1 - shareOf(values, curve.at(-1)!.value)),
    }))
    .toSorted((a, b) => b.yPx - a.yPx);
  const { leaders, labels } = endLayers(ends, WIDTH_OF_PANEL_PX, HEIGHT_PX);
  const lines = curves.map(
    (curve): Layer =>
      lineLayer(
        curve.map((place, step) => ({ ...place, step })),
        { color: COLOUR.ink, strokeWidth: 1.25, ...(isSimulated ? { strokeDash: DASH } : {}) },
        { x, y },
      ),
  );
  return {
    width: WIDTH_OF_PANEL_PX,
    height: HEIGHT_PX,
    view: isSimulated ? GROUND : {},
    layer: [headingLayer(title), leaders, ...lines, labels],
  };
}
