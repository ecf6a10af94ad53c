import type { TopLevelSpec } from "vega-lite";
import { compare, median } from "../../engine/statistics.ts";
import { formatNumber } from "../../reporter/src/index.ts";
import type { BenchRecord, SurveyRecord } from "../schema/record.ts";
import type { Picture } from "../tables/markdown.ts";
import { workersText } from "../tables/phrases.ts";
import { COLOUR } from "./dark.ts";
import {
  headingLayer,
  type Layer,
  SHADE,
  sheetSpec,
  sourceText,
  type View,
  valueScale,
  WIDTH_PX,
} from "./drawing.ts";
import { NameColumn } from "./name-column.ts";

/**
 * The tails of a family as one picture: a panel for each worker count, a row for each competitor, and in each row its median,
 * p99 and p99.9 on a logarithmic scale. The last row is the empty operation: what the clock and the machine add, below which
 * nobody can be.
 */
export interface TailPicture extends Picture {
  readonly title: string;
  /** The scenarios that it shows. */
  readonly scenarios: readonly string[];
}

/** A time that one operation in `odds` exceeded. */
interface TailPoint {
  readonly odds: number;
  readonly us: number;
}

interface TailRow {
  readonly name: string;
  readonly kind: "baseline" | "rival" | "empty";
  /** By rising odds; one at least. */
  readonly points: readonly TailPoint[];
}

interface TailPanel {
  readonly scenario: string;
  readonly workers: number;
  readonly oversubscribed: boolean;
  /** From the fastest to the slowest at their last points, and the empty operation. */
  readonly rows: readonly TailRow[];
  /** Why competitors have none. */
  readonly missing: readonly string[];
}

export interface TailGraph {
  readonly primitive: string;
  readonly family: string;
  /** Title of its first scenario, up to the worker count. */
  readonly title: string;
  /** By workers; one at least. */
  readonly panels: readonly TailPanel[];
}

type Tailed = SurveyRecord & { readonly tail: NonNullable<SurveyRecord["tail"]> };

const SUFFIX = "-times.svg";
const EMPTY = "empty operation";
/** Odds that are drawn, and the shape of each: a median, p99 and p99.9. */
const SHAPES: ReadonlyMap<number, string> = new Map([
  [2, "circle"],
  [100, "square"],
  [1_000, "triangle-right"],
]);
/** Between panels: an axis, and the title of the next. */
const PANEL_GAP_PX = 66;
const MOST_TICKS = 5;

export function isTailFile(file: string): boolean {
  return file.endsWith(SUFFIX);
}

/** The families of tails among surveys that have a row to draw. */
export function tailGraphsOf(surveys: readonly SurveyRecord[]): TailGraph[] {
  const tailed = surveys.filter((survey): survey is Tailed => survey.tail !== undefined);
  const families = Map.groupBy(tailed, ({ primitive, tail }) => `${primitive}/${tail.family}`);
  return [...families.values()].flatMap((family) => {
    const panels = family
      .map(panelOf)
      .filter(({ rows }) => rows.some(({ kind }) => kind !== "empty"))
      .toSorted((a, b) => a.workers - b.workers);
    if (panels.length === 0) return [];
    const [{ primitive, title, tail }] = family as [Tailed];
    return [{ primitive, family: tail.family, title: title.replace(/, \d+ workers?$/, ""), panels }];
  });
}

/** Named after its first scenario: the others may be published in another record. */
export function pictureOfTail(graph: TailGraph): TailPicture {
  const scenarios = graph.panels.map(({ scenario }) => scenario);
  return { file: `${scenarios[0]}${SUFFIX}`, alt: altOf(graph), title: titleOf(graph), scenarios };
}

function panelOf({ scenario, tail, cells }: Tailed): TailPanel {
  const { workers, oversubscribed, sharesBeyond } = tail;
  const drawn = cells.filter(({ failure, curves }) => failure === undefined && curves !== undefined);
  const raced = drawn.map(
    ({ competitor, baseline, curves }): TailRow => ({
      name: competitor,
      kind: baseline ? "baseline" : "rival",
      points: middlesOf(
        curves!.map(({ response }) => response),
        sharesBeyond,
      ),
    }),
  );
  const empty = middlesOf(
    drawn.flatMap(({ curves }) => curves!.map((curve) => curve.empty)),
    sharesBeyond,
  );
  const rows = raced
    .filter(({ points }) => points.length > 0)
    .toSorted((a, b) => compare(lastOf(a).us, lastOf(b).us) || compare(a.name, b.name));
  return {
    scenario,
    workers,
    oversubscribed,
    rows: [...rows, ...(empty.length === 0 ? [] : [{ name: EMPTY, kind: "empty", points: empty } as const])],
    missing: cells.flatMap(({ competitor, failure }) =>
      failure === undefined ? [] : [`No number at ${workersText(workers)}: ${competitor}: ${failure.reason}`],
    ),
  };
}

/** The middle of several processes at each share that is drawn and that any of them has a time for. */
function middlesOf(curves: readonly (readonly number[])[], sharesBeyond: readonly number[]): TailPoint[] {
  return sharesBeyond.flatMap((share, index) => {
    const odds = Math.round(1 / share);
    const seen = curves.flatMap((curve) => curve[index] ?? []);
    return seen.length === 0 || !SHAPES.has(odds) ? [] : [{ odds, us: median(seen) / 1000 }];
  });
}

function lastOf({ points }: TailRow): TailPoint {
  return points.at(-1)!;
}

function titleOf({ primitive, family }: TailGraph): string {
  return `${primitive}/${family}: response times of single operations`;
}

function percentileText(odds: number): string {
  return `p${Number((100 - 100 / odds).toPrecision(6))}`;
}

function altOf(graph: TailGraph): string {
  const ends = graph.panels.map(({ workers, rows }) => {
    const raced = rows.filter(({ kind }) => kind !== "empty");
    const texts = raced.map((row) => {
      const { odds, us } = lastOf(row);
      return `${row.name} (${percentileText(odds)} ${formatNumber(us, 3)} us)`;
    });
    const range = texts.length === 1 ? texts[0] : `from ${texts[0]} to ${texts.at(-1)}`;
    return `at ${workersText(workers)} ${range}`;
  });
  return `${titleOf(graph)}, median, p99 and p99.9 of each competitor: ${ends.join("; ")}`;
}

/** A family as a vega-lite specification. */
export function tailSpec(
  graph: TailGraph,
  record: Pick<BenchRecord, "machine" | "runtime">,
  source: string,
): TopLevelSpec {
  const { panels, title } = graph;
  const crowded = panels.some(({ oversubscribed }) => oversubscribed);
  return sheetSpec(
    {
      alt: altOf(graph),
      title: titleOf(graph),
      subtitle: [
        title,
        "us, from when each operation was due, log scale, the lowest p99.9 first; circle: median, square: p99, triangle: p99.9, each the middle of the processes; hollow: the empty operation, what the clock and the machine add",
        ...(crowded
          ? [`Shaded: oversubscribed, more workers than cores (${record.machine.cores}), all spinning`]
          : []),
      ],
      notes: [...panels.flatMap(({ missing }) => missing), sourceText(source, record)],
      indentPx: 0,
    },
    bodySpec(graph),
  );
}

/** The panels below one another, each with the names to its left. All have the same scale, so that worker counts compare. */
function bodySpec({ panels }: TailGraph): View {
  const times = panels.flatMap(({ rows }) => rows.flatMap(({ points }) => points.map(({ us }) => us)));
  const x = valueScale([Math.min(...times) / 1.3, Math.max(...times) * 1.3], MOST_TICKS);
  const names = new NameColumn(panels.flatMap(({ rows }) => rows.map(({ name }) => name)));
  return {
    columns: 2,
    bounds: "flush",
    spacing: { row: PANEL_GAP_PX, column: 0 },
    concat: panels.flatMap(({ rows, workers, oversubscribed }): View[] => {
      const column = names.of(rows.map(({ name }) => name));
      return [
        column.view,
        {
          width: WIDTH_PX - names.widthPx,
          height: column.heightPx,
          view: oversubscribed ? SHADE : {},
          layer: [...rowLayers(rows, x, column.y), headingLayer(workersText(workers))],
        },
      ];
    }),
  };
}

/** A line from the first time of each row to its last, and the times. */
function rowLayers(rows: readonly TailRow[], x: ReturnType<typeof valueScale>, y: object): Layer[] {
  const spans = rows.map(({ name, points }) => ({ name, from: points[0]!.us, to: points.at(-1)!.us }));
  const times = rows.flatMap(({ name, kind, points }) =>
    points.map(({ odds, us }) => ({
      name,
      us,
      shape: SHAPES.get(odds)!,
      colour: kind === "rival" ? COLOUR.grey : COLOUR.ink,
      fill: kind === "empty" ? COLOUR.paper : kind === "baseline" ? COLOUR.ink : COLOUR.grey,
      text: `${name}: ${percentileText(odds)} ${formatNumber(us, 3)} us`,
    })),
  );
  const asIs = (field: string) => ({ field, type: "nominal" as const, scale: null });
  return [
    {
      data: { values: spans },
      mark: { type: "rule", color: COLOUR.grey, strokeWidth: 1, aria: false },
      encoding: { y, x: { ...x, field: "from" }, x2: { field: "to" } },
    },
    {
      data: { values: times },
      mark: { type: "point", size: 50, opacity: 1, strokeWidth: 1.25 },
      encoding: {
        y,
        x: { ...x, field: "us" },
        shape: asIs("shape"),
        stroke: asIs("colour"),
        fill: asIs("fill"),
        description: { field: "text" },
      },
    },
  ];
}
