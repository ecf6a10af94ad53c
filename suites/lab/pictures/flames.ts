import { formatNumber } from "../../reporter/src/index.ts";
import { type FlameRecord, flameName, type ProfileRecord, treeOf } from "../schema/flame.ts";
import type { Picture } from "../tables/markdown.ts";
import { commitText } from "../tables/phrases.ts";
import { type Drawn, draw, drawSvg, sourceText } from "./drawing.ts";
import { type Flamegraph, flamegraphAlt, flamegraphSpec } from "./flamegraph.ts";

/** A flamegraph's record as its picture, an SVG. */
export function flameSvg(record: FlameRecord, source: string): Promise<string> {
  return drawSvg(flamegraphSpec(flamegraphOf(record, source)), flameName(record));
}

/** What it is a picture of, in a few words. */
export function flameTitle({ sampler, profiled, against }: FlameRecord): string {
  const beside = against === undefined ? "" : ` beside ${against.cell}`;
  return `${profiled.cell}${beside}${sampler === "perf" ? ", with the kernel" : ""}`;
}

/** The picture of a published record, whose file is called `name`. */
export function pictureOfFlame(name: string, record: FlameRecord): Picture {
  return { file: `${name}.svg`, alt: flamegraphAlt(flamegraphOf(record, "")) };
}

/** The same as SVG, with its file name. */
export function drawFlame(name: string, record: FlameRecord): Promise<Drawn> {
  return draw(pictureOfFlame(name, record), flamegraphSpec(flamegraphOf(record, `${name}.json.gz`)));
}

/** All that the picture of a record says; `source` is what it was made from. */
export function flamegraphOf(record: FlameRecord, source: string): Flamegraph {
  const { sampler, profiled, against, commit } = record;
  const by = sampler === "v8" ? "V8's profiler" : "Linux perf, the kernel and Node's own code included";
  const others = against === undefined ? [] : [`Against ${described(against)}`];
  return {
    title: profiled.cell,
    subtitle: [`${described(profiled)}, by ${by}`, ...others],
    tree: treeOf(profiled.frames),
    ...(against === undefined ? {} : { against: { name: against.cell, tree: treeOf(against.frames) } }),
    notes: [
      "Compiled without inlining: each function has a frame of its own, and costs a call that a race does not pay.",
      "The calls that lead to a worker's loop are left out. A profiled thread is slower than a timed one: this shows where time goes, not how much.",
      `${sourceText(source, record)}, ${commitText(commit)}`,
    ],
  };
}

function described({ cell, windowsMs, oversubscribed, frames: [root] }: ProfileRecord): string {
  const seconds = formatNumber(Number((windowsMs / 1000).toPrecision(3)));
  const crowded = oversubscribed ? ", oversubscribed" : "";
  return `${cell}: ${formatNumber(root!.samples)} samples in ${seconds} s in which all workers measured${crowded}`;
}
