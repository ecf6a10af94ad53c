import type { TopLevelSpec } from "vega-lite";
import { formatNumber } from "../../reporter/src/index.ts";
import type { ChartLine, SeriesChart } from "../../shared/vocabulary.ts";
import { type Band, bandOf } from "../kinds/band.ts";
import type { BenchRecord, SimulationRecord } from "../schema/record.ts";
import type { Picture } from "../tables/markdown.ts";
import { COLOUR } from "./dark.ts";
import {
  AXIS_PX,
  legendColumns,
  SHORT_NUMBERS,
  type Sheet,
  sheetSpec,
  smallMultiples,
  sourceText,
  type View,
  WIDTH_PX,
} from "./drawing.ts";

/**
 * What simulations do, as pictures in the form of a monitoring graph. Values stand against time, from zero up. One competitor has one wide frame; several have a panel each, in the order
 * of the table and to one scale.
 *
 * A frame shows a band or a few lines. Lines are distinguished by their dashes and their strength, and have every
 * value drawn. A band may be long: a series may have a value for each of 21,600 seconds and a frame has some hundred
 * pixel columns. So equally many values share each column, and the band from the lowest to the highest of them is
 * drawn. A line through all values would look the same, and take twelve times the bytes. Neither a mean nor every n-th
 * value would do. Many of these pictures are there to show a spike one second wide, and both would lose it.
 */

/** One competitor's values: a band, or each of its lines. */
interface Panel extends Extremes {
  readonly name: string;
  readonly isBaseline: boolean;
  readonly traces: readonly Trace[];
}

interface Trace extends Extremes {
  /** Of a line; a band needs none. */
  readonly title?: string;
  /** Column by column, of one length, at least one: how many values they stand for, and how many each of them. */
  readonly low: readonly number[];
  readonly high: readonly number[];
  readonly values: number;
  readonly per: number;
}

interface Extremes {
  readonly lowest: number;
  readonly peak: number;
}

/** Time along a frame. */
interface Axis {
  readonly unit: string;
  readonly from: number;
  readonly to: number;
  /** Where the value at `index` stands. */
  placeOf(index: number): number;
}

/** All that a picture is drawn from. */
export interface Graph {
  readonly simulation: SimulationRecord;
  readonly chart: SeriesChart;
  /** In the order of the table; one at least. */
  readonly panels: readonly Panel[];
  /** The highest value that a frame shows. */
  readonly top: number;
  readonly axis: Axis;
}

const SUFFIX = "-series.svg";
/** By which the last time stands out to the right of its frame, at most. */
const LAST_LABEL_PX = 10;
const FRAME_HEIGHT_PX = 300;
/** Of lines in one frame, in their order. Dashes alone would do, and so would greys on paper. */
const LINE_STYLES = [
  { colour: COLOUR.ink, dash: [1, 0] },
  { colour: COLOUR.grey, dash: [1, 0] },
  { colour: COLOUR.ink, dash: [2, 3] },
  { colour: COLOUR.grey, dash: [6, 3] },
];
const LEGEND_STROKE_PX = 20;
/** Part of the highest value by which a frame is higher. */
const HEADROOM = 0.05;
/** Times the middle of the peaks: lines that reach higher are cut off there, so that the others do not lie flat. */
const MOST_OF_MIDDLE_PEAK = 2;

/** Time axes: the largest unit that a series lasts two or more of. */
const TIME_UNITS = [
  { name: "hours", seconds: 3600 },
  { name: "minutes", seconds: 60 },
  { name: "seconds", seconds: 1 },
] as const;

/** The picture of a simulation: none where it has no chart or no competitor has a number. */
export function seriesPictureOf(simulation: SimulationRecord): Picture | undefined {
  const graph = graphOf(simulation);
  return graph === undefined ? undefined : pictureOfGraph(graph);
}

export function pictureOfGraph(graph: Graph): Picture {
  return { file: `${graph.simulation.scenario}${SUFFIX}`, alt: altOf(graph) };
}

export function isSeriesFile(file: string): boolean {
  return file.endsWith(SUFFIX);
}

/** A trace that varies by less than this share is one figure, which the table has. */
const LEAST_VARIATION = 0.02;

/** What the picture of a simulation is drawn from, if it has one; none where no competitor varies. */
export function graphOf(simulation: SimulationRecord): Graph | undefined {
  const { chart } = simulation;
  if (chart === undefined || !("stepSeconds" in chart)) return undefined;
  const panels = panelsOf(simulation, chart);
  if (panels.every(({ lowest, peak }) => peak - lowest <= LEAST_VARIATION * Math.abs(peak))) return undefined;
  return { simulation, chart, panels, top: topOf(panels), axis: timeAxis(chart, panels) };
}

function panelsOf({ cells }: SimulationRecord, chart: SeriesChart): Panel[] {
  return cells.flatMap((cell): Panel[] => {
    const { competitor, baseline, failure } = cell;
    const traces = failure === undefined ? tracesOf(cell, chart) : [];
    if (traces.length === 0) return [];
    const lowest = Math.min(...traces.map((trace) => trace.lowest));
    const peak = Math.max(...traces.map((trace) => trace.peak));
    return [{ name: competitor, isBaseline: baseline, traces, lowest, peak }];
  });
}

/** None if a series is missing. */
function tracesOf(cell: SimulationRecord["cells"][number], { lines }: SeriesChart): Trace[] {
  const { series, band } = cell;
  if (lines === undefined) return band === undefined ? [] : [{ ...band, ...extremesOf(band) }];
  const traces = lines.flatMap(({ key, title }): Trace[] => {
    const values = series[key];
    if (values === undefined) return [];
    const line = bandOf(values, values, 1);
    return [{ title, ...line, ...extremesOf(line) }];
  });
  return traces.length === lines.length ? traces : [];
}

function extremesOf({ low, high }: Band): Extremes {
  return { lowest: Math.min(...low), peak: Math.max(...high) };
}

/** A value counts until the next one, and the last as long. */
function timeAxis({ stepSeconds, fromSeconds = 0 }: SeriesChart, panels: readonly Panel[]): Axis {
  const lasting = mostValues(panels) * stepSeconds;
  const unit = TIME_UNITS.find(({ seconds }) => lasting >= 2 * seconds) ?? TIME_UNITS.at(-1)!;
  const from = fromSeconds / unit.seconds;
  return {
    unit: unit.name,
    from,
    to: (fromSeconds + lasting) / unit.seconds,
    placeOf: (index) => from + (index * stepSeconds) / unit.seconds,
  };
}

function mostValues(panels: readonly Panel[]): number {
  return Math.max(...panels.map(({ traces }) => traces[0]!.values));
}

/** Of two middle peaks the lower one counts: one giant of two is cut off, too. */
function topOf(panels: readonly Panel[]): number {
  const peaks = panels.map(({ peak }) => peak).toSorted((a, b) => a - b);
  const highest = peaks.at(-1)!;
  const most = MOST_OF_MIDDLE_PEAK * peaks[(peaks.length - 1) >> 1]!;
  const top = highest > most && most > 0 ? most : highest * (1 + HEADROOM);
  return top > 0 ? top : 1;
}

function titleOf({ simulation: { primitive, scenario }, chart, panels }: Graph): string {
  const whose = panels.length === 1 ? `, ${panels[0]!.name}` : "";
  return `${primitive}/${scenario}: ${chart.title}${whose}`;
}

function altOf(graph: Graph): string {
  const { chart, panels, axis } = graph;
  const ranges = panels.flatMap(({ name, traces }) =>
    traces.map(({ title, lowest, peak }) => {
      const whose = [...(panels.length === 1 ? [] : [name]), ...(title === undefined ? [] : [title]), ""];
      return `${whose.join(" ")}from ${formatNumber(lowest)} to ${formatNumber(peak)} ${chart.unit}`;
    }),
  );
  return `${titleOf(graph)}, from ${formatNumber(axis.from)} to ${formatNumber(axis.to)} ${axis.unit}: ${ranges.join(", ")}`;
}

/** The picture of a simulation as a vega-lite specification. */
export function seriesSpec(
  graph: Graph,
  record: Pick<BenchRecord, "machine" | "runtime">,
  source: string,
): TopLevelSpec {
  const sheet: Sheet = {
    alt: altOf(graph),
    title: titleOf(graph),
    subtitle: [graph.simulation.title, ...readingText(graph)],
    notes: [...missingText(graph), sourceText(source, record)],
    indentPx: AXIS_PX,
  };
  return sheetSpec(sheet, graph.panels.length === 1 ? frameSpec(graph) : panelsSpec(graph));
}

function readingText(graph: Graph): string[] {
  const { chart, panels, top, axis } = graph;
  const { seeds } = graph.simulation;
  // The same in all panels, so that a column is as long in one as in another.
  const perColumn = panels[0]!.traces[0]!.per;
  const each =
    panels.length === 1 ? "" : "; one panel per competitor, in the order of the table, all to one scale";
  return [
    `${chart.unit} against ${axis.unit}${spanText(chart)}${each}`,
    ...(seeds === undefined ? [] : [`From seed ${seeds[0]}, the first of ${seeds.length}`]),
    ...(perColumn > 1
      ? [
          `Drawn in columns of ${formatNumber(perColumn * chart.stepSeconds)} s, each from its lowest value to its highest, joined by lines`,
        ]
      : []),
    ...(panels.some(({ peak }) => peak > top)
      ? [`Cut off at ${formatNumber(top)}: panels that go higher say in their titles how far`]
      : []),
  ];
}

/** A series that says where in the run it begins need not be all of it. */
function spanText({ fromSeconds }: SeriesChart): string {
  return fromSeconds === undefined ? ", over the whole run" : "";
}

/** One line for each reason why a competitor has nothing to draw. */
function missingText({ simulation: { cells } }: Graph): string[] {
  const missing = cells.flatMap(({ competitor, failure }) =>
    failure === undefined ? [] : [{ competitor, reason: failure.reason }],
  );
  return [...Map.groupBy(missing, ({ reason }) => reason)].map(
    ([reason, those]) => `No number: ${those.map(({ competitor }) => competitor).join(", ")}: ${reason}`,
  );
}

function frameSpec(graph: Graph): View {
  return {
    width: WIDTH_PX - AXIS_PX - LAST_LABEL_PX,
    height: FRAME_HEIGHT_PX,
    layer: [traceLayer(graph, graph.panels[0]!, axesOf(graph))],
  };
}

function panelsSpec(graph: Graph): View {
  const titles = graph.panels.map(({ name, isBaseline, peak }) => {
    const upTo = peak > graph.top ? `, up to ${formatNumber(peak)}` : "";
    return `${name}${isBaseline ? " (baseline)" : ""}${upTo}`;
  });
  return smallMultiples(titles, axesOf(graph), (index, axes) => [
    traceLayer(graph, graph.panels[index]!, axes),
  ]);
}

function axesOf({ panels, top, axis }: Graph) {
  const bottom = Math.min(0, ...panels.map(({ lowest }) => lowest));
  const domain = [axis.from, axis.to];
  return {
    x: {
      type: "quantitative" as const,
      scale: { domain, nice: false, zero: false },
      axis: { title: `time (${axis.unit})`, tickCount: 6, ...SHORT_NUMBERS, grid: false },
    },
    y: {
      type: "quantitative" as const,
      scale: { domain: [bottom, top], nice: false },
      axis: { title: null, tickCount: 5, ...SHORT_NUMBERS },
    },
  };
}

type Axes = ReturnType<typeof axesOf>;

function traceLayer(graph: Graph, panel: Panel, axes: Axes) {
  return graph.chart.lines === undefined
    ? bandLayer(graph, panel.traces[0]!, axes)
    : linesLayer(graph, graph.chart.lines, panel, axes);
}

/** A band within the frame: cut off here, because vega would number its clipping paths across all pictures. */
function bandLayer({ chart, top, axis }: Graph, { low, high, per }: Trace, { x, y }: Axes) {
  const values = low.map((lowest, column) => ({
    time: axis.placeOf(column * per),
    low: Math.min(lowest, top),
    high: Math.min(high[column]!, top),
  }));
  return {
    data: { values },
    mark: {
      type: "area" as const,
      // What fills one series' columns is the trace of its line; between two series lies a band, and is pale.
      fill: chart.low === chart.high ? COLOUR.grey : COLOUR.band,
      stroke: COLOUR.ink,
      strokeWidth: 1,
      strokeJoin: "round" as const,
      opacity: 1,
      aria: false,
    },
    encoding: { x: { ...x, field: "time" }, y: { ...y, field: "low" }, y2: { field: "high" } },
  };
}

/** Lines within the frame, cut off as bands are. */
function linesLayer({ top, axis }: Graph, lines: readonly ChartLine[], { traces }: Panel, { x, y }: Axes) {
  const values = traces.flatMap(({ title, high }) =>
    high.map((value, index) => ({ title, place: axis.placeOf(index), value: Math.min(value, top) })),
  );
  const domain = lines.map(({ title }) => title);
  const styles = LINE_STYLES.slice(0, lines.length);
  return {
    data: { values },
    mark: {
      type: "line" as const,
      strokeWidth: 1.5,
      strokeJoin: "round" as const,
      aria: false,
    },
    encoding: {
      x: { ...x, field: "place" },
      y: { ...y, field: "value" },
      color: {
        field: "title",
        type: "nominal" as const,
        scale: { domain, range: styles.map(({ colour }) => colour) },
        legend: {
          symbolType: "stroke" as const,
          symbolSize: LEGEND_STROKE_PX ** 2,
          columns: legendColumns(domain, LEGEND_STROKE_PX),
        },
      },
      strokeDash: {
        field: "title",
        type: "nominal" as const,
        scale: { domain, range: styles.map(({ dash }) => dash) },
      },
    },
  };
}
