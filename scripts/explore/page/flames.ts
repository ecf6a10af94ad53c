import { type FlameNode, type Part, treeOf } from "../../../suites/engine/schema/flame.ts";
import type { FlameFile } from "./site-data.ts";

/** Where the time of a cell's workers goes: samples of a profiler, by frame and by function. */
export interface Profile {
  /** Of the picture's file, and of which of its two sides. */
  readonly id: string;
  readonly title: string;
  readonly cell: string;
  /** In short. */
  readonly commit: string;
  readonly tree: FlameNode;
}

/** The worker that is looked at: all of them where it is undefined. */
export type Worker = string | undefined;

export interface FunctionTime {
  readonly name: string;
  readonly place: string | undefined;
  readonly part: Part;
  /** Shares of all samples: in it and not in what it called, and in both. */
  readonly self: number;
  readonly total: number;
}

export function profilesOf(flames: readonly FlameFile[]): Profile[] {
  const all = flames.flatMap(({ name, record: { profiled, against, sampler, commit } }) => {
    const by = sampler === "perf" ? ", with the kernel" : "";
    const sides = [
      { id: name, profile: profiled },
      ...(against === undefined ? [] : [{ id: `${name}~against`, profile: against }]),
    ];
    return sides.map(({ id, profile: { cell, frames } }) => {
      return {
        id,
        title: `${cell.split("/").slice(1).join(" / ")}${by}`,
        cell,
        commit: commit?.hash.slice(0, 7) ?? "none",
        tree: treeOf(frames),
      };
    });
  });
  const counts = Map.groupBy(all, ({ title }) => title);
  return all.map((profile) =>
    counts.get(profile.title)!.length === 1
      ? profile
      : { ...profile, title: `${profile.title} (${profile.id})` },
  );
}

/** The part of a tree that is of one worker. */
export function treeAt({ tree }: Profile, worker: Worker): FlameNode {
  return tree.children.find(({ name }) => name === worker) ?? tree;
}

export function workersOf({ tree }: Profile): string[] {
  return tree.children.map(({ name }) => name);
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
