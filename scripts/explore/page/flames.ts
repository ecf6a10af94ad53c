import { flamegraphSpec } from "../../../suites/lab/pictures/flamegraph.ts";
import { flamegraphOf, flameTitle } from "../../../suites/lab/pictures/flames.ts";
import {
  type FlameNode,
  type FramePart,
  type ProfileRecord,
  treeOf,
} from "../../../suites/lab/schema/flame.ts";
import { left, right } from "../../../suites/lab/tables/columns.ts";
import { percentText } from "../../../suites/reporter/src/lab.ts";
import type { ContestProps } from "./contest.ts";
import { type Html, html, picture, select, tableHtml } from "./html.ts";
import type { FlameFile } from "./site-data.ts";

export interface FunctionTime {
  readonly name: string;
  readonly place: string | undefined;
  readonly part: FramePart;
  /** Shares of all samples: in it and not in what it called, and in both. */
  readonly self: number;
  readonly total: number;
}

/** The most functions listed: the rest has next to no samples. */
const MOST_FUNCTIONS = 20;

/** Where the time of a cell's workers goes, by frame and by function: samples of a profiler. */
export function flames({ data, view }: Pick<ContestProps, "data" | "view">): Html {
  const flame = data.flames.find(({ name }) => name === view.chosen.flame) ?? data.flames[0];
  if (flame === undefined) {
    return html`<p>No flamegraph of ${data.primitive} is published: <code>npm run flame -- CELL</code> makes one.</p>`;
  }
  const options = data.flames.map(({ name, record }) => [name, flameTitle(record)] as const);
  return html`${select("Profile", "flame", flame.name, options)}
${picture(flamegraphSpec(flamegraphOf(flame.record, `${flame.name}.json`)))}
${functionTable(flame.record)}`;
}

function functionTable({ profiled, against }: FlameFile["record"]): Html {
  const others = against === undefined ? [] : timesOf(against);
  const beside = new Map(others.map((time) => [keyOf(time), time]));
  return tableHtml({
    caption: `Where the workers of ${profiled.cell} spend their time, the most first. Samples are shares of time; they do not say how fast it was.`,
    columns: [
      left("name", "Function"),
      right("self", "In itself"),
      right("total", "With what it calls"),
      ...(against === undefined ? [] : [right("other", `In itself, ${against.cell}`)]),
      left("part", "Part"),
      left("place", "Place"),
    ],
    rows: timesOf(profiled)
      .slice(0, MOST_FUNCTIONS)
      .map((time) => {
        const other = beside.get(keyOf(time));
        return {
          cells: {
            ...time,
            self: percentText(time.self),
            total: percentText(time.total),
            other: other && percentText(other.self),
          },
        };
      }),
  });
}

function timesOf({ frames }: ProfileRecord): FunctionTime[] {
  return functionsOf(treeOf(frames));
}

/** By the share of its own, the largest first. A function that calls itself counts once. */
export function functionsOf(tree: FlameNode): FunctionTime[] {
  const found = new Map<string, { node: FlameNode; self: number; total: number }>();
  const visit = (node: FlameNode, above: ReadonlySet<string>) => {
    const key = keyOf(node);
    const known = found.get(key) ?? { node, self: 0, total: 0 };
    found.set(key, known);
    known.self += node.samples - node.children.reduce((sum, { samples }) => sum + samples, 0);
    if (!above.has(key)) known.total += node.samples;
    const below = new Set([...above, key]);
    for (const child of node.children) visit(child, below);
  };
  visit(tree, new Set());
  return [...found.values()]
    .filter(({ node }) => node.part !== "thread")
    .map(({ node: { name, place, part }, self, total }) => ({
      name,
      place,
      part,
      self: self / tree.samples,
      total: total / tree.samples,
    }))
    .toSorted((a, b) => b.self - a.self || b.total - a.total);
}

/** What two profiles know a function by: its line may have moved between them. */
function keyOf({
  name,
  place,
}: Pick<FunctionTime, "name"> & { readonly place?: string | undefined }): string {
  return `${name} ${place?.replace(/:\d+$/, "") ?? ""}`;
}
