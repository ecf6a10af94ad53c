import type { TopLevelSpec } from "vega-lite";
import { compare } from "../../engine/statistics.ts";
import type { FlameNode, FramePart } from "../schema/flame.ts";
import { COLOUR } from "./dark.ts";
import { FONT_PX, type Layer, LETTER_PX, legendColumns, sheetSpec, WIDTH_PX } from "./drawing.ts";

/**
 * A profile as a picture. Every frame is a box as wide as its samples, what it called in the row below. The workers
 * stand one below the other, each as wide as the picture. Pure.
 *
 * The root is at the top, since a page is read from there. What a frame called stands in the same order under every
 * worker, ordered by the samples of all workers together. Workers can then be compared by eye. The bare width at the
 * right of it is the frame's own.
 */
export interface Flamegraph {
  /** The cell: `pick/uniform-8/cas-ring/2w`. */
  readonly title: string;
  /** Samples, interval, windows. */
  readonly subtitle: readonly string[];
  /** Its root is the cell, whose children are the workers. */
  readonly tree: FlameNode;
  /** The profile that colours show the difference to; it may have another number of workers. */
  readonly against?: { readonly name: string; readonly tree: FlameNode };
  /** Machine, commit, what was left out. */
  readonly notes: readonly string[];
}

/** What a box's colour says: whose code it is or, beside another profile, how its share differs from that one's. */
type Fill = FramePart | Change | "gathered";

/** Of a frame's share of its worker, from that in the other profile. */
type Change = "much-more" | "more" | "alike" | "less" | "much-less";

const ROW_PX = 24;
/** From a box's edges to its text. */
const INSET_PX = 4;
/** Of paper between boxes, so that neighbours of one colour are two. */
const EDGE_PX = 0.6;
const SWATCH_PX = 14;
/** Between workers, in rows. */
const WORKERS_GAP = 0.5;
/** A frame narrower than that has no inside left between its edges, and is gathered with its narrow siblings. */
const LEAST_FRAME_PX = 1;
/** A name cut shorter than that, its "…" included, says nothing. */
const LEAST_LETTERS = 4;

/**
 * Standard errors of the difference of two shares that counting noise is taken to explain. Three, since a picture holds a
 * hundred frames: two would colour five of them by chance.
 */
const NOISE_ERRORS = 3;
/** A smaller difference of shares is not worth a colour, however surely it is there. */
const LEAST_CHANGE = 0.005;
const MUCH_CHANGE = 0.05;

/** What each colour says, in the order of the legend. */
const FILLS: Readonly<Record<Fill, { readonly says: string; readonly colour: string }>> = {
  structure: { says: "structure: what competes", colour: COLOUR.orangeGround },
  engine: { says: "engine: suites and the batch loop", colour: COLOUR.blueGround },
  runtime: { says: "runtime: Node, V8, the kernel", colour: COLOUR.greyGround },
  "much-more": { says: `${100 * MUCH_CHANGE} points or more larger`, colour: COLOUR.orangeGround },
  more: { says: "larger", colour: COLOUR.paleOrangeGround },
  alike: { says: "alike", colour: COLOUR.greyGround },
  less: { says: "smaller", colour: COLOUR.paleBlueGround },
  "much-less": { says: `${100 * MUCH_CHANGE} points or more smaller`, colour: COLOUR.blueGround },
  gathered: { says: "several, too narrow to be drawn", colour: COLOUR.darkGreyGround },
  thread: { says: "workers", colour: COLOUR.paleGreyGround },
};

/** Functions of each worker that are listed in words. */
const MOST_OWN = 3;
/** Frames that differ, and frames that only the other profile has, that are listed in words. */
const MOST_SHOWN = 5;

/** A frame of one worker, a worker, the cell, or siblings too narrow to be drawn. */
export interface Box {
  readonly name: string;
  readonly place?: string;
  readonly fill: Fill;
  readonly samples: number;
  /** Samples to the left of it. */
  readonly from: number;
  /** Rows above it. */
  readonly depth: number;
  /** Absent for workers, for what is gathered, and for a profile on its own. */
  readonly comparison?: Comparison;
}

interface Comparison {
  /** Of the frame in its worker. */
  readonly share: number;
  readonly worker: string;
  /** Of the frame with the same callers in all workers of the other profile together. */
  readonly otherShare: number;
}

export function flamegraphSpec(picture: Flamegraph): TopLevelSpec {
  const { title, subtitle, tree, notes } = picture;
  const boxes = placedBoxes(boxesOf(picture));
  const rows = Math.max(...boxes.map(({ bottom }) => bottom));
  const used = new Set(boxes.map(({ box }) => box.fill));
  const fills = (Object.keys(FILLS) as Fill[]).filter((fill) => used.has(fill)).map((fill) => FILLS[fill]);
  const sheet = {
    alt: flamegraphAlt(picture),
    title,
    subtitle: [...subtitle, ...readingText(picture)],
    notes: [...onlyThereText(picture), ...notes],
    indentPx: 0,
  };
  return sheetSpec(sheet, {
    width: WIDTH_PX,
    height: rows * ROW_PX,
    view: { stroke: null },
    data: {
      values: boxes.map(({ box, ...place }) => ({
        ...place,
        says: FILLS[box.fill].says,
        tooltip: `${labelOf(box)}: ${percent(box.samples / tree.samples)} of the samples shown`,
        label: labelWithin(box, (place.right - place.left) * WIDTH_PX),
      })),
    },
    encoding: {
      x: {
        field: "left",
        type: "quantitative",
        scale: { domain: [0, 1], nice: false },
        axis: null,
      },
      y: { field: "top", type: "quantitative", scale: { domain: [rows, 0], nice: false }, axis: null },
      tooltip: { field: "tooltip" },
    },
    layer: [boxLayer(fills), LABEL_LAYER],
  });
}

function boxLayer(fills: readonly (typeof FILLS)[Fill][]): Layer {
  const sayings = fills.map(({ says }) => says);
  return {
    mark: { type: "rect", stroke: COLOUR.paper, strokeWidth: EDGE_PX, aria: false },
    encoding: {
      x2: { field: "right" },
      y2: { field: "bottom" },
      fill: {
        field: "says",
        type: "nominal",
        scale: { domain: sayings, range: fills.map(({ colour }) => colour) },
        legend: {
          symbolType: "square",
          symbolSize: SWATCH_PX ** 2,
          symbolStrokeWidth: 0,
          columns: legendColumns(sayings, SWATCH_PX),
        },
      },
    },
  };
}

const LABEL_LAYER: Layer = {
  transform: [{ filter: "datum.label !== ''" }],
  mark: {
    type: "text",
    align: "left",
    baseline: "middle",
    dx: INSET_PX,
    dy: ROW_PX / 2,
    fontSize: FONT_PX,
    aria: false,
  },
  encoding: { text: { field: "label" } },
};

/** Where a box is drawn: across in shares of the width, down in rows. */
interface Placed {
  readonly box: Box;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The workers below one another, without the cell, which the title names. */
function placedBoxes([, ...boxes]: readonly Box[]): Placed[] {
  let worker = boxes[0]!;
  let first = 0;
  let bottom = -WORKERS_GAP;
  return boxes.map((box) => {
    if (box.depth === worker.depth) {
      worker = box;
      first = bottom + WORKERS_GAP;
    }
    const top = first + box.depth - worker.depth;
    bottom = Math.max(bottom, top + 1);
    const left = (box.from - worker.from) / worker.samples;
    return { box, left, right: left + box.samples / worker.samples, top, bottom: top + 1 };
  });
}

/**
 * The picture in words: which functions most of each worker's samples were in and, beside another profile, which frames
 * differ most.
 */
export function flamegraphAlt(picture: Flamegraph): string {
  const { title, tree, against } = picture;
  const own = tree.children.map((worker) => {
    const shown = ownSamples(worker).slice(0, MOST_OWN);
    return `${worker.name}: ${shown.map(({ name, samples }) => `${name} ${percent(samples / worker.samples)}`).join(", ")}`;
  });
  const words = [`Flamegraph of ${title}. Own time, ${own.join("; ")}`];
  if (against !== undefined) {
    const changed = boxesOf(picture)
      .flatMap(({ name, fill, comparison }) =>
        comparison === undefined || fill === "alike" ? [] : [{ name, ...comparison }],
      )
      .toSorted(
        (a, b) =>
          Math.abs(b.share - b.otherShare) - Math.abs(a.share - a.otherShare) || compare(a.name, b.name),
      )
      .slice(0, MOST_SHOWN)
      .map(
        ({ name, worker, share, otherShare }) =>
          `${name} ${percent(share)} of ${worker} against ${percent(otherShare)}`,
      );
    const differences = changed.length === 0 ? "none beyond noise" : changed.join(", ");
    words.push(`Largest differences to ${against.name}: ${differences}`, ...onlyThereText(picture));
  }
  return printable(words.join(". "));
}

/** Every box of a picture, callers before what they called, left to right. */
export function boxesOf({ tree, against }: Flamegraph): Box[] {
  const together = framesByPath(tree);
  const other = against === undefined ? undefined : framesByPath(against.tree);
  const boxes: Box[] = [{ name: tree.name, fill: "thread", samples: tree.samples, from: 0, depth: 0 }];
  const addCalled = (worker: FlameNode, caller: FlameNode, path: string, left: number, depth: number) => {
    const [wide, narrow] = [false, true].map((narrowness) =>
      caller.children.filter(
        ({ samples }) => (samples / worker.samples) * WIDTH_PX < LEAST_FRAME_PX === narrowness,
      ),
    );
    const ordered = wide!
      .map((frame) => ({ frame, own: pathOf(path, frame) }))
      .toSorted(
        (a, b) => together.get(b.own)!.samples - together.get(a.own)!.samples || compare(a.own, b.own),
      );
    let from = left;
    for (const { frame, own } of ordered) {
      const { children: _, part, ...box } = frame;
      const difference =
        against === undefined || other === undefined
          ? { fill: part }
          : compared(frame, worker, other.get(own)?.samples ?? 0, against.tree.samples);
      boxes.push({ ...box, ...difference, from, depth });
      addCalled(worker, frame, own, from, depth + 1);
      from += frame.samples;
    }
    if (narrow!.length === 0) return;
    boxes.push({ name: `${narrow!.length} more`, fill: "gathered", samples: sumOf(narrow!), from, depth });
  };
  let from = 0;
  for (const worker of tree.children) {
    boxes.push({ name: worker.name, fill: "thread", samples: worker.samples, from, depth: 1 });
    addCalled(worker, worker, "", from, 2);
    from += worker.samples;
  }
  return boxes;
}

/** Frames of all workers together; the same frame is one of the same name, place and callers. */
function framesByPath(tree: FlameNode) {
  const frames = new Map<string, { readonly frame: FlameNode; readonly caller: string; samples: number }>();
  const visit = (called: readonly FlameNode[], caller: string): void => {
    for (const frame of called) {
      const path = pathOf(caller, frame);
      const samples = (frames.get(path)?.samples ?? 0) + frame.samples;
      frames.set(path, { frame, caller, samples });
      visit(frame.children, path);
    }
  };
  for (const { children } of tree.children) visit(children, "");
  return frames;
}

function pathOf(caller: string, { name, place }: FlameNode): string {
  return `${caller}${JSON.stringify([name, place])}`;
}

function sumOf(frames: readonly FlameNode[]): number {
  return frames.reduce((sum, { samples }) => sum + samples, 0);
}

/** A frame's share of its worker beside that in the other profile, given as samples out of all. */
function compared(
  { samples }: FlameNode,
  worker: FlameNode,
  otherSamples: number,
  otherAll: number,
): { readonly fill: Change; readonly comparison: Comparison } {
  const share = samples / worker.samples;
  const otherShare = otherSamples / otherAll;
  const error = Math.sqrt(
    (share * (1 - share)) / worker.samples + (otherShare * (1 - otherShare)) / otherAll,
  );
  const difference = Math.abs(share - otherShare);
  const isAlike = difference <= Math.max(LEAST_CHANGE, NOISE_ERRORS * error);
  const direction = share > otherShare ? "more" : "less";
  const fill = isAlike ? "alike" : difference >= MUCH_CHANGE ? (`much-${direction}` as const) : direction;
  return { fill, comparison: { share, worker: worker.name, otherShare } };
}

/** Functions of a worker by the samples that were in them and in nothing they called, most first. */
function ownSamples(worker: FlameNode): { readonly name: string; readonly samples: number }[] {
  const byFunction = new Map<string, { name: string; samples: number }>();
  const count = (frame: FlameNode): void => {
    const own = frame.samples - sumOf(frame.children);
    const key = pathOf("", frame);
    const { samples } = byFunction.get(key) ?? { samples: 0 };
    if (own > 0) byFunction.set(key, { name: labelOf(frame), samples: samples + own });
    frame.children.forEach(count);
  };
  worker.children.forEach(count);
  return [...byFunction.values()].toSorted((a, b) => b.samples - a.samples || compare(a.name, b.name));
}

/** Frames that only the other profile has, the topmost of each stack, in one line. */
function onlyThereText({ tree, against }: Flamegraph): string[] {
  if (against === undefined) return [];
  const here = framesByPath(tree);
  const missing = [...framesByPath(against.tree)]
    .filter(([path, { caller }]) => !here.has(path) && (caller === "" || here.has(caller)))
    .toSorted(([a, one], [b, other]) => other.samples - one.samples || compare(a, b))
    .map(([, { frame, samples }]) => ({ label: labelOf(frame), share: samples / against.tree.samples }));
  if (missing.length === 0) return [];
  const shown = missing.slice(0, MOST_SHOWN).map(({ label, share }) => `${label} (${percent(share)})`);
  const rest = missing.slice(MOST_SHOWN);
  const restShare = rest.reduce((sum, { share }) => sum + share, 0);
  if (rest.length > 0) shown.push(`${rest.length} more (${percent(restShare)} together)`);
  return [`Only in ${against.name}: ${shown.join(", ")}`];
}

function readingText({ against }: Flamegraph): string[] {
  const reading =
    "A box is as wide as its samples; below it stands what it called, and the width left bare there is its own";
  if (against === undefined) return [reading];
  return [
    reading,
    `Colours: how a frame's share of its worker differs from its share of all workers of ${against.name}; the same frame is one of the same name, place and callers. Alike: within ${NOISE_ERRORS} standard errors of both counts, or ${100 * LEAST_CHANGE} points`,
  ];
}

/** Name, file and line, as far as there is room: all, the name, the beginning of it, or nothing. */
export function labelWithin(box: Pick<Box, "name" | "place">, widthPx: number): string {
  const room = Math.floor((widthPx - 2 * INSET_PX) / LETTER_PX);
  const label = labelOf(box);
  if (label.length <= room) return label;
  const letters = [...printable(box.name)];
  if (letters.length <= room) return letters.join("");
  return room < LEAST_LETTERS ? "" : `${letters.slice(0, room - 1).join("")}…`;
}

/** Files of Node's own keep their path, as they may be called what others are. */
function labelOf({ name, place }: Pick<Box, "name" | "place">): string {
  if (place === undefined) return printable(name);
  return printable(
    `${name} · ${place.startsWith("node:") ? place : place.slice(place.lastIndexOf("/") + 1)}`,
  );
}

/** XML forbids most control characters, and a function may have any name. */
function printable(text: string): string {
  return text.replaceAll(/[^\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd");
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
