import type { TopLevelSpec } from "vega-lite";
import type { BenchRecord, SimulationRecord } from "../record/record.ts";
import type { SeriesChart } from "../suite.ts";
import { formatNumber } from "./benchmark-reporter-markdown/src/index.ts";
import {
  AXIS_PX,
  OWN_COLOUR,
  type Sheet,
  sheetSpec,
  smallMultiples,
  sourceText,
  type View,
  WIDTH_PX,
} from "./drawing.ts";

/**
 * What simulations do over time, as pictures in the form of a monitoring graph: values against time, from zero up. One
 * competitor has one wide frame; several have a panel each, in the order of the table and to one scale.
 *
 * A series may have a value for each of 21,600 seconds and a frame has some hundred pixel columns. So equally many values
 * share each column, and what is drawn of it is the band from the lowest to the highest of them: as a pen would leave it
 * that went through all, in a twelfth of the bytes. Neither a mean nor every n-th value would do: a spike one second
 * wide is what many of these pictures are there to show, and both would lose it.
 */
export interface SeriesPicture {
  /** Name of its file, which stands beside the record. */
  readonly file: string;
  /** What it shows, in words, for those who cannot see it. */
  readonly alt: string;
}

/** One competitor's values over time. */
interface Band {
  readonly name: string;
  readonly isBaseline: boolean;
  /** Value by value, of one length, at least one. */
  readonly low: readonly number[];
  readonly high: readonly number[];
  readonly lowest: number;
  readonly peak: number;
}

/** What is drawn at one place along a frame. */
export interface Column {
  /** Where it begins, in values from the first one. */
  readonly at: number;
  readonly low: number;
  readonly high: number;
}

/** All that a picture is drawn from. */
export interface Graph {
  readonly simulated: SimulationRecord;
  readonly chart: SeriesChart;
  /** In the order of the table; one at least. */
  readonly bands: readonly Band[];
  /** The highest value that a frame shows. */
  readonly top: number;
  /** From when to when it reaches, in units of the time axis. */
  readonly from: number;
  readonly to: number;
  readonly unit: (typeof TIME_UNITS)[number];
}

const SUFFIX = "-series.svg";
/** By which the last time stands out to the right of its frame, at most. */
const LAST_LABEL_PX = 10;
const FRAME_WIDTH_PX = WIDTH_PX - AXIS_PX - LAST_LABEL_PX;
const FRAME_HEIGHT_PX = 300;
/** Of a panel: nearly as many as it has pixels where four stand in a row. */
const PANEL_COLUMNS = 200;
/** What fills one series' columns is the trace of its line, and dark; between two series lies a band, and is pale. */
const TRACE_COLOUR = "#6b6b6b";
const BAND_COLOUR = "#c4c4c4";
/** Part of the highest value by which a frame is higher. */
const HEADROOM = 0.05;
/** Times the middle of the peaks: who reaches higher is cut off there, lest all others lie flat on the ground. */
const MOST_OF_MIDDLE_PEAK = 2;

/** Time axes: the largest unit of which a series lasts two or more. */
const TIME_UNITS = [
  { name: "hours", seconds: 3600 },
  { name: "minutes", seconds: 60 },
  { name: "seconds", seconds: 1 },
] as const;

/** The picture of a simulation: none where it has no chart or no competitor has a number. */
export function seriesPictureOf(simulated: SimulationRecord): SeriesPicture | undefined {
  const graph = graphOf(simulated);
  return graph === undefined ? undefined : pictureOfGraph(graph);
}

export function pictureOfGraph(graph: Graph): SeriesPicture {
  return { file: `${graph.simulated.scenario}${SUFFIX}`, alt: altOf(graph) };
}

export function isSeriesFile(file: string): boolean {
  return file.endsWith(SUFFIX);
}

/** What a simulation's picture is drawn from, if it has one. */
export function graphOf(simulated: SimulationRecord): Graph | undefined {
  const { chart } = simulated;
  if (chart === undefined) return undefined;
  const bands = bandsOf(simulated, chart);
  if (bands.length === 0) return undefined;
  return { simulated, chart, bands, top: topOf(bands), ...spanOf(chart, bands) };
}

function bandsOf({ cells }: SimulationRecord, chart: SeriesChart): Band[] {
  return cells.flatMap(({ competitor, baseline, failure, series }): Band[] => {
    const [low, high] = [series[chart.low], series[chart.high]];
    if (failure !== undefined || low === undefined || high === undefined) return [];
    const { lowest, peak } = extremesOf(low, high, 0, low.length);
    return [{ name: competitor, isBaseline: baseline, low, high, lowest, peak }];
  });
}

/** Of the values from `start` to before `end`, at least one. */
function extremesOf(low: readonly number[], high: readonly number[], start: number, end: number) {
  let lowest = Number.POSITIVE_INFINITY;
  let peak = Number.NEGATIVE_INFINITY;
  for (let index = start; index < end; index++) {
    lowest = Math.min(lowest, low[index]!);
    peak = Math.max(peak, high[index]!);
  }
  return { lowest, peak };
}

/**
 * Values in columns of `per` values, fewer in the last where there are no more, each with the lowest and the highest of
 * its values; no value is left out.
 */
export function columnsOf(low: readonly number[], high: readonly number[], per: number): Column[] {
  const { length } = low;
  return Array.from({ length: Math.ceil(length / per) }, (_, column) => {
    const at = column * per;
    const { lowest, peak } = extremesOf(low, high, at, Math.min(length, at + per));
    return { at, low: lowest, high: peak };
  });
}

/** A value counts until the next one, and the last as long. */
function spanOf({ fromSeconds = 0, stepSeconds }: SeriesChart, bands: readonly Band[]) {
  const lasting = Math.max(...bands.map(({ low }) => low.length)) * stepSeconds;
  const unit = TIME_UNITS.find(({ seconds }) => lasting >= 2 * seconds) ?? TIME_UNITS.at(-1)!;
  return { from: fromSeconds / unit.seconds, to: (fromSeconds + lasting) / unit.seconds, unit };
}

/** Of two middle peaks the lower one counts: one giant of two is cut off, too. */
function topOf(bands: readonly Band[]): number {
  const peaks = bands.map(({ peak }) => peak).toSorted((a, b) => a - b);
  const highest = peaks.at(-1)!;
  const most = MOST_OF_MIDDLE_PEAK * peaks[(peaks.length - 1) >> 1]!;
  const top = highest > most && most > 0 ? most : highest * (1 + HEADROOM);
  return top > 0 ? top : 1;
}

function titleOf({ simulated: { primitive, scenario }, chart, bands }: Graph): string {
  const whose = bands.length === 1 ? `, ${bands[0]!.name}` : "";
  return `${primitive}/${scenario}: ${chart.title}${whose}`;
}

function altOf(graph: Graph): string {
  const { chart, bands, from, to, unit } = graph;
  const ranges = bands.map(({ name, lowest, peak }) => {
    const whose = bands.length === 1 ? "" : `${name} `;
    return `${whose}from ${formatNumber(lowest)} to ${formatNumber(peak)} ${chart.unit}`;
  });
  return `${titleOf(graph)}, from ${formatNumber(from)} to ${formatNumber(to)} ${unit.name}: ${ranges.join(", ")}`;
}

/** A simulation's picture as a vega-lite specification. */
export function seriesSpec(
  graph: Graph,
  record: Pick<BenchRecord, "machine" | "runtime">,
  source: string,
): TopLevelSpec {
  const sheet: Sheet = {
    alt: altOf(graph),
    title: titleOf(graph),
    subtitle: [graph.simulated.title, ...readingText(graph)],
    notes: [...missingText(graph), sourceText(source, record)],
    indentPx: AXIS_PX,
  };
  return sheetSpec(sheet, graph.bands.length === 1 ? frameSpec(graph) : panelsSpec(graph));
}

function readingText(graph: Graph): string[] {
  const { chart, bands, top, unit } = graph;
  const { seeds } = graph.simulated;
  const perColumn = valuesPerColumn(graph);
  const panels =
    bands.length === 1 ? "" : "; one panel per competitor, in the order of the table, all to one scale";
  return [
    `${chart.unit} against ${unit.name}, over the whole run${panels}`,
    ...(seeds === undefined ? [] : [`From seed ${seeds[0]}, the first of ${seeds.length}`]),
    ...(perColumn > 1
      ? [
          `Drawn in columns of ${formatNumber(perColumn * chart.stepSeconds)} s, each from its lowest value to its highest, joined by lines`,
        ]
      : []),
    ...(bands.some(({ peak }) => peak > top)
      ? [`Cut off at ${formatNumber(top)}: panels that go higher say in their titles how far`]
      : []),
  ];
}

/** One line for each reason why a competitor has nothing to draw. */
function missingText({ simulated: { cells } }: Graph): string[] {
  const missing = cells.flatMap(({ competitor, failure }) =>
    failure === undefined ? [] : [{ competitor, reason: failure.reason }],
  );
  return [...Map.groupBy(missing, ({ reason }) => reason)].map(
    ([reason, those]) => `No number: ${those.map(({ competitor }) => competitor).join(", ")}: ${reason}`,
  );
}

/** The same for all bands, so that a column is as long in one panel as in another. */
function valuesPerColumn({ bands }: Graph): number {
  const most = bands.length === 1 ? FRAME_WIDTH_PX : PANEL_COLUMNS;
  return Math.ceil(Math.max(...bands.map(({ low }) => low.length)) / most);
}

function frameSpec(graph: Graph): View {
  return {
    width: FRAME_WIDTH_PX,
    height: FRAME_HEIGHT_PX,
    layer: [bandLayer(graph, graph.bands[0]!, axesOf(graph))],
  };
}

function panelsSpec(graph: Graph): View {
  const titles = graph.bands.map(({ name, isBaseline, peak }) => {
    const upTo = peak > graph.top ? `, up to ${formatNumber(peak)}` : "";
    return `${name}${isBaseline ? " (baseline)" : ""}${upTo}`;
  });
  return smallMultiples(titles, axesOf(graph), (index, axes) => [
    bandLayer(graph, graph.bands[index]!, axes),
  ]);
}

function axesOf({ chart, bands, top, from, to, unit }: Graph) {
  const bottom = Math.min(0, ...bands.map(({ lowest }) => lowest));
  return {
    x: {
      type: "quantitative" as const,
      scale: { domain: [from, to], nice: false, zero: false },
      axis: { title: `time (${unit.name})`, tickCount: 6, format: ",~f", grid: false },
    },
    y: {
      type: "quantitative" as const,
      scale: { domain: [bottom, top], nice: false },
      axis: { title: chart.unit, tickCount: 5, format: ",~f" },
    },
  };
}

/** A band within the frame: cut off here, because vega would number its clipping paths across all pictures. */
function bandLayer(graph: Graph, { low, high }: Band, { x, y }: ReturnType<typeof axesOf>) {
  const { chart, top, from, unit } = graph;
  const values = columnsOf(low, high, valuesPerColumn(graph)).map((column) => ({
    time: from + (column.at * chart.stepSeconds) / unit.seconds,
    low: Math.min(column.low, top),
    high: Math.min(column.high, top),
  }));
  return {
    data: { values },
    mark: {
      type: "area" as const,
      fill: chart.low === chart.high ? TRACE_COLOUR : BAND_COLOUR,
      stroke: OWN_COLOUR,
      strokeWidth: 1,
      strokeJoin: "round" as const,
      opacity: 1,
      aria: false,
    },
    encoding: { x: { ...x, field: "time" }, y: { ...y, field: "low" }, y2: { field: "high" } },
  };
}
