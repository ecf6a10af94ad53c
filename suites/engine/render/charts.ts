import { basename } from "node:path";
import type { TopLevelSpec } from "vega-lite";
import type { BenchRecord } from "../schema/record.ts";
import type { JudgedRecord, JudgedScenario } from "../schema/verdict.ts";
import { formatNumber } from "./benchmark-reporter-markdown/src/index.ts";
import { type Curve, curveSpec, curvesOf, isCurveFile, pictureOfCurve } from "./curves.ts";
import { COLOUR } from "./dark.ts";
import {
  AXIS_PX,
  compare,
  costEstimate,
  crowdedText,
  domainOf,
  drawable,
  drawSvg,
  type Estimate,
  estimateLayers,
  lineLayer,
  lineName,
  type Picture,
  pathAlong,
  rangeText,
  SHADE,
  sheetSpec,
  smallMultiples,
  sourceText,
  standingStyle,
  VEGA_SMALL_LETTER_PX,
  valueScale,
  WIDTH_PX,
  workersText,
} from "./drawing.ts";
import type { Matrix } from "./matrix.ts";
import { isMatrixFile, matrixSpec, pictureOfMatrix } from "./matrix-picture.ts";
import { referenceConditions, type Standings } from "./races.ts";
import { isRatioFile, rankingOf, ratioPictureOf, ratioSpec } from "./ratios.ts";
import { graphOf, isSeriesFile, pictureOfGraph, seriesSpec } from "./series.ts";
import { isTailFile, pictureOfTail, tailGraphsOf, tailSpec } from "./tails.ts";

export { type CurvePicture, curvePicturesOf } from "./curves.ts";

/**
 * Records as pictures: for each raced scenario ns per operation against workers, for those that say most ratios (see
 * ratios.ts), for scenarios that are points of a curve that curve (see curves.ts), and for simulations what they do
 * over time (see series.ts), and for tails percentiles (see tails.ts). Pure, as the pages are: the bytes depend on what
 * is given alone.
 *
 * A scenario may have forty competitors, and forty colours in one frame cannot be told apart, so every competitor has
 * a panel of its own: its line in front, all the others faint behind it, the baseline among them less so. All panels
 * share both scales and stand in the order of cost. Colour is left free to say the verdict. Where nobody has numbers at
 * more than one worker count there is nothing to draw a line between; then the competitors are rows against one scale.
 *
 * Names and alternative texts, which pages need, come without loading what draws.
 */

const COST_FILE = "-ns-per-op.svg";

/** What one competitor did at one worker count. */
interface Point extends Estimate {
  readonly workers: number;
}

/** One competitor, or one role of it, at every worker count that gave it a number. */
export interface Line {
  readonly name: string;
  readonly role: string | undefined;
  readonly isBaseline: boolean;
  /** By workers. */
  readonly points: readonly Point[];
}

const ROW_PX = 20;

/**
 * The picture of a scenario's costs: none where no competitor has a number, and none of what a curve shows already, the
 * costs of one of its points at one worker count.
 */
export function costPictures(judged: JudgedScenario): Picture[] {
  const lines = linesOf(judged);
  return lines.length === 0 || (judged.point !== undefined && workerCounts(lines).length === 1)
    ? []
    : [{ file: `${judged.scenario}${COST_FILE}`, alt: altOf(judged, lines) }];
}

/** Whether a file's name is one that a picture may have. Other drawings may stand beside records too. */
export function isPictureFile(file: string): boolean {
  return (
    isCurveFile(file) ||
    isSeriesFile(file) ||
    isTailFile(file) ||
    isRatioFile(file) ||
    isMatrixFile(file) ||
    file.endsWith(COST_FILE)
  );
}

/** What pictures of races at a glance need besides a record. */
export interface AtAGlance {
  /** The scenarios that say most, by name: each race among them has such a picture. */
  readonly headline: ReadonlySet<string>;
  readonly standings: Standings | undefined;
}

/** The picture of a race's ratios, where it is one that has such a picture. */
export function ratioPictures(judged: JudgedScenario, { headline, standings }: AtAGlance): Picture[] {
  if (!headline.has(judged.scenario)) return [];
  const picture = ratioPictureOf(judged, standings);
  return picture === undefined ? [] : [picture];
}

const NOTHING_AT_A_GLANCE: AtAGlance = { headline: new Set(), standings: undefined };

/**
 * Every picture of a record as SVG, by file name. `source` is how a picture names the record it was made from. Without
 * `atAGlance` there are none of ratios (see ratios.ts).
 */
export async function drawPictures(
  judged: JudgedRecord,
  source: string,
  atAGlance: AtAGlance = NOTHING_AT_A_GLANCE,
): Promise<Map<string, string>> {
  const drawn = await drawScenarios(judged, source, atAGlance);
  for (const curve of curvesOf(judged.verdicts.races)) {
    const [file, svg] = await drawCurve(curve, judged.record, source);
    drawn.set(file, svg);
  }
  return drawn;
}

/** The same without curves: pictures that are each of one scenario, or of one family of tails. */
export async function drawScenarios(
  { record, verdicts }: JudgedRecord,
  source: string,
  { headline, standings }: AtAGlance,
): Promise<Map<string, string>> {
  const drawn = new Map<string, string>();
  for (const judged of verdicts.races) {
    for (const { file } of costPictures(judged)) {
      drawn.set(file, await drawnAs(file, costSpec(judged, record, source)));
    }
  }
  for (const judged of verdicts.races) {
    for (const { file } of ratioPictures(judged, { headline, standings })) {
      const spec = ratioSpec(rankingOf(judged, standings)!, record, source);
      drawn.set(file, await drawnAs(file, spec));
    }
  }
  for (const graph of record.simulations.flatMap((simulated) => graphOf(simulated) ?? [])) {
    const { file } = pictureOfGraph(graph);
    drawn.set(file, await drawnAs(file, seriesSpec(graph, record, source)));
  }
  for (const graph of tailGraphsOf(record.surveys ?? [])) {
    const { file } = pictureOfTail(graph);
    drawn.set(file, await drawnAs(file, tailSpec(graph, record, source)));
  }
  return drawn;
}

/** A picture as SVG. Files of one folder have names of their own, and so do the references in them. */
function drawnAs(file: string, spec: TopLevelSpec): Promise<string> {
  return drawSvg(spec, basename(file, ".svg"));
}

/** The picture of a curve as SVG, with its file name. */
export async function drawCurve(
  curve: Curve,
  record: BenchRecord,
  source: string,
): Promise<[file: string, svg: string]> {
  const { file } = pictureOfCurve(curve);
  return [file, await drawnAs(file, curveSpec(curve, record, source))];
}

/** The picture of a matrix as SVG, with its file name. */
export async function drawMatrix(
  matrix: Matrix,
  record: BenchRecord,
  source: string,
): Promise<[file: string, svg: string]> {
  const { file } = pictureOfMatrix(matrix);
  return [file, await drawnAs(file, matrixSpec(matrix, record, source))];
}

/**
 * The lines of a picture, in the order in which they are shown: by role, then the cheapest first, at the most workers
 * that had a core each, of all or, if the role was not raced with as many, of the role.
 */
export function linesOf(judged: JudgedScenario): Line[] {
  const reference = referenceConditions(judged).workers;
  const measured = drawable(judged);
  const referenceOf = (role: string | undefined) =>
    Math.max(
      ...measured
        .filter((row) => row.role === role && row.workers <= reference)
        .map(({ workers }) => workers),
    );
  return [...Map.groupBy(measured, lineName)]
    .map(([name, rows]) => {
      const costNs =
        rows.find(({ role, workers }) => workers === referenceOf(role))?.median ?? Number.POSITIVE_INFINITY;
      const line: Line = {
        name,
        role: rows[0]!.role,
        isBaseline: rows[0]!.kind === "baseline",
        points: rows
          .map((row) => ({ workers: row.workers, ...costEstimate(row, judged, workersText(row.workers)) }))
          .toSorted((a, b) => a.workers - b.workers),
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

const QUANTITY = "what one worker waits for one operation";

function altOf(judged: JudgedScenario, lines: readonly Line[]): string {
  const reference = referenceConditions(judged).workers;
  const counts = workerCounts(lines);
  const against =
    counts.length > 1 ? `against ${counts.join(", ")} workers` : `at ${workersText(counts[0]!)}`;
  const ranges = [...Map.groupBy(lines, ({ role }) => role).values()].flatMap((sameRole) => {
    const shown = sameRole.flatMap(({ name, points }) =>
      points
        .filter(({ workers }) => workers === reference)
        .map(({ value }) => `${name} (${formatNumber(value)})`),
    );
    return shown.length === 0 ? [] : [[shown[0], ...shown.slice(1).slice(-1)].join(" to ")];
  });
  const range = ranges.length === 0 ? "" : `. At ${workersText(reference)}: ${ranges.join("; ")}`;
  return `${judged.primitive}/${judged.scenario}: ${QUANTITY} in ns/${judged.operation} ${against}${range}`;
}

function workerCounts(lines: readonly Line[]): number[] {
  const counts = new Set(lines.flatMap(({ points }) => points.map(({ workers }) => workers)));
  return [...counts].toSorted((a, b) => a - b);
}

/** The costs of a scenario as a vega-lite specification; the scenario must have a picture. */
export function costSpec(
  judged: JudgedScenario,
  record: Pick<BenchRecord, "machine" | "runtime">,
  source: string,
): TopLevelSpec {
  const lines = linesOf(judged);
  const counts = workerCounts(lines);
  const unit = `ns/${judged.operation}`;
  const inRows = lines.every(({ points }) => points.length === 1);
  const body = inRows ? rowsSpec(lines, unit) : panelsSpec(lines, unit);
  const what = `${judged.primitive}/${judged.scenario}: ${QUANTITY}${counts.length === 1 ? `, ${workersText(counts[0]!)}` : ""}`;
  const many = lines.some(({ role }) => role !== undefined) ? "competitor and role" : "competitor";
  const order =
    inRows && counts.length > 1
      ? "from cheap to dear in each role"
      : `from cheap to dear at ${workersText(referenceConditions(judged).workers)}`;
  return sheetSpec(
    {
      alt: altOf(judged, lines),
      title: what,
      subtitle: [
        judged.title,
        inRows
          ? `${unit}, log scale; boxes: 99 % intervals over forks; one row per ${many}, ${order}`
          : `${unit} against workers, both scales log; boxes: 99 % intervals over forks; one panel per ${many}, ${order}; faint lines: the others, grey line: baseline`,
        ...floorText(judged, counts),
        ...crowdedText(lines, record.machine),
      ],
      notes: [...missingText(judged), sourceText(source, record)],
      indentPx: inRows ? labelsPx(rowNames(lines)) : AXIS_PX,
    },
    body,
  );
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
    "Colours are verdicts, which rest on ratios of slices side by side and not on these intervals",
    `Noise floor by group (the baseline against its A/A control): ${floors.join(", ")}`,
  ];
}

/** One line for each reason why a competitor has no number. */
function missingText({ rows }: JudgedScenario): string[] {
  const missing = rows
    .filter(({ kind }) => kind !== "aa-control")
    .flatMap((row) => (row.noNumber === undefined ? [] : [{ row, reason: row.noNumber }]));
  return [...Map.groupBy(missing, ({ reason }) => reason)].map(([reason, those]) => {
    const competitors = Map.groupBy(those, ({ row }) => lineName(row));
    const names = [...competitors].map(
      ([name, parts]) => `${name} (${parts.map(({ row }) => row.workers).join(", ")})`,
    );
    return `No number at this many workers: ${names.join("; ")}: ${reason}`;
  });
}

/** The axis of costs, which all competitors share. */
function costScale(lines: readonly Line[], unit: string) {
  return valueScale(domainOf(lines), unit, ",");
}

/** Small multiples: a panel for each line. */
function panelsSpec(lines: readonly Line[], unit: string) {
  const counts = workerCounts(lines);
  const value = costScale(lines, unit);
  const workers = {
    field: "workers",
    type: "quantitative" as const,
    scale: { type: "log" as const, base: 2, domain: workersDomain(counts), nice: false },
    axis: { title: "workers", values: counts, format: "d", grid: false },
  };
  const style = standingStyle(lines);
  const shade = shadeOf(lines, counts);
  return smallMultiples(lines.map(panelName), { x: workers, y: value }, (index, { x, y }) => {
    const line = lines[index]!;
    const own = pathAlong("workers", counts, line.points);
    return [
      ...shade.map((values) => ({
        data: { values },
        mark: { type: "rect" as const, ...SHADE, aria: false },
        encoding: { x: { ...x, field: "from" }, x2: { field: "to" } },
      })),
      ...behind(line, lines).map(({ values, ...stroke }) => lineLayer(values, stroke, { x, y })),
      lineLayer(own, { color: COLOUR.ink, strokeWidth: 1.5 }, { x, y }),
      ...estimateLayers(line.points, { x }, y, style),
    ];
  });
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

/**
 * What lies behind a panel's own line: all competitors in the same role, and the baseline among them. They are one
 * path, broken between lines by a point without value: the same in every panel, it is stored once (see `shortened`).
 */
function behind(line: Line, lines: readonly Line[]) {
  const counts = workerCounts(lines);
  const field = lines.filter(({ role }) => role === line.role);
  const path = field
    .flatMap((other) => [...pathAlong("workers", counts, other.points), { workers: counts[0]!, value: null }])
    .map((point, step) => ({ ...point, step }));
  const baseline = field
    .filter(({ isBaseline }) => isBaseline)
    .flatMap((other) => pathAlong("workers", counts, other.points));
  return [
    { values: path, color: COLOUR.field, strokeWidth: 1 },
    { values: baseline, color: COLOUR.grey, strokeWidth: 1.5 },
  ];
}

/** What rows are called, which need not be at one worker count: where roles differ by it, each role has its own. */
function rowNames(lines: readonly Line[]): string[] {
  const counts = workerCounts(lines);
  return lines.map((line) =>
    counts.length === 1 ? panelName(line) : `${panelName(line)}, ${workersText(line.points[0]!.workers)}`,
  );
}

/** How much room vega leaves for the names of rows. */
function labelsPx(names: readonly string[]): number {
  return Math.max(...names.map((name) => name.length)) * VEGA_SMALL_LETTER_PX;
}

/** A row for each line, for lines of one point. */
function rowsSpec(lines: readonly Line[], unit: string) {
  const names = rowNames(lines);
  const rows = lines.map(({ points }, index) => ({ name: names[index], ...points[0]! }));
  const crowded = rows.filter(({ oversubscribed }) => oversubscribed).map(({ name }) => ({ name }));
  const value = costScale(lines, unit);
  const style = standingStyle(lines);
  const y = {
    field: "name",
    type: "nominal" as const,
    sort: names,
    axis: { title: null, grid: true, ticks: false, domain: false, zindex: 0 },
  };
  return {
    width: Math.round(Math.min(620, WIDTH_PX - AXIS_PX - labelsPx(names))),
    height: { step: ROW_PX },
    layer: [
      {
        data: { values: crowded },
        mark: { type: "rect" as const, ...SHADE, aria: false },
        encoding: { y },
      },
      ...estimateLayers(rows, { y }, value, style),
    ],
  };
}
