import type { TopLevelSpec } from "vega-lite";
import { formatNumber } from "../../../reporter/src/index.ts";
import { COLOUR } from "../../pictures/dark.ts";
import {
  AXIS_PX,
  type Layer,
  LETTER_PX,
  LINE_PX,
  lineLayer,
  SHADE,
  SHORT_NUMBERS,
  sheetSpec,
  type View,
  valueScale,
  WIDTH_PX,
} from "../../pictures/drawing.ts";
import { apart, leaderLayer, shareOf, wordsLayer } from "../../pictures/line-ends.ts";
import type { Picture } from "../../tables/markdown.ts";
import { workersText } from "../../tables/phrases.ts";
import { coresOf } from "../machine/machine.ts";
import type { Scaled, Scaling } from "./scaling.ts";

/**
 * What was simulated, as pictures that nobody takes for measured ones: every line is dashed, the ground is blue, and title
 * and subtitle say it. What was measured is a solid dot. Pure; drawn as all pictures of the lab are (see drawing.ts).
 */

/** The ground of what is simulated. Measured pictures have white or, with more workers than cores, ochre. */
export const GROUND = { fill: COLOUR.paleBlueGround, fillOpacity: 0.35 };
/** No line is solid. */
const DASHES = [
  [7, 3],
  [2, 2],
  [10, 3, 2, 3],
  [4, 4],
];
const BAND_OPACITY = 0.14;
const HEIGHT_PX = 440;
/** Of a name beside the end of its line: longer ones are broken at their hyphens. */
const MOST_LETTERS = 18;
/** From the frame to a name. */
const LEADER_PX = 24;
const DOT_PX = 50;

/** Whether a file's name is one of these pictures. */
export function isCoresPicture(file: string): boolean {
  return file.startsWith("simulated-") && file.endsWith(".svg");
}

/** The picture of how structures scale; `shown` is what it has room for. */
export function pictureOfScaling(scaling: Scaling, shown: readonly Scaled[]): Picture {
  return {
    file: `simulated-${scaling.scenario}-${scaling.machine.name}.svg`,
    alt: altOf(scaling, shown),
  };
}

function titleOf({ primitive, scenario }: Scaling): string {
  return `${primitive}/${scenario} with more cores (simulated)`;
}

function altOf(scaling: Scaling, shown: readonly Scaled[]): string {
  const counts = countsOf(shown);
  const [first, last] = [counts[0]!, counts.at(-1)!];
  const ends = shown.map((one) => {
    const { workers, throughput } = one.points.at(-1)!;
    const where = workers === last ? "" : ` at ${workers}`;
    return `${one.competitor} ${formatNumber(throughput, 3)}${where}`;
  });
  return `${titleOf(scaling)}: simulated operations per us of all workers on ${scaling.machine.title}, from ${first} to ${last} workers. At ${last}: ${ends.join(", ")}`;
}

function countsOf(shown: readonly Scaled[]): number[] {
  const counts = new Set(shown.flatMap(({ points }) => points.map(({ workers }) => workers)));
  return [...counts].toSorted((a, b) => a - b);
}

/** How structures scale, as a vega-lite specification. `source` names the record. */
export function scalingSpec(scaling: Scaling, shown: readonly Scaled[], source: string): TopLevelSpec {
  const { machine } = scaling;
  const cores = coresOf(machine);
  const isCrowded = countsOf(shown).at(-1)! > cores;
  return sheetSpec(
    {
      alt: altOf(scaling, shown),
      title: titleOf(scaling),
      subtitle: [
        `Simulated: operations per us of all workers together, on ${machine.title} (${cores} cores)`,
        "Dashed lines on blue ground are simulated; pale areas: from the lowest to the highest over the ranges of the machine's costs",
        ...(shown.some(({ measured }) => measured.length > 0)
          ? ["Solid dots: measured with 1 and 2 workers, on the two cores of the lab's own records"]
          : []),
        ...(isCrowded ? [`Shaded ochre: more workers than the ${cores} simulated cores`] : []),
      ],
      notes: [`Simulated, not measured. Made from ${source}`],
      indentPx: AXIS_PX,
    },
    frameSpec(shown, cores),
  );
}

/** A name in lines of no more than `MOST_LETTERS`, as far as its hyphens allow. */
function brokenName(name: string): string[] {
  const lines = [""];
  for (const part of name.split(/(?<=-)/)) {
    const line = lines.at(-1)!;
    if (line !== "" && line.length + part.length > MOST_LETTERS) lines.push(part);
    else lines[lines.length - 1] = line + part;
  }
  return lines;
}

function frameSpec(shown: readonly Scaled[], cores: number): View {
  const counts = countsOf(shown);
  const [least, most] = [counts[0]!, counts.at(-1)!];
  const domain: [number, number] = [least / 1.12, most * 1.12];
  const values = valuesOf(shown);
  // By the end of the line, from the lowest to the highest: names are moved apart in this order.
  const named = shown
    .map((one, index) => ({
      ...one,
      dash: DASHES[index % DASHES.length]!,
      lines: brokenName(one.competitor),
    }))
    .toSorted((a, b) => a.points.at(-1)!.throughput - b.points.at(-1)!.throughput);
  const mostLines = Math.max(...named.map(({ lines }) => lines.length));
  const letters = Math.max(...named.flatMap(({ lines }) => lines.map((line) => line.length)));
  const width = WIDTH_PX - AXIS_PX - LEADER_PX - Math.ceil(letters * LETTER_PX);
  const height = Math.max(HEIGHT_PX, named.length * mostLines * LINE_PX);
  const x = countAxis("workers", domain, counts);
  const y = valueScale(values);
  return {
    width,
    height,
    view: GROUND,
    layer: [
      ...(most > cores ? [crowdedLayer(cores, domain, x)] : []),
      ...named.map(({ points }) => bandLayer(points, x, y)),
      ...named.map(({ points, dash }) =>
        lineLayer(
          points.map(({ workers, throughput }, step) => ({ step, workers, value: throughput })),
          { color: COLOUR.ink, strokeWidth: 1.25, strokeDash: dash },
          { x, y },
        ),
      ),
      dotLayer(named, x, y),
      ...nameLayers(named, { width, height, domain, values, mostLines }),
    ],
  };
}

/** Counts of workers along a logarithmic axis. */
export function countAxis(title: string, domain: [number, number], values: number[]) {
  return {
    field: "workers",
    type: "quantitative" as const,
    scale: { type: "log" as const, base: 2, domain, nice: false as const },
    axis: { title, values, ...SHORT_NUMBERS, grid: false },
  };
}

function valuesOf(shown: readonly Scaled[]): [number, number] {
  const all = shown.flatMap(({ points, measured }) => [
    ...points.flatMap(({ low, high }) => [low, high]),
    ...measured.map(({ throughput }) => throughput),
  ]);
  return [Math.min(...all) / 1.3, Math.max(...all) * 1.3];
}

/** Where there are more workers than cores. */
function crowdedLayer(cores: number, [, most]: readonly [number, number], x: object): Layer {
  return {
    data: { values: [{ workers: cores, end: most }] },
    mark: { type: "rect", ...SHADE, aria: false },
    encoding: { x, x2: { field: "end" } },
  };
}

function bandLayer(points: Scaled["points"], x: object, y: object): Layer {
  return {
    data: { values: [...points] },
    mark: { type: "area", color: COLOUR.grey, opacity: BAND_OPACITY, aria: false },
    encoding: { x, y: { ...y, field: "low" }, y2: { field: "high" } },
  };
}

function dotLayer(shown: readonly Scaled[], x: object, y: object): Layer {
  return {
    data: {
      values: shown.flatMap(({ competitor, measured }) =>
        measured.map(({ workers, throughput }) => ({
          workers,
          value: throughput,
          text: `${competitor}, measured with ${workersText(workers)}: ${formatNumber(throughput, 3)} operations per us`,
        })),
      ),
    },
    mark: { type: "circle", size: DOT_PX, color: COLOUR.ink, opacity: 1 },
    encoding: { x, y: { ...y, field: "value" }, description: { field: "text" } },
  };
}

interface Frame {
  readonly width: number;
  readonly height: number;
  readonly domain: readonly [number, number];
  readonly values: readonly [number, number];
  readonly mostLines: number;
}

/** Each name beside the end of its line, with a thin rule from one to the other. */
function nameLayers(
  named: readonly (Scaled & { readonly lines: readonly string[] })[],
  { width, height, domain, values, mostLines }: Frame,
): Layer[] {
  const ends = named.map(({ points }) => {
    const { workers, throughput } = points.at(-1)!;
    return {
      xPx: width * shareOf(domain, workers),
      yPx: height * (1 - shareOf(values, throughput)),
    };
  });
  const rows = apart(
    ends.map(({ yPx }) => yPx),
    mostLines * LINE_PX,
    height,
  );
  const path = ends.flatMap(({ xPx, yPx }, line) => [
    { line, step: 0, xPx, yPx },
    { line, step: 1, xPx: width, yPx },
    { line, step: 2, xPx: width + LEADER_PX - 4, yPx: rows[line] },
  ]);
  const words = named.flatMap(({ lines }, index) =>
    lines.map((text, row) => ({
      text,
      xPx: width + LEADER_PX,
      yPx: rows[index]! + LINE_PX * (row - (lines.length - 1) / 2),
    })),
  );
  return [leaderLayer(path), wordsLayer(words)];
}
