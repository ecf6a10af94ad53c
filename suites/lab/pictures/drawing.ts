import { basename } from "node:path";
import type { Config as SvgoConfig } from "svgo/browser";
import type { TopLevelSpec } from "vega-lite";
import type { Verdict } from "../../engine/judge/verdict.ts";
import type { JudgedMeasured, JudgedScenario } from "../../engine/schema/verdict.ts";
import { formatNumber } from "../../reporter/src/index.ts";
import type { BenchRecord } from "../schema/record.ts";
import type { Picture } from "../tables/markdown.ts";
import { COLOUR, SHADE_OPACITY, withDarkMode } from "./dark.ts";

/**
 * What all pictures share: how wide they are, what a colour says, how an estimate is drawn with its interval, and the
 * sheet around it. Also how a specification becomes an SVG of the same bytes everywhere.
 *
 * A picture is drawn once, for every screen. It is no wider than a column of text, and its letters are still 11 pixels
 * high where a telephone of 390 pixels scales it down to 358.
 *
 * vega, vega-lite and svgo need 0.25 to 0.33 s to load, half of the 0.6 s that `npm run bench -- --help` takes. So they are
 * loaded when the first picture is drawn.
 */

/** An estimate with its 99 % interval, as it is drawn. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly emphasis: Emphasis;
  readonly oversubscribed: boolean;
  readonly text: string;
}

/** Anything drawn as a line through estimates. */
interface Estimates {
  readonly points: readonly Estimate[];
}

/** What a point's colour says. */
export type Emphasis = Verdict | "baseline" | "not judged";

/**
 * Every kind of colour blindness distinguishes blue and orange; only judged winners and losers have them. What is the
 * same, what is open and what was not measured well enough for a verdict are three things, and have three colours.
 */
const EMPHASIS_COLOURS: Readonly<Record<Emphasis, string>> = {
  baseline: COLOUR.ink,
  faster: COLOUR.faster,
  slower: COLOUR.slower,
  same: COLOUR.same,
  // Neither faster nor slower: what it is stands in words beside the ratio.
  depends: COLOUR.grey,
  "cannot tell": COLOUR.grey,
  "no power": COLOUR.noPower,
  "not judged": COLOUR.noPower,
};

/** Shapes say the same in grey: triangles point to the side of their verdict on an axis of ratios. */
const EMPHASIS_SHAPES: Readonly<Record<Emphasis, string>> = {
  baseline: "diamond",
  faster: "triangle-left",
  slower: "triangle-right",
  same: "square",
  depends: "circle",
  "cannot tell": "circle",
  "no power": "cross",
  "not judged": "cross",
};

export const SHADE = { fill: COLOUR.shade, fillOpacity: SHADE_OPACITY };

// Letters are not measured, since that would depend on the fonts of the machine that draws. A letter is taken to be as
// wide as one of DejaVu Sans is on average, the widest font that a viewer is likely to use, in parts of the font's size.
const LETTER_EM = 0.58;
export const BOLD_LETTER_EM = 0.655;
export const FONT = "Helvetica, Arial, sans-serif";
/** Of all text but titles. */
export const FONT_PX = 16;
export const LETTER_PX = LETTER_EM * FONT_PX;
export const LINE_PX = 20;

/** Width of every picture between its margins, its axis included. */
export const WIDTH_PX = 490;
const PADDING_PX = 10;
/** Room for the numbers of an axis along y: five letters, a tick and a gap. */
export const AXIS_PX = Math.ceil(5 * LETTER_PX) + 8;

/** Around an entry of a legend and between its symbol and its text, about. */
const LEGEND_GAP_PX = 16;
const PANEL_GAP_PX = 10;
/** Of a panel by how many rows of panels there are; the last holds for more. */
const PANEL_HEIGHTS_PX = [190, 140, 110, 92];
const PANEL_TITLE_PX = 30;
const LEAST_PANEL_PX = 150;

/** Rows with a number. A/A controls stay out: what they say is said by the noise floor. */
export function drawable({ rows }: JudgedScenario): JudgedMeasured[] {
  return rows.filter((row): row is JudgedMeasured => row.noNumber === undefined && row.kind !== "aa-control");
}

export function lineName({ competitor, role }: { competitor: string; role?: string | undefined }): string {
  return role === undefined ? competitor : `${competitor}, ${role}`;
}

/** What a row's operation cost; `where` is the place in words that it is drawn at. */
export function costEstimate(row: JudgedMeasured, judged: JudgedScenario, where: string): Estimate {
  const { low, high } = row.interval ?? { low: row.median, high: row.median };
  const [value, from, to] = [row.median, low, high].map((ns) => formatNumber(ns));
  const range = row.interval === undefined ? "" : ` (${from} to ${to})`;
  return {
    value: row.median,
    low,
    high,
    emphasis: emphasisOf(row),
    oversubscribed: conditionsAt(judged, row.workers)?.oversubscribed === true,
    text: `${lineName(row)}, ${where}: ${value} ns/${judged.operation}${range}, ${row.verdict}`,
  };
}

export function emphasisOf({ verdict }: JudgedMeasured): Emphasis {
  return verdict in EMPHASIS_COLOURS ? (verdict as Emphasis) : "not judged";
}

export function conditionsAt({ conditions }: JudgedScenario, workers: number) {
  return conditions.find((candidate) => candidate.workers === workers);
}

export function crowdedText(
  lines: readonly Estimates[],
  { cores, cpuQuotaCores }: BenchRecord["machine"],
): string[] {
  if (!lines.some(({ points }) => points.some(({ oversubscribed }) => oversubscribed))) return [];
  const quota = cpuQuotaCores === null ? "" : `, quota ${cpuQuotaCores}`;
  return [`Hollow points, shaded: oversubscribed, more workers than cores (${cores}${quota})`];
}

/** A picture but for its body: the words above and below it. */
export interface Sheet {
  readonly alt: string;
  readonly title: string;
  /** Wrapped here. */
  readonly subtitle: readonly string[];
  /** What was not drawn, and the source; wrapped here. */
  readonly notes: readonly string[];
  /** How far the body's frame stands from the left: notes are as wide as the picture. */
  readonly indentPx: number;
}

const TITLE_FONT_PX = 18;
const LEGEND_COLUMNS = 3;

/** One view of a sheet. */
export type View = Extract<TopLevelSpec, { vconcat: unknown }>["vconcat"][number];

const CONFIG: NonNullable<TopLevelSpec["config"]> = {
  font: FONT,
  aria: true,
  view: { stroke: COLOUR.frame },
  text: { color: COLOUR.ink },
  // A scale ends where its domain does, whether intervals stand along it or not.
  bar: { continuousBandSize: 0 },
  axis: {
    labelFontSize: FONT_PX,
    labelColor: COLOUR.ink,
    titleFontSize: FONT_PX,
    titleFontWeight: "normal",
    titleColor: COLOUR.ink,
    gridColor: COLOUR.grid,
    domainColor: COLOUR.axis,
    tickColor: COLOUR.axis,
    labelLimit: 0,
    titleLimit: 0,
    aria: false,
  },
  legend: {
    orient: "top",
    title: null,
    labelFontSize: FONT_PX,
    labelColor: COLOUR.ink,
    labelLimit: 0,
    columns: LEGEND_COLUMNS,
  },
  title: { limit: 0 },
};

export function sheetSpec({ alt, title, subtitle, notes, indentPx }: Sheet, body: View): TopLevelSpec {
  return {
    description: alt,
    background: COLOUR.paper,
    padding: PADDING_PX,
    title: {
      text: wrapped(title, WIDTH_PX, BOLD_LETTER_EM * TITLE_FONT_PX),
      subtitle: subtitle.flatMap((text) => wrapped(text, WIDTH_PX)),
      anchor: "start",
      frame: "bounds",
      fontSize: TITLE_FONT_PX,
      color: COLOUR.ink,
      subtitleFontSize: FONT_PX,
      subtitleLineHeight: LINE_PX,
      subtitlePadding: 6,
      subtitleColor: COLOUR.mutedInk,
      offset: 12,
    },
    spacing: 12,
    // What was not drawn and the source stand below as text, in a view that has no other mark.
    vconcat: [
      body,
      {
        width: 10,
        height: 10,
        view: { stroke: null },
        data: { values: [{ lines: notes.flatMap((text) => wrapped(text, WIDTH_PX)) }] },
        mark: {
          type: "text",
          align: "left",
          baseline: "top",
          x: -indentPx,
          y: 0,
          fontSize: FONT_PX,
          color: COLOUR.mutedInk,
          lineHeight: LINE_PX,
          aria: false,
        },
        encoding: { text: { field: "lines" } },
      },
    ],
    config: CONFIG,
  };
}

/** A part of what a frame shows. */
export type Layer = Extract<View, { layer: unknown }>["layer"][number];

/**
 * One panel for each title, side by side in rows, all with the same two axes. The lowest panels show the one along x,
 * the first of each row the one along y. `layersOf` fills the panel at an index, given the axes as they are there;
 * `contentPx` is the least width that this needs.
 */
export function smallMultiples<X extends object, Y extends { readonly axis: object }>(
  titles: readonly string[],
  axes: { readonly x: X; readonly y: Y },
  layersOf: (index: number, axes: { readonly x: X; readonly y: Y }) => readonly Layer[],
  contentPx = LEAST_PANEL_PX,
): View {
  const leastPx = Math.max(contentPx, ...titles.map((title) => title.length * BOLD_LETTER_EM * FONT_PX));
  const most = Math.max(1, Math.floor((WIDTH_PX - AXIS_PX) / (leastPx + PANEL_GAP_PX)));
  // Rows as even as can be: seven panels where six would fit are four and three, not six and one.
  const rows = Math.ceil(titles.length / most);
  const columns = Math.ceil(titles.length / rows);
  return {
    columns,
    // The axes of the outer panels lie where there are no others, so panels need room for their titles alone.
    bounds: "flush",
    spacing: { row: PANEL_TITLE_PX, column: PANEL_GAP_PX },
    concat: titles.map((title, index) => {
      const isLowest = index + columns >= titles.length;
      const isFirst = index % columns === 0;
      const x = isLowest ? axes.x : { ...axes.x, axis: null };
      const y = isFirst
        ? axes.y
        : { ...axes.y, axis: { ...axes.y.axis, labels: false, ticks: false, title: null } };
      return {
        width: Math.floor((WIDTH_PX - AXIS_PX) / columns - PANEL_GAP_PX),
        height: PANEL_HEIGHTS_PX[Math.min(rows, PANEL_HEIGHTS_PX.length) - 1]!,
        layer: [
          ...layersOf(index, { x, y }),
          // A mark and not the panel's title, whose height depends on how far the axes' labels stand out.
          headingLayer(title),
        ],
      };
    }),
  };
}

/** From a panel's upper edge up to the foot of its title. */
const TITLE_RISE_PX = 9;

/** A text above a panel. */
export function headingLayer(text: string): Layer {
  return {
    data: { values: [{ text }] },
    mark: {
      type: "text",
      align: "left",
      fontSize: FONT_PX,
      fontWeight: "bold",
      x: 0,
      y: -TITLE_RISE_PX,
      aria: false,
    },
    encoding: { text: { field: "text" } },
  };
}

/** A path through `value` in the order of `step`; broken where there is no value. */
export function lineLayer<X extends object, Y extends object>(
  values: readonly object[],
  stroke: { readonly color: string; readonly strokeWidth: number; readonly strokeDash?: number[] },
  { x, y }: { readonly x: X; readonly y: Y },
) {
  return {
    data: { values: [...values] },
    mark: { type: "line" as const, ...stroke, aria: false },
    encoding: {
      x,
      y: { ...y, field: "value" },
      order: { field: "step", type: "quantitative" as const },
    },
  };
}

/** The values of points in the order of the places, `key`, that a path goes along. */
export function pathAlong<Key extends string>(
  key: Key,
  places: readonly number[],
  points: readonly (Readonly<Record<Key, number>> & Pick<Estimate, "value">)[],
) {
  return places.map((place, step) => ({
    step,
    [key]: place,
    value: points.find((point) => point[key] === place)?.value ?? null,
  }));
}

/**
 * Estimates before their intervals. They stand at their places along one axis, `at`, and have their values along the
 * other.
 */
export function estimateLayers(
  estimates: readonly Estimate[],
  at: { readonly x: object } | { readonly y: object },
  value: ReturnType<typeof valueScale>,
  style: ReturnType<typeof emphasisStyle>,
  intervals = estimates,
): Layer[] {
  const [along, end] = "x" in at ? ["y", "y2"] : ["x", "x2"];
  return [
    {
      data: { values: [...intervals] },
      mark: INTERVAL,
      encoding: { ...at, [along]: { ...value, field: "low" }, [end]: { field: "high" }, ...style.interval },
    },
    {
      data: { values: [...estimates] },
      mark: POINT,
      encoding: {
        ...at,
        [along]: { ...value, field: "value" },
        ...style.point,
        description: { field: "text" },
      },
    },
  ];
}

/** The last line below a picture: what it was made from. */
export function sourceText(
  source: string,
  { machine: { cpu, cores }, runtime: { name, version } }: Pick<BenchRecord, "machine" | "runtime">,
): string {
  return `Made from ${source}: ${cpu}, ${cores} cores, ${name} ${version}`;
}

/** A text in lines that fit the picture. */
export function wrapped(text: string, widthPx: number, letterPx = LETTER_PX): string[] {
  const longest = Math.floor(widthPx / letterPx);
  const lines: string[] = [];
  let line = "";
  // A word that is longer than a line, as file names are, is broken.
  for (const word of text.match(new RegExp(`\\S{1,${longest}}`, "g")) ?? []) {
    if (line !== "" && line.length + 1 + word.length > longest) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

export function domainOf(lines: readonly Estimates[]): [number, number] {
  const points = lines.flatMap((line) => line.points);
  const low = Math.min(...points.map((point) => point.low));
  const high = Math.max(...points.map((point) => point.high));
  // A scale that shows less than a factor of 4 would blow noise up to mountains.
  const widen = Math.max(1.15, Math.sqrt(4 / (high / low)));
  return [low / widen, high * widen];
}

/** Round values in a domain, no more than `most`: as many in each decade as that allows. */
export function logTicks([low, high]: readonly [number, number], most = 6): number[] {
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  const ladders = [[1, 1.5, 2, 3, 5, 7], [1, 2, 5], [1, 3], [1]];
  for (let stride = 1; ; stride++) {
    for (const ladder of stride === 1 ? ladders : [[1]]) {
      const ticks: number[] = [];
      for (let decade = first; decade <= last; decade++) {
        if (decade % stride !== 0) continue;
        ticks.push(...ladder.map((digit) => Number(`${digit}e${decade}`)));
      }
      const inside = ticks.filter((tick) => tick >= low && tick <= high);
      if (inside.length <= most) return inside;
    }
  }
}

/** Numbers of an axis: 300, 10k, 1M. */
export const SHORT_NUMBERS = {
  labelExpr: "format(datum.value, abs(datum.value) < 1000 ? '~f' : '~s')",
};

/** A logarithmic axis of values. What they are stands in a picture's words. */
export function valueScale(domain: readonly [number, number], mostTicks?: number) {
  return {
    type: "quantitative" as const,
    scale: { type: "log" as const, domain: [...domain], nice: false },
    axis: { title: null, values: logTicks(domain, mostTicks), ...SHORT_NUMBERS },
  };
}

/**
 * Wider than a point is, so that an interval shorter than the point still shows on both sides of it. Pale, so that its
 * point stands out, within an outline that is not pale.
 */
const INTERVAL = {
  type: "bar" as const,
  size: 10,
  fillOpacity: 0.25,
  strokeWidth: 0.75,
  opacity: 1,
  aria: false,
};
const POINT = { type: "point" as const, size: 30, opacity: 1, strokeWidth: 1 };

/** How many legend entries with these titles and symbols stand side by side. */
export function legendColumns(titles: readonly string[], symbolPx: number): number {
  const entryPx = Math.max(...titles.map((title) => title.length)) * LETTER_PX + symbolPx + LEGEND_GAP_PX;
  return Math.max(1, Math.min(titles.length, Math.floor((WIDTH_PX - AXIS_PX) / entryPx)));
}

/** Shapes of points, their colours, hollow where oversubscribed, and those of intervals. */
export function emphasisStyle(lines: readonly Estimates[]) {
  const used = new Set(lines.flatMap(({ points }) => points.map(({ emphasis }) => emphasis)));
  const labels = (Object.keys(EMPHASIS_COLOURS) as Emphasis[]).filter((emphasis) => used.has(emphasis));
  const colour = {
    field: "emphasis",
    type: "nominal" as const,
    scale: { domain: labels, range: labels.map((emphasis) => EMPHASIS_COLOURS[emphasis]) },
    legend: { symbolSize: 40, symbolOpacity: 1 },
  };
  const shape = {
    ...colour,
    scale: { domain: labels, range: labels.map((emphasis) => EMPHASIS_SHAPES[emphasis]) },
  };
  return {
    point: {
      shape,
      stroke: colour,
      fill: { ...colour, condition: { test: "datum.oversubscribed", value: COLOUR.paper } },
    },
    interval: { stroke: colour, fill: colour },
  };
}

/** A picture as SVG, with its file name. */
export type Drawn = [file: string, svg: string];

/** Draws a picture from its specification. Files of one folder have names of their own, and so do references in them. */
export async function draw({ file }: Picture, spec: TopLevelSpec, pathDigits?: number): Promise<Drawn> {
  return [file, await drawSvg(spec, basename(file, ".svg"), pathDigits)];
}

/**
 * Draws a specification without a browser. `name` distinguishes its references from other pictures'; `pathDigits` are the
 * decimals of positions on a path, in pixels.
 */
export async function drawSvg(spec: TopLevelSpec, name: string, pathDigits = 1): Promise<string> {
  const [vega, { compile }, { optimize }] = await Promise.all([
    import("vega"),
    import("vega-lite"),
    import("svgo/browser"),
  ]);
  // Its types do not know that a measure of one's own may stand here.
  (vega as unknown as { textMetrics: { width: typeof textWidth } }).textMetrics.width = textWidth;
  const view = new vega.View(vega.parse(compile(spec).spec), { renderer: "none" });
  const svg = await view.toSVG();
  view.finalize();
  return `${withDarkMode(optimize(svg, smaller(name, pathDigits)).data)}\n`;
}

interface TextMark {
  readonly fontSize: number;
  readonly fontWeight?: string;
  readonly limit?: number;
}

/** Of a text that vega lays out, in pixels; of one that is cut, no more than its limit. */
function textWidth({ fontSize, fontWeight, limit }: TextMark, text: unknown): number {
  const em = fontWeight === "bold" ? BOLD_LETTER_EM : LETTER_EM;
  return Math.min(limit || Number.POSITIVE_INFINITY, String(text ?? "").length * fontSize * em);
}

/**
 * The same picture in less than half the bytes. Positions are rounded to a tenth of a pixel. That is finer than any eye,
 * and coarse enough that the last digits of a logarithm, which engines may round differently, do not show. What only a
 * live chart needs, or a viewer assumes anyway, is left out; what every panel repeats is drawn once and referred to.
 */
function smaller(name: string, floatPrecision: number): SvgoConfig {
  return {
    plugins: [
      // What has neither stroke nor fill, as most grounds that vega draws.
      { name: "removeUselessStrokeAndFill", params: { removeNone: true } },
      {
        name: "removeAttrs",
        params: { attrs: ["class", "pointer-events", "aria-hidden", "aria-roledescription", "font-family"] },
      },
      { name: "addAttributesToSVGElement", params: { attributes: [{ "font-family": FONT }] } },
      "removeHiddenElems",
      // Opacities and the widths of strokes have two digits.
      { name: "cleanupNumericValues", params: { floatPrecision: 2 } },
      { name: "convertPathData", params: { floatPrecision } },
      "removeUnknownsAndDefaults",
      "collapseGroups",
      { name: "convertTransform", params: { floatPrecision: 1 } },
      "removeEmptyContainers",
      "reusePaths",
      "removeXlink",
      { name: "prefixIds", params: { prefix: name, delim: "-" } },
    ],
  };
}
