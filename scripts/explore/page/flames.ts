import type { Flamegraph } from "../../../suites/lab/pictures/flamegraph.ts";
import { flamegraphOf } from "../../../suites/lab/pictures/flames.ts";
import type { FlameNode, Part } from "../../../suites/lab/schema/flame.ts";
import type { FlameFile } from "./site-data.ts";

/** Where the time of a cell's workers goes: samples of a profiler, by frame and by function. */
export interface Profile {
  /** Of the picture's file, and of which of its two sides. */
  readonly id: string;
  readonly title: string;
  /** As the pages have it, of this side alone. */
  readonly picture: Flamegraph;
}

export interface FunctionTime {
  readonly name: string;
  readonly place: string | undefined;
  readonly part: Part;
  /** Shares of all samples: in it and not in what it called, and in both. */
  readonly self: number;
  readonly total: number;
}

export function profilesOf(flames: readonly FlameFile[]): Profile[] {
  const all = flames.flatMap(({ name, record: { against, ...record } }) => {
    const by = record.sampler === "perf" ? ", with the kernel" : "";
    const sides = [
      { id: name, profiled: record.profiled },
      ...(against === undefined ? [] : [{ id: `${name}~against`, profiled: against }]),
    ];
    return sides.map(({ id, profiled }) => ({
      id,
      title: `${profiled.cell.split("/").slice(1).join(" / ")}${by}`,
      picture: flamegraphOf({ ...record, profiled }, `${name}.json`),
    }));
  });
  const counts = Map.groupBy(all, ({ title }) => title);
  return all.map((profile) =>
    counts.get(profile.title)!.length === 1
      ? profile
      : { ...profile, title: `${profile.title} (${profile.id})` },
  );
}

/** What names a frame among those that one frame called. */
export type Step = Pick<FlameNode, "name" | "place">;

/** The frame at the end of a path through a tree; undefined where the tree has none. */
export function frameAt(tree: FlameNode, path: readonly Step[]): FlameNode | undefined {
  return path.reduce<FlameNode | undefined>(
    (frame, { name, place }) => frame?.children.find((child) => child.name === name && child.place === place),
    tree,
  );
}

/** A tree without what is beside a path: the frame at its end is as wide as those that called it. */
export function treeAlong(tree: FlameNode, path: readonly Step[]): FlameNode {
  const [next, ...rest] = path;
  const called = next && frameAt(tree, [next]);
  if (called === undefined) return tree;
  const only = treeAlong(called, rest);
  return { ...tree, samples: only.samples, children: [only] };
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
export function keyOf({
  name,
  place,
}: {
  readonly name: string;
  readonly place?: string | undefined;
}): string {
  return `${name} ${place?.replace(/:\d+$/, "") ?? ""}`;
}
