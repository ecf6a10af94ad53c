import type { TopLevelSpec } from "vega-lite";
import { type JudgedMeasured, type JudgedScenario, judgeRecord } from "../judge/judge.ts";
import type { BenchRecord } from "../record/record.ts";
import { formatNumber, formatThroughput } from "./benchmark-reporter-markdown/src/index.ts";

/**
 * Records as pictures: for each raced scenario, throughput and ns per operation against workers. Pure, as the pages
 * are: the bytes depend on the record alone.
 *
 * A scenario may have forty competitors, and forty colours in one frame cannot be told apart, so every competitor has
 * a panel of its own: its line in front, all the others grey behind it, the baseline among them dark. All panels share
 * both scales and stand in the order of cost. Colour is left free to say the verdict. Where a scenario was raced at
 * one worker count there is nothing to draw a line between; then the competitors are rows against one scale.
 *
 * vega and vega-lite need 0.25 to 0.33 s to load, half of the 0.6 s that `npm run bench -- --help` takes, so they are
 * loaded when the first picture is drawn. Names and alternative texts, which pages need, come without them.
 */
export type Figure = "throughput" | "ns-per-op";

export interface Picture {
  readonly figure: Figure;
  /** Name of its file, which stands beside the record. */
  readonly file: string;
  /** What it shows, in words, for those who cannot see it. */
  readonly alt: string;
}

const FIGURES: readonly Figure[] = ["throughput", "ns-per-op"];

/** Estimate and 99 % interval of one competitor at one worker count. */
interface Point {
  readonly workers: number;
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly standing: Standing;
  readonly oversubscribed: boolean;
  readonly text: string;
}

/** One competitor, or one role of it, at every worker count that gave it a number. */
export interface Line {
  readonly name: string;
  readonly role: string | undefined;
  readonly isBaseline: boolean;
  /** By workers. */
  readonly points: readonly Point[];
}

/** What a point's colour says. */
type Standing = "baseline" | "faster" | "slower" | "same or cannot tell" | "not judged";

/** Blue and orange are told apart by every kind of colour blindness; nobody but the judged winners and losers has one. */
const COLOURS: Readonly<Record<Standing, string>> = {
  baseline: "#000000",
  faster: "#0072b2",
  slower: "#d55e00",
  "same or cannot tell": "#777777",
  "not judged": "#a98bc7",
};
const FIELD_COLOUR = "#d4d4d4";
const BASELINE_COLOUR = "#8f8f8f";
const OWN_COLOUR = "#222222";
/** Let through, so that the grid shows on shaded ground too. */
const SHADE = { fill: "#c8b060", fillOpacity: 0.18 };

// Letters are not measured, since that would depend on the fonts of the machine that draws. A letter is taken to be as
// wide as a bold one of DejaVu Sans is on average, the widest font that a viewer is likely to put in; vega itself, which
// sizes the whole picture, takes 0.8 of the font's size.
const FONT = "Helvetica, Arial, sans-serif";
const FONT_PX = 11;
const LETTER_PX = 7.2;
const VEGA_LETTER_PX = 0.8 * FONT_PX;
const LINE_PX = 15;

/** Widest picture, with its axis: what a page of a repository's host shows without scaling. */
const WIDTH_PX = 960;
const PADDING_PX = 10;
/** Set rather than left to vega, which would make room for the text it thinks is so wide. */
const PAGE_PX = WIDTH_PX + 2 * PADDING_PX;
const AXIS_PX = 70;
const PANEL_GAP_PX = 14;
/** Of a panel by how many rows of panels there are; the last holds for more. */
const PANEL_HEIGHTS_PX = [190, 140, 110, 92];
const PANEL_TITLE_PX = 30;
const MOST_PANEL_PX = 300;
const ROW_PX = 20;

/** The pictures of a scenario: none where no competitor has a number. */
export function picturesOf(judged: JudgedScenario): Picture[] {
  return FIGURES.flatMap((figure) => {
    const lines = linesOf(judged, figure);
    return lines.length === 0
      ? []
      : [{ figure, file: `${judged.scenario}-${figure}.svg`, alt: altOf(judged, figure, lines) }];
  });
}

/** Whether a file's name is one that a picture may have. Other drawings may stand beside records too. */
export function isPictureFile(file: string): boolean {
  return FIGURES.some((figure) => file.endsWith(`-${figure}.svg`));
}

/** Every picture of a record as SVG, by file name. `source` is how a picture names the record it was made from. */
export async function drawPictures(record: BenchRecord, source: string): Promise<Map<string, string>> {
  const drawn = new Map<string, string>();
  for (const judged of judgeRecord(record)) {
    for (const { figure, file } of picturesOf(judged)) {
      drawn.set(
        file,
        await drawSvg(pictureSpec(judged, figure, record, source), `${judged.scenario}-${figure}`),
      );
    }
  }
  return drawn;
}

/**
 * The lines of a figure, in the order in which they are shown: by role, then the cheapest first, at the most workers
 * that had a core each. Both figures of a scenario have the same order, so that they can be read side by side.
 */
export function linesOf(judged: JudgedScenario, figure: Figure): Line[] {
  const reference = referenceWorkers(judged);
  const lines = Map.groupBy(drawable(judged), lineName);
  return [...lines]
    .map(([name, rows]) => {
      const costNs = rows.find(({ workers }) => workers === reference)?.median ?? Number.POSITIVE_INFINITY;
      const line: Line = {
        name,
        role: rows[0]!.role,
        isBaseline: rows[0]!.kind === "baseline",
        points: rows.map((row) => pointOf(row, judged, figure)).toSorted((a, b) => a.workers - b.workers),
      };
      return { line, costNs };
    })
    .toSorted(
      (a, b) =>
        compare(a.line.role ?? "", b.line.role ?? "") ||
        compare(a.costNs, b.costNs) ||
        compare(a.line.name, b.line.name),
    )
    .map(({ line }) => line);
}

/** Rows with a number. Twins stay out: what they say is said by the noise floor. */
function drawable({ rows }: JudgedScenario): JudgedMeasured[] {
  return rows.filter((row): row is JudgedMeasured => row.noNumber === undefined && row.kind !== "twin");
}

function lineName({ competitor, role }: { competitor: string; role?: string | undefined }): string {
  return role === undefined ? competitor : `${competitor}, ${role}`;
}

function pointOf(row: JudgedMeasured, judged: JudgedScenario, figure: Figure): Point {
  const { workers, median, interval, throughputPerSecond } = row;
  const perSecond = (ns: number) => (throughputPerSecond * median) / ns;
  const { value, low, high } =
    figure === "throughput"
      ? { value: throughputPerSecond, low: perSecond(interval.high), high: perSecond(interval.low) }
      : { value: median, low: interval.low, high: interval.high };
  const write = (amount: number) => amountText(figure, amount);
  const unit = figure === "throughput" ? "" : ` ns/${judged.operation}`;
  const standing = standingOf(row);
  return {
    workers,
    value,
    low,
    high,
    standing,
    oversubscribed: conditionsAt(judged, workers)?.oversubscribed === true,
    text: `${lineName(row)}, ${workersText(workers)}: ${write(value)}${unit} (${write(low)} to ${write(high)}), ${row.verdict}`,
  };
}

function standingOf({ verdict }: JudgedMeasured): Standing {
  if (verdict === "baseline" || verdict === "faster" || verdict === "slower") return verdict;
  return verdict === "same" || verdict === "cannot tell" ? "same or cannot tell" : "not judged";
}

function conditionsAt({ conditions }: JudgedScenario, workers: number) {
  return conditions.find((candidate) => candidate.workers === workers);
}

/** The most workers that had a core each; the fewest if none had. */
function referenceWorkers({ conditions }: JudgedScenario): number {
  const fitting = conditions.filter(({ oversubscribed }) => !oversubscribed).map(({ workers }) => workers);
  return fitting.length > 0 ? Math.max(...fitting) : Math.min(...conditions.map(({ workers }) => workers));
}

function workersText(workers: number): string {
  return `${workers} worker${workers === 1 ? "" : "s"}`;
}

function compare<T extends string | number>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** What a figure measures, with its unit. */
function quantityOf(figure: Figure, { operation }: JudgedScenario): { title: string; unit: string } {
  return figure === "throughput"
    ? { title: "throughput of all workers", unit: "operations/s" }
    : { title: "what one worker waits for one operation", unit: `ns/${operation}` };
}

function altOf(judged: JudgedScenario, figure: Figure, lines: readonly Line[]): string {
  const { title, unit } = quantityOf(figure, judged);
  const reference = referenceWorkers(judged);
  const counts = workerCounts(lines);
  const against =
    counts.length > 1 ? `against ${counts.join(", ")} workers` : `at ${workersText(counts[0]!)}`;
  const ranges = [...Map.groupBy(lines, ({ role }) => role).values()].flatMap((sameRole) => {
    const shown = sameRole.flatMap(({ name, points }) =>
      points
        .filter(({ workers }) => workers === reference)
        .map(({ value }) => `${name} (${amountText(figure, value)})`),
    );
    return shown.length === 0 ? [] : [[shown[0], ...shown.slice(1).slice(-1)].join(" to ")];
  });
  const range = ranges.length === 0 ? "" : `. At ${workersText(reference)}: ${ranges.join("; ")}`;
  return `${judged.primitive}/${judged.scenario}: ${title} in ${unit} ${against}${range}`;
}

function amountText(figure: Figure, value: number): string {
  return figure === "throughput" ? formatThroughput(value) : formatNumber(value);
}

function workerCounts(lines: readonly Line[]): number[] {
  const counts = new Set(lines.flatMap(({ points }) => points.map(({ workers }) => workers)));
  return [...counts].toSorted((a, b) => a - b);
}

/** A figure of a scenario as a vega-lite specification; the scenario must have a picture. */
export function pictureSpec(
  judged: JudgedScenario,
  figure: Figure,
  { machine, runtime }: Pick<BenchRecord, "machine" | "runtime">,
  source: string,
): TopLevelSpec {
  const lines = linesOf(judged, figure);
  const counts = workerCounts(lines);
  const { title, unit } = quantityOf(figure, judged);
  const single = counts.length === 1;
  const body = single ? rowsSpec(lines, figure, unit) : panelsSpec(lines, figure, unit);
  const what = `${judged.primitive}/${judged.scenario}: ${title}${single ? `, ${workersText(counts[0]!)}` : ""}`;
  const indentPx = single ? labelsPx(lines) : AXIS_PX;
  const many = lines.some(({ role }) => role !== undefined) ? "competitor and role" : "competitor";
  const made = `Made from ${source}: ${machine.cpu}, ${machine.cores} cores, ${runtime.name} ${runtime.version}`;
  const order = `from cheap to dear at ${workersText(referenceWorkers(judged))}`;
  return {
    description: altOf(judged, figure, lines),
    background: "white",
    padding: PADDING_PX,
    title: {
      text: what,
      subtitle: [
        judged.title,
        single
          ? `${unit}, log scale; pale bars: 99 % intervals over forks; one row per ${many}, ${order}`
          : `${unit} against workers, both scales log; pale bars: 99 % intervals over forks; one panel per ${many}, ${order}; the others grey, the baseline dark grey`,
        ...floorText(judged, counts),
        ...crowdedText(lines, machine),
      ].flatMap((text) => wrapped(text, WIDTH_PX)),
      anchor: "start",
      frame: "bounds",
      fontSize: 14,
      subtitleFontSize: FONT_PX,
      subtitleLineHeight: LINE_PX,
      subtitleColor: "#444444",
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
        data: {
          values: [
            { lines: [...missingText(judged), made].flatMap((text) => wrapped(text, WIDTH_PX - indentPx)) },
          ],
        },
        mark: {
          type: "text",
          align: "left",
          baseline: "top",
          x: 0,
          y: 0,
          color: "#666666",
          lineHeight: LINE_PX,
          aria: false,
        },
        encoding: { text: { field: "lines" } },
      },
    ],
    config: {
      font: FONT,
      aria: true,
      view: { stroke: "#dddddd" },
      axis: {
        labelFontSize: 10,
        titleFontSize: 10,
        titleFontWeight: "normal",
        gridColor: "#eeeeee",
        domainColor: "#bbbbbb",
        tickColor: "#bbbbbb",
        labelLimit: 0,
        titleLimit: 0,
        aria: false,
      },
      legend: { orient: "top", title: null, labelFontSize: FONT_PX, labelLimit: 0, columns: 5 },
      title: { limit: 0 },
    },
  };
}

/** How far a value may be from another by noise alone, at each worker count; each row is judged by its own group's. */
function floorText({ conditions }: JudgedScenario, counts: readonly number[]): string[] {
  const floors = conditions
    .filter(({ workers }) => counts.includes(workers))
    .map(({ workers, floors: shares }) => {
      return `${rangeText(shares)} at ${workersText(workers)}`;
    });
  if (floors.length === 0) return [];
  return [
    "Colours are verdicts, which rest on ratios within a round and not on these intervals",
    `Noise floor by group (the baseline against its twin): ${floors.join(", ")}`,
  ];
}

function rangeText(shares: readonly number[]): string {
  if (shares.length === 0) return "none";
  const [least, most] = [Math.min(...shares), Math.max(...shares)].map((share) => (100 * share).toFixed(1));
  return least === most ? `${least} %` : `${least} to ${most} %`;
}

function crowdedText(lines: readonly Line[], { cores, cpuQuotaCores }: BenchRecord["machine"]): string[] {
  if (!lines.some(({ points }) => points.some(({ oversubscribed }) => oversubscribed))) return [];
  const quota = cpuQuotaCores === null ? "" : `, quota ${cpuQuotaCores}`;
  return [`Hollow points, shaded: oversubscribed, more workers than cores (${cores}${quota})`];
}

/** One line for each reason why a competitor has no number. */
function missingText({ rows }: JudgedScenario): string[] {
  const missing = rows
    .filter(({ kind }) => kind !== "twin")
    .flatMap((row) => (row.noNumber === undefined ? [] : [{ row, reason: row.noNumber }]));
  return [...Map.groupBy(missing, ({ reason }) => reason)].map(([reason, those]) => {
    const competitors = Map.groupBy(those, ({ row }) => lineName(row));
    const names = [...competitors].map(
      ([name, parts]) => `${name} (${parts.map(({ row }) => row.workers).join(", ")})`,
    );
    return `No number at this many workers: ${names.join("; ")}: ${reason}`;
  });
}

/** A text in lines that fit the picture. */
function wrapped(text: string, widthPx: number): string[] {
  const longest = Math.floor(widthPx / LETTER_PX);
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line !== "" && line.length + 1 + word.length > longest) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

function domainOf(lines: readonly Line[]): [number, number] {
  const points = lines.flatMap((line) => line.points);
  const low = Math.min(...points.map((point) => point.low));
  const high = Math.max(...points.map((point) => point.high));
  // A scale that shows less than a factor of 4 would blow noise up to mountains.
  const widen = Math.max(1.15, Math.sqrt(4 / (high / low)));
  return [low / widen, high * widen];
}

/** Round values in a domain, six at most: as many in each decade as that allows. */
export function logTicks([low, high]: readonly [number, number]): number[] {
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
      if (inside.length <= 6) return inside;
    }
  }
}

function valueScale(lines: readonly Line[], figure: Figure, unit: string) {
  const domain = domainOf(lines);
  return {
    type: "quantitative" as const,
    scale: { type: "log" as const, domain, nice: false },
    axis: { title: unit, values: logTicks(domain), format: figure === "throughput" ? "~s" : "," },
  };
}

/** Wider than a point is, so that an interval shorter than the point still shows on both sides of it. */
const INTERVAL = { type: "rule" as const, strokeWidth: 10, opacity: 0.35, aria: false };
const POINT = { type: "point" as const, size: 20, opacity: 1, strokeWidth: 1 };

/** Colour and filling of points, which mean the same in both layouts. */
function pointStyle(lines: readonly Line[]) {
  const used = new Set(lines.flatMap(({ points }) => points.map(({ standing }) => standing)));
  const standings = (Object.keys(COLOURS) as Standing[]).filter((standing) => used.has(standing));
  const colour = {
    field: "standing",
    type: "nominal" as const,
    scale: { domain: standings, range: standings.map((standing) => COLOURS[standing]) },
    legend: { symbolType: "circle" as const, symbolSize: 40, symbolOpacity: 1 },
  };
  return {
    stroke: colour,
    fill: { ...colour, condition: { test: "datum.oversubscribed", value: "white" } },
  };
}

/** Small multiples: a panel for each line. */
function panelsSpec(lines: readonly Line[], figure: Figure, unit: string) {
  const counts = workerCounts(lines);
  const leastPx = Math.max(150, ...lines.map((line) => panelName(line).length * LETTER_PX));
  const most = Math.max(1, Math.floor((WIDTH_PX - AXIS_PX) / (leastPx + PANEL_GAP_PX)));
  // Rows as even as can be: seven panels where six would fit are four and three, not six and one.
  const rows = Math.ceil(lines.length / most);
  const columns = Math.ceil(lines.length / rows);
  const value = valueScale(lines, figure, unit);
  const workers = {
    field: "workers",
    type: "quantitative" as const,
    scale: { type: "log" as const, base: 2, domain: workersDomain(counts), nice: false },
    axis: { title: "workers", values: counts, format: "d", grid: false },
  };
  const style = pointStyle(lines);
  const shade = shadeOf(lines, counts);
  return {
    columns,
    // The axes of the outer panels lie where there are no others, so panels need room for their titles alone.
    bounds: "flush" as const,
    spacing: { row: PANEL_TITLE_PX, column: PANEL_GAP_PX },
    concat: lines.map((line, index) => {
      const isLowest = index + columns >= lines.length;
      const isFirst = index % columns === 0;
      const x = isLowest ? workers : { ...workers, axis: null };
      const y = isFirst
        ? value
        : { ...value, axis: { ...value.axis, labels: false, ticks: false, title: null } };
      const own = valuesAlong(line, counts);
      return {
        width: Math.min(MOST_PANEL_PX, Math.floor((WIDTH_PX - AXIS_PX) / columns - PANEL_GAP_PX)),
        height: PANEL_HEIGHTS_PX[Math.min(rows, PANEL_HEIGHTS_PX.length) - 1]!,
        layer: [
          ...shade.map((values) => ({
            data: { values },
            mark: { type: "rect" as const, ...SHADE, aria: false },
            encoding: { x: { ...x, field: "from" }, x2: { field: "to" } },
          })),
          ...behind(line, lines).map(({ values, ...mark }) => ({
            data: { values },
            mark: { type: "line" as const, aria: false, ...mark },
            encoding: {
              x,
              y: { ...y, field: "value" },
              order: { field: "step", type: "quantitative" as const },
            },
          })),
          {
            data: { values: own },
            mark: { type: "line" as const, color: OWN_COLOUR, strokeWidth: 1.5, aria: false },
            encoding: {
              x,
              y: { ...y, field: "value" },
              order: { field: "step", type: "quantitative" as const },
            },
          },
          {
            data: { values: line.points },
            mark: INTERVAL,
            encoding: { x, y: { ...y, field: "low" }, y2: { field: "high" }, stroke: style.stroke },
          },
          {
            data: { values: line.points },
            mark: POINT,
            encoding: { x, y: { ...y, field: "value" }, ...style, description: { field: "text" } },
          },
          // A mark and not the panel's title, whose height depends on how far the axes' labels stand out.
          {
            data: { values: [{ name: panelName(line) }] },
            mark: {
              type: "text" as const,
              align: "left" as const,
              fontSize: FONT_PX,
              fontWeight: "bold" as const,
              x: 0,
              y: -9,
              aria: false,
            },
            encoding: { text: { field: "name" } },
          },
        ],
      };
    }),
  };
}

function panelName({ name, isBaseline }: Line): string {
  return isBaseline ? `${name} (baseline)` : name;
}

function workersDomain(counts: readonly number[]): [number, number] {
  return [counts[0]! / 1.35, counts.at(-1)! * 1.35];
}

/** The shaded part of the axis of workers, if any: from midway, on its scale, between the last count with cores and the next. */
function shadeOf(lines: readonly Line[], counts: readonly number[]) {
  const points = lines.flatMap((line) => line.points);
  const first = counts.findIndex((count) =>
    points.some(({ workers, oversubscribed }) => workers === count && oversubscribed),
  );
  if (first < 0) return [];
  const [start, end] = workersDomain(counts);
  const from = first === 0 ? start : Math.sqrt(counts[first - 1]! * counts[first]!);
  return [[{ from, to: end }]];
}

/** A line's values in the order of its path. A worker count without a number breaks the line. */
function valuesAlong({ points }: Line, counts: readonly number[]) {
  return counts.map((workers, step) => ({
    step,
    workers,
    value: points.find((point) => point.workers === workers)?.value ?? null,
  }));
}

/**
 * What lies behind a panel's own line: all competitors in the same role, and the baseline among them. They are one
 * path, broken between lines by a point without value: the same in every panel, it is stored once (see `shortened`).
 */
function behind(line: Line, lines: readonly Line[]) {
  const counts = workerCounts(lines);
  const field = lines.filter(({ role }) => role === line.role);
  const path = field
    .flatMap((other) => [...valuesAlong(other, counts), { workers: counts[0]!, value: null }])
    .map((point, step) => ({ ...point, step }));
  const baseline = field
    .filter(({ isBaseline }) => isBaseline)
    .flatMap((other) => valuesAlong(other, counts));
  return [
    { values: path, color: FIELD_COLOUR, strokeWidth: 1 },
    { values: baseline, color: BASELINE_COLOUR, strokeWidth: 1.5 },
  ];
}

/** How much room vega leaves for the names of rows. */
function labelsPx(lines: readonly Line[]): number {
  return Math.max(...lines.map((line) => panelName(line).length)) * VEGA_LETTER_PX;
}

/** A row for each line, for races at one worker count. */
function rowsSpec(lines: readonly Line[], figure: Figure, unit: string) {
  const names = lines.map((line) => panelName(line));
  const value = valueScale(lines, figure, unit);
  const y = {
    field: "name",
    type: "nominal" as const,
    sort: names,
    axis: { title: null, labelFontSize: FONT_PX, grid: true, ticks: false, domain: false },
  };
  return {
    width: Math.round(Math.min(620, WIDTH_PX - AXIS_PX - labelsPx(lines))),
    height: { step: ROW_PX },
    // Crowded as a whole or not at all, there being one worker count.
    view: lines[0]!.points[0]!.oversubscribed ? SHADE : {},
    data: {
      values: lines.flatMap((line) => line.points.map((point) => ({ name: panelName(line), ...point }))),
    },
    layer: [
      {
        mark: INTERVAL,
        encoding: {
          y,
          x: { field: "low", ...value },
          x2: { field: "high" },
          stroke: pointStyle(lines).stroke,
        },
      },
      {
        mark: POINT,
        encoding: {
          y,
          x: { field: "value", ...value },
          ...pointStyle(lines),
          description: { field: "text" },
        },
      },
    ],
  };
}

/** Draws a specification without a browser. `name` keeps its references apart from those of other pictures. */
async function drawSvg(spec: TopLevelSpec, name: string): Promise<string> {
  const [vega, { compile }] = await Promise.all([import("vega"), import("vega-lite")]);
  // Where the optional package canvas is installed, vega would measure letters. Its types do not know this switch.
  (vega as unknown as { textMetrics: { canvas(use: boolean): void } }).textMetrics.canvas(false);
  const view = new vega.View(vega.parse(compile(spec).spec), { renderer: "none" });
  const svg = await view.toSVG();
  view.finalize();
  return `${shortened(svg, name)}\n`;
}

/**
 * The same picture in half the bytes. Positions are rounded to a tenth of a pixel: finer than any eye, and coarse
 * enough that the last digits of a logarithm, which engines may round differently, do not show. What only a live chart
 * needs, or a viewer assumes anyway, is left out; what every panel repeats is drawn once and referred to.
 */
function shortened(svg: string, name: string): string {
  const short = svg
    .replaceAll(/ (?:d|transform|x1|x2|y1|y2|x|y|width|height)="[^"]*"/g, (attribute) =>
      attribute.replaceAll(/\d+\.\d{2,}(?:e-?\d+)?/g, (number) =>
        String(Math.round(Number(number) * 10) / 10),
      ),
    )
    .replaceAll(
      /<path [^>]*\bd=""[^>]*\/>|<path class="background" aria-hidden="true" d="[^"]*"(?: pointer-events="none")?\/>/g,
      "",
    )
    .replaceAll(
      / (?:class|pointer-events|aria-hidden|aria-roledescription)="[^"]*"| (?:opacity|stroke-width)="1"| [xy]2="0"/g,
      "",
    )
    .replaceAll(` font-family="${FONT}"`, "")
    .replace(
      /^<svg (.*?) width="[\d.]+" height="([\d.]+)" viewBox="[^"]*"><rect width="[\d.]+"/,
      `<svg $1 font-family="${FONT}" width="${PAGE_PX}" height="$2" viewBox="0 0 ${PAGE_PX} $2"><rect width="${PAGE_PX}"`,
    );
  const repeatable = /<path d="[^"]{100,}"[^>]*\/>|(?:<line [^>]*\/>){2,}/g;
  const shapes = Map.groupBy(short.match(repeatable) ?? [], (shape) => shape);
  const drawn = new Map<string, string>();
  return short.replaceAll(repeatable, (shape) => {
    if (shapes.get(shape)!.length === 1) return shape;
    const known = drawn.get(shape);
    if (known !== undefined) return `<use href="#${known}"/>`;
    const id = `${name}-${drawn.size}`;
    drawn.set(shape, id);
    return `<g id="${id}">${shape}</g>`;
  });
}
