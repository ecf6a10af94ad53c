import type { TopLevelSpec } from "vega-lite";
import { SAME_WITHIN } from "../../judge/verdict.ts";
import type { BenchRecord } from "../../schema/record.ts";
import { formatNumber } from "../benchmark-reporter-markdown/src/index.ts";
import { type Picture, pictureOfBothWidths } from "../tables/markdown.ts";
import {
  cellTexts,
  type Matrix,
  type MatrixCell,
  type MatrixPanel,
  type MatrixRow,
  missingLines,
} from "../tables/matrix.ts";
import { COLOUR } from "./dark.ts";
import {
  headingLayer,
  SCREEN_PX,
  SMALL_FONT_PX,
  STACKED_TITLE_RISE_PX,
  sheetSpec,
  sourceText,
  VEGA_SMALL_LETTER_PX,
  type View,
  WIDTH_PX,
} from "./drawing.ts";

/**
 * A matrix (see matrix.ts) as a picture: a frame for each worker count, a row for each competitor, a column for each runtime.
 * A cell's ground says its verdict, and its words do too: ratios are below 1 or above it, what is undecided has a
 * question mark and a dashed frame in place of a ground. On a narrow sheet a competitor's name stands above its row, with
 * its nanoseconds on the first runtime, which have a column otherwise. Names and alternative texts come without loading
 * what draws.
 */

const FILE_END = "-runtimes.svg";
/** Two lines of text, and a gap. */
const ROW_PX = 30;
const ROW_GAP = 0.08;
/** The same with a name above. */
const STACKED_ROW_PX = 46;
const STACKED_ROW_GAP = 0.4;
/** From a row's middle to that of the name above it. */
const NAME_ABOVE_PX = 22;
/** Room for the text of a cell. */
const LEAST_CELL_PX = 72;
const GAP_PX = 10;
/** From a cell's middle to that of each of its lines. */
const LINE_FROM_MIDDLE_PX = 6;
/** Between frames: the names of columns, and the heading beside them. */
const HEADINGS_PX = 40;
/** What is faster or slower by more than this many times has the stronger ground. */
const MANY_TIMES = 1.5;

/** What a ground says, in the order of a legend. */
const GROUNDS = {
  [`over ${MANY_TIMES} times faster`]: COLOUR.blueGround,
  faster: COLOUR.paleBlueGround,
  [`same, within ${100 * SAME_WITHIN} %`]: COLOUR.greyGround,
  slower: COLOUR.paleOrangeGround,
  [`over ${MANY_TIMES} times slower`]: COLOUR.orangeGround,
  "not judged": COLOUR.paleGreyGround,
} as const;
const [MUCH_FASTER, FASTER, SAME, SLOWER, MUCH_SLOWER, NOT_JUDGED] = Object.keys(GROUNDS) as [
  string,
  ...string[],
];

export function isMatrixFile(file: string): boolean {
  return file.endsWith(FILE_END);
}

/** Whether its picture is higher than what a page shows at once. */
export function isMatrixHigherThanAScreen({ panels }: Matrix): boolean {
  return panels.reduce((sum, { rows }) => sum + rows.length, 0) * ROW_PX > SCREEN_PX;
}

export function pictureOfMatrix(matrix: Matrix): Picture {
  return pictureOfBothWidths({ file: `${matrix.scenario}${FILE_END}`, alt: altOf(matrix) });
}

function altOf(matrix: Matrix): string {
  const [first, ...others] = matrix.runtimes;
  const last = matrix.panels.at(-1)!;
  const sums = others.map(({ name }, index) => `${name} ${sumOf(last, index)}`);
  const competitors = last.rows.length === 1 ? "1 competitor" : `${last.rows.length} competitors`;
  return `${titleOf(matrix)}: ratio to ${first.version}. At ${last.title}, of ${competitors}: ${sums.join("; ")}`;
}

/** How many of a runtime's cells have each verdict. */
function sumOf({ rows }: MatrixPanel, runtime: number): string {
  const verdicts = rows.map(({ others }) => {
    const cell = others[runtime]!;
    return cell.reason === undefined ? cell.verdict : "without a figure";
  });
  return [...Map.groupBy(verdicts, (verdict) => verdict)]
    .map(([verdict, those]) => `${those.length} ${verdict}`)
    .join(", ");
}

function titleOf({ primitive, scenario }: Matrix): string {
  return `${primitive}/${scenario}: the same code on several runtimes`;
}

/** As a vega-lite specification. */
export function matrixSpec(
  matrix: Matrix,
  record: Pick<BenchRecord, "machine" | "runtime">,
  source: string,
  widthPx = WIDTH_PX,
): TopLevelSpec {
  const { runtimes, panels, operation, title } = matrix;
  const [first] = runtimes;
  const grid = gridOf(matrix, widthPx);
  return sheetSpec(
    {
      alt: altOf(matrix),
      title: titleOf(matrix),
      subtitle: [
        title,
        `Time of an operation as a ratio to that on ${first.name}, raced beside it, with the interval that its verdict rests on; ${grid.isStacked ? "beside a name" : "first column"}: ns/${operation} on ${first.name}; A/A control: ${first.name} once more, in a process of its own`,
        "Dashed frame: cannot tell (?), the same beside a noise floor over 10 % (no power), or two groups of processes that differ (depends); = the same; unknown: the interval ends over a hundred times apart; – no figure",
      ],
      notes: [
        ...new Set(panels.flatMap(({ rows }) => missingLines(runtimes, rows))),
        `On ${runtimes.map(({ name, version, engine }) => `${name}: ${version}, ${engine}`).join("; ")}`,
        sourceText(source, record),
      ],
      indentPx: grid.indentPx,
      widthPx,
    },
    {
      columns: 1,
      bounds: "flush",
      spacing: HEADINGS_PX,
      concat: panels.map((panel) => panelView(matrix, panel, grid)),
    },
  );
}

/** Where names and cells stand. */
interface Grid {
  readonly indentPx: number;
  readonly cellsPx: number;
  /** Names stand above their cells: beside them there is no room for cells. */
  readonly isStacked: boolean;
}

function gridOf(matrix: Matrix, widthPx: number): Grid {
  const indentPx = namesPx(matrix);
  const cellsPx = widthPx - indentPx;
  // The first runtime, its A/A control, and the others.
  const columns = matrix.runtimes.length + 1;
  return cellsPx < columns * LEAST_CELL_PX
    ? { indentPx: 0, cellsPx: widthPx, isStacked: true }
    : { indentPx, cellsPx, isStacked: false };
}

function namesPx({ panels }: Matrix): number {
  const names = panels.flatMap(({ title, rows }) => [title, ...rows.map(({ competitor }) => competitor)]);
  return Math.ceil(Math.max(...names.map((name) => name.length)) * VEGA_SMALL_LETTER_PX) + GAP_PX;
}

/** A cell as it is drawn. */
interface Mark {
  readonly competitor: string;
  readonly column: string;
  readonly value: string;
  readonly interval: string;
  /** Undefined where there is no ground. */
  readonly ground: string | undefined;
  readonly isOpen: boolean;
  /** In words. */
  readonly text: string;
}

function panelView(matrix: Matrix, panel: MatrixPanel, { cellsPx, isStacked }: Grid): View {
  const [first, ...others] = matrix.runtimes;
  const columns = [first.name, "A/A control", ...others.map(({ name }) => name)];
  const nameOf = ({ competitor, first: cost }: MatrixRow) =>
    isStacked && "ns" in cost ? `${competitor}, ${costText(cost)} ns` : competitor;
  const marks = panel.rows.flatMap((row) => {
    const cells = marksOf(row, columns, panel.title);
    return (isStacked ? cells.slice(1) : cells).map((mark) => ({ ...mark, row: nameOf(row) }));
  });
  const x = {
    field: "column",
    type: "nominal" as const,
    scale: { type: "band" as const, padding: 0.04, domain: isStacked ? columns.slice(1) : columns },
    axis: { title: null, orient: "top" as const, labelAngle: 0, ticks: false, domain: false },
  };
  const y = {
    field: "row",
    type: "nominal" as const,
    scale: {
      type: "band" as const,
      domain: panel.rows.map(nameOf),
      padding: isStacked ? STACKED_ROW_GAP : ROW_GAP,
      // All that is left over is above the first row, where its name stands.
      ...(isStacked ? { align: 1 } : {}),
    },
    axis: {
      title: null,
      ticks: false,
      domain: false,
      ...(isStacked ? { labelAlign: "left" as const, labelPadding: 0, labelOffset: -NAME_ABOVE_PX } : {}),
    },
  };
  const lineOf = (field: "value" | "interval", dy: number, color: string) => ({
    data: { values: marks.filter((mark) => mark[field] !== "") },
    mark: {
      type: "text" as const,
      baseline: "middle" as const,
      fontSize: SMALL_FONT_PX,
      color,
      dy,
      aria: false,
    },
    encoding: { x, y, text: { field } },
  });
  return {
    width: cellsPx,
    height: panel.rows.length * (isStacked ? STACKED_ROW_PX : ROW_PX),
    view: { stroke: null },
    layer: [
      {
        data: { values: marks.filter(({ ground }) => ground !== undefined) },
        mark: { type: "rect" },
        encoding: { x, y, fill: groundScale(matrix), description: { field: "text" } },
      },
      {
        data: { values: marks.filter(({ isOpen }) => isOpen) },
        mark: { type: "rect", fill: COLOUR.paper, stroke: COLOUR.grey, strokeDash: [3, 2] },
        encoding: { x, y, description: { field: "text" } },
      },
      lineOf("value", -LINE_FROM_MIDDLE_PX, COLOUR.ink),
      lineOf("interval", LINE_FROM_MIDDLE_PX, COLOUR.ink),
      isStacked
        ? headingLayer(panel.title, { risePx: STACKED_TITLE_RISE_PX })
        : headingLayer(panel.title, { align: "right", xPx: -GAP_PX }),
    ],
  };
}

/** One legend for all panels, of the grounds that any has. */
function groundScale({ panels }: Matrix) {
  const used = new Set([
    NOT_JUDGED,
    ...panels.flatMap(({ rows }) =>
      rows.flatMap(({ others }) => others.flatMap((cell) => groundOf(cell) ?? [])),
    ),
  ]);
  const domain = Object.keys(GROUNDS).filter((ground) => used.has(ground));
  return {
    field: "ground",
    type: "nominal" as const,
    scale: { domain, range: domain.map((ground) => GROUNDS[ground as keyof typeof GROUNDS]) },
    legend: { symbolType: "square" as const, symbolSize: 120, symbolStrokeWidth: 0 },
  };
}

function marksOf(
  { competitor, first, control, others }: MatrixRow,
  columns: readonly string[],
  at: string,
): Mark[] {
  const ns = "ns" in first ? costText(first) : undefined;
  return [
    {
      competitor,
      column: columns[0]!,
      value: ns ?? "–",
      interval: ns === undefined ? "" : "ns",
      ground: ns === undefined ? undefined : NOT_JUDGED,
      isOpen: false,
      text: `${competitor}, ${at}, ${columns[0]}: ${ns === undefined ? "no figure" : `${ns} ns`}`,
    },
    ...[control, ...others].map((cell, index) => markOf(cell, competitor, columns[index + 1]!, at)),
  ];
}

function costText({ ns }: { readonly ns: number }): string {
  return formatNumber(ns, 3);
}

function markOf(cell: MatrixCell, competitor: string, column: string, at: string): Mark {
  const place = `${competitor}, ${at}, ${column}`;
  if (cell.reason !== undefined) {
    const text = `${place}: no figure, ${cell.reason}`;
    return { competitor, column, value: "–", interval: "", ground: undefined, isOpen: false, text };
  }
  const { value, interval, sign } = cellTexts(cell);
  const ground = groundOf(cell);
  return {
    competitor,
    column,
    value: `${value}${sign}`,
    interval,
    ground,
    isOpen: ground === undefined,
    text: `${place}: ${value} ${interval}, ${cell.verdict}`,
  };
}

/** Undefined where there is no figure, or an undecided one. */
function groundOf(cell: MatrixCell): string | undefined {
  if (cell.reason !== undefined) return undefined;
  const { verdict, ratio } = cell;
  if (verdict === "faster") return ratio.value < 1 / MANY_TIMES ? MUCH_FASTER : FASTER;
  if (verdict === "slower") return ratio.value > MANY_TIMES ? MUCH_SLOWER : SLOWER;
  if (verdict === "same") return SAME;
  return verdict === "noise floor" ? NOT_JUDGED : undefined;
}
