import type { TopLevelSpec } from "vega-lite";
import { formatNumber, isIntervalKnown } from "../../reporter/src/index.ts";
import type { Picture } from "../tables/markdown.ts";
import type { HostReading, HostsTable } from "../verdicts/hosts.ts";
import { COLOUR } from "./dark.ts";
import {
  type Drawn,
  domainOf,
  draw,
  type Estimate,
  emphasisStyle,
  estimateLayers,
  sheetSpec,
  valueScale,
  WIDTH_PX,
} from "./drawing.ts";
import { NameColumn } from "./name-column.ts";

/** Rows that do not hold on all hosts, with a ratio and its interval for each host. Pure. */

/** A row of the picture. */
interface Apart {
  readonly name: string;
  readonly readings: readonly HostReading[];
}

/** Undefined where all rows hold on all hosts. */
export function hostsPicture(tables: readonly HostsTable[]): Picture | undefined {
  const rows = apartIn(tables);
  if (rows.length === 0) return undefined;
  const standing = ({ name, readings }: Apart) => `${name} (${readings.map(figureOf).join(", ")})`;
  return { file: "hosts-ratios.svg", alt: `Ratios on each host: ${rows.map(standing).join("; ")}` };
}

function apartIn(tables: readonly HostsTable[]): Apart[] {
  const inTable = ({ primitive, scenario, workers, rows }: HostsTable) => {
    const isOneOf = tables.some((other) => other.primitive === primitive && other.scenario !== scenario);
    return rows
      .filter(({ standing }) => standing !== "holds")
      .map(({ name, readings }) => ({
        name: `${name}, ${isOneOf ? scenario : primitive} ${workers}w`,
        readings: readings.filter(({ ratio }) => ratio !== undefined && isIntervalKnown(ratio)),
      }));
  };
  return tables.flatMap(inTable).filter(({ readings }) => readings.length > 0);
}

function figureOf({ host, ratio }: HostReading): string {
  return `${host} ${formatNumber(ratio!.value, 3)}`;
}

interface Mark extends Estimate {
  readonly name: string;
  readonly host: string;
}

function marksOf({ name, readings }: Apart): Mark[] {
  return readings.map((reading) => {
    const { host, verdict } = reading;
    const emphasis = verdict === "reversed" || verdict === "no number" ? "not judged" : verdict;
    const text = `${name}: ${figureOf(reading)}, ${verdict}`;
    return { ...reading.ratio!, name, host, emphasis, oversubscribed: false, text };
  });
}

/** The picture as SVG with its file name; none where there is none. */
export async function drawHosts(tables: readonly HostsTable[]): Promise<Drawn[]> {
  const picture = hostsPicture(tables);
  return picture === undefined ? [] : [await draw(picture, hostsSpec(tables, picture))];
}

/** As a vega-lite specification: of the hosts of a row the first is above the others. */
function hostsSpec(tables: readonly HostsTable[], { alt }: Picture): TopLevelSpec {
  const rows = apartIn(tables);
  const points = rows.flatMap(marksOf);
  const hosts = [...new Set(points.map(({ host }) => host))];
  const names = rows.map(({ name }) => name);
  const column = new NameColumn(names);
  const { view, heightPx: height, y } = column.of(names);
  const x = valueScale(domainOf([{ points }]), 4);
  const lane = { yOffset: { field: "host", type: "nominal" as const, scale: { domain: hosts } } };
  const sheet = {
    alt,
    title: "What does not hold on all hosts",
    subtitle: [`Ratio to the baseline, log scale; boxes: intervals; from above: ${hosts.join(", ")}`],
    notes: ["Of several runs the interval for another run, of a single one its own"],
    indentPx: 0,
  };
  return sheetSpec(sheet, {
    columns: 2,
    bounds: "flush",
    spacing: 0,
    concat: [
      view,
      {
        width: WIDTH_PX - column.widthPx,
        height,
        layer: [
          {
            data: { values: [{ equal: 1 }] },
            mark: { type: "rule", color: COLOUR.grey, aria: false },
            encoding: { x: { ...x, field: "equal" } },
          },
          ...estimateLayers(points, { y, ...lane }, x, emphasisStyle([{ points }])),
        ],
      },
    ],
  });
}
