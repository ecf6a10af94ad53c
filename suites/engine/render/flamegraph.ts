import type { FlameNode, Part } from "../schema/flame-tree.ts";
// By path, not by its package name: the package is built when it is installed, and a picture must show today's source.
import { formatNumber } from "./benchmark-reporter-markdown/src/index.ts";
import { TONES } from "./dark.ts";
import {
  compare,
  FONT,
  FONT_PX,
  LETTER_PX,
  LINE_PX,
  PADDING_PX,
  PAGE_PX,
  WIDTH_PX,
  wrapped,
} from "./drawing.ts";

/**
 * A profile as a picture: every frame a box as wide as its samples, what it called in the row below, workers side by
 * side under the cell. No script: a page shows it as an image, and opened on its own it has tooltips, and its words can
 * be searched.
 *
 * The root is at the top, since a page is read from there: the workers stand under the title, and however deep a stack
 * goes, they stay where the eye begins.
 *
 * What a frame called stands in the same order under every worker, that of the samples of all workers together, so that
 * workers can be compared by eye. The bare width at the right of it is the frame's own.
 *
 * Colours, text and paper change together between light and dark: a host's own switch of theme does not reach an
 * image, so nothing may depend on the page around it.
 */
export interface Flamegraph {
  /** The cell: `pick/uniform-8/cas-ring/2w`. */
  readonly title: string;
  /** Samples, interval, windows; wrapped here. */
  readonly subtitle: readonly string[];
  /** Its root is the cell, whose children are the workers. */
  readonly tree: FlameNode;
  /** The profile that colours show the difference to; it may have another number of workers. */
  readonly against?: { readonly name: string; readonly tree: FlameNode };
  /** Machine, commit, what was left out; wrapped here. */
  readonly notes: readonly string[];
}

/** What a box's colour says: whose code it is or, beside another profile, how its share differs from that one's. */
type Fill = Part | Change | "gathered";

/** Of a frame's share of its worker, from that in the other profile. */
type Change = "much-more" | "more" | "alike" | "less" | "much-less";

/** #rrggbb, by the mode that a viewer prefers. */
interface Colours {
  readonly light: string;
  readonly dark: string;
}

/**
 * What ink is written on. Blue and orange are told apart by every kind of colour blindness, and both stand off the greys
 * that are drawn beside them.
 */
const FILLS: Readonly<Record<Fill, Colours>> = {
  structure: { light: "#f2a65e", dark: "#94480a" },
  engine: { light: "#a5cdee", dark: "#1f5687" },
  runtime: { light: "#c9c9c9", dark: "#4b5159" },
  thread: { light: "#ececec", dark: "#2b3036" },
  "much-more": { light: "#ec8b3f", dark: "#a34e08" },
  more: { light: "#f8cda6", dark: "#693c18" },
  alike: { light: "#d6d6d6", dark: "#464c54" },
  less: { light: "#bcdaf3", dark: "#1f4263" },
  "much-less": { light: "#6aaee0", dark: "#21659f" },
  gathered: { light: "#9f9f9f", dark: "#646a73" },
};

const ROW_PX = 18;
/** From a box's upper edge down to the line that letters stand on. */
const BASELINE_PX = 13;
/** From a box's edges to its text. */
const INSET_PX = 4;
/** Of paper between boxes, so that neighbours of one colour are two. */
const EDGE_PX = 0.6;
const TITLE_FONT_PX = 14;
/** Bold. */
const TITLE_LETTER_PX = 0.655 * TITLE_FONT_PX;
const SWATCH_PX = 12;
const LEGEND_GAP_PX = 18;
const BAND_GAP_PX = 10;
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
const SAYINGS: Readonly<Record<Fill, string>> = {
  structure: "structure: what competes",
  engine: "engine: suites and the batch loop",
  runtime: "runtime: Node, V8, the kernel",
  "much-more": `share larger by ${100 * MUCH_CHANGE} points or more`,
  more: "larger",
  alike: `alike: within ${NOISE_ERRORS} standard errors of both counts, or ${100 * LEAST_CHANGE} points`,
  less: "smaller",
  "much-less": `share smaller by ${100 * MUCH_CHANGE} points or more`,
  gathered: "several, each too narrow to be drawn",
  thread: "cell and workers",
};

/** Functions of each worker that are told in words. */
const MOST_OWN = 3;
/** Frames that differ, and frames that only the other profile has, that are told in words. */
const MOST_TOLD = 5;

/** A box: a frame of one worker, a worker, the cell, or siblings too narrow to be drawn. */
interface Drawn {
  readonly name: string;
  readonly place?: string;
  readonly part: Part | "gathered";
  readonly samples: number;
  /** Samples to the left of it. */
  readonly from: number;
  /** Rows above it. */
  readonly depth: number;
  /** Absent for the cell. */
  readonly worker?: FlameNode;
  /** Absent where nothing is compared: for workers, for what is gathered, and for a profile on its own. */
  readonly comparison?: Comparison;
}

interface Comparison {
  /** Of the frame in its worker. */
  readonly share: number;
  /** Of the frame with the same callers in all workers of the other profile together. */
  readonly otherShare: number;
  readonly change: Change;
}

/**
 * The picture as SVG, the same bytes everywhere.
 *
 * @throws {RangeError} if a profile has no samples, or a frame fewer than what it called.
 */
export function flamegraphSvg(picture: Flamegraph): string {
  const { title, subtitle, notes } = picture;
  const frames = drawnFrames(picture);
  const bands = [
    textBand([title], "title"),
    textBand([...subtitle, ...readingText(picture)], "quiet"),
    legendBand(frames),
    framesBand(frames, picture),
    textBand([...onlyThereText(picture), ...notes], "quiet"),
  ];
  const placed: string[] = [];
  let topPx = PADDING_PX;
  for (const { heightPx, body } of bands) {
    if (heightPx === 0) continue;
    placed.push(`<g transform="translate(${PADDING_PX},${topPx})">`, ...body, "</g>");
    topPx += heightPx + BAND_GAP_PX;
  }
  const size = `width="${PAGE_PX}" height="${topPx}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${PAGE_PX} ${topPx}" font-family="${FONT}" font-size="${FONT_PX}">`,
    `<title>${escaped(title)}</title>`,
    `<desc>${escaped(flamegraphAlt(picture))}</desc>`,
    `<style>${styleText()}</style>`,
    `<rect class="paper" ${size}/>`,
    ...placed,
    "</svg>",
    "",
  ].join("\n");
}

/**
 * The picture in words: which functions most of each worker's samples were in and, beside another profile, which frames
 * differ most.
 *
 * @throws {RangeError} as `flamegraphSvg`.
 */
export function flamegraphAlt(picture: Flamegraph): string {
  const { title, tree, against } = picture;
  const frames = drawnFrames(picture);
  const workers = tree.children.filter(({ samples }) => samples > 0);
  const own = workers.map((worker) => {
    const told = ownSamples(worker).slice(0, MOST_OWN);
    return `${worker.name}: ${told.map(({ name, samples }) => `${name} ${percent(samples / worker.samples)}`).join(", ")}`;
  });
  const words = [`Flamegraph of ${title}. Own time, ${own.join("; ")}`];
  if (against !== undefined) {
    const changed = frames
      .flatMap(({ name, worker, comparison }) =>
        comparison === undefined || comparison.change === "alike" ? [] : [{ name, worker, ...comparison }],
      )
      .toSorted(
        (a, b) =>
          Math.abs(b.share - b.otherShare) - Math.abs(a.share - a.otherShare) || compare(a.name, b.name),
      )
      .slice(0, MOST_TOLD)
      .map(
        ({ name, worker, share, otherShare }) =>
          `${name} ${percent(share)} of ${worker!.name} against ${percent(otherShare)}`,
      );
    const differences = changed.length === 0 ? "none beyond noise" : changed.join(", ");
    words.push(`Largest differences to ${against.name}: ${differences}`, ...onlyThereText(picture));
  }
  return words.join(". ");
}

/** Every box, callers before what they called, left to right. */
function drawnFrames({ title, tree, against }: Flamegraph): Drawn[] {
  refuseEmpty(tree, title);
  if (against !== undefined) refuseEmpty(against.tree, against.name);
  const order = joined(tree.children);
  const other = against === undefined ? undefined : joined(against.tree.children);
  const drawn: Drawn[] = [{ ...boxOf(joined([tree])), from: 0, depth: 0 }];
  let from = 0;
  for (const child of tree.children) {
    if (child.samples === 0) continue;
    const worker = joined([child]);
    drawn.push({ ...boxOf(worker), from, depth: 1, worker });
    drawn.push(...calledFrames(worker, order, other, from, 2, { worker, other, total: tree.samples }));
    from += worker.samples;
  }
  return drawn;
}

/** What is the same for all frames of a worker. */
interface Surroundings {
  readonly worker: FlameNode;
  /** All workers of the other profile together. */
  readonly other: FlameNode | undefined;
  /** Samples of the whole picture. */
  readonly total: number;
}

/**
 * The boxes of what a caller called, and of what that called. `order` is the frame with the same callers in all workers
 * together, `otherCaller` the one in the other profile, where it has one.
 */
function calledFrames(
  caller: FlameNode,
  order: FlameNode,
  otherCaller: FlameNode | undefined,
  left: number,
  depth: number,
  surroundings: Surroundings,
): Drawn[] {
  const { worker, other, total } = surroundings;
  const drawn: Drawn[] = [];
  const narrow: FlameNode[] = [];
  let from = left;
  for (const ordered of order.children) {
    const frame = sameFrame(caller, ordered);
    if (frame === undefined) continue;
    if ((frame.samples / total) * WIDTH_PX < LEAST_FRAME_PX) {
      narrow.push(frame);
      continue;
    }
    const otherFrame = sameFrame(otherCaller, ordered);
    const comparison =
      other === undefined
        ? {}
        : { comparison: compared(frame.samples, worker.samples, otherFrame?.samples ?? 0, other.samples) };
    drawn.push({ ...boxOf(frame), from, depth, worker, ...comparison });
    drawn.push(...calledFrames(frame, ordered, otherFrame, from, depth + 1, surroundings));
    from += frame.samples;
  }
  if (narrow.length > 0) {
    const name = `${narrow.length} more`;
    drawn.push({ name, part: "gathered", samples: sumOf(narrow), from, depth, worker });
  }
  return drawn;
}

function boxOf({ children, ...box }: FlameNode): Omit<FlameNode, "children"> {
  return box;
}

/** A frame of a caller, or nothing where it, or its caller, is not there. */
function sameFrame(caller: FlameNode | undefined, frame: FlameNode): FlameNode | undefined {
  return caller?.children.find((child) => keyOf(child) === keyOf(frame));
}

/**
 * Several frames as one, under the first one's name, and so what they called: callees of one name and place are one, the
 * largest first. What has no samples is left out.
 */
function joined(frames: readonly FlameNode[]): FlameNode {
  const callees = frames.flatMap(({ children }) => children).filter(({ samples }) => samples > 0);
  const children = [...Map.groupBy(callees, keyOf).values()]
    .map(joined)
    .toSorted((a, b) => b.samples - a.samples || compare(keyOf(a), keyOf(b)));
  const samples = sumOf(frames);
  if (sumOf(children) > samples) {
    throw new RangeError(
      `${frames[0]!.name} has ${samples} samples, and what it called ${sumOf(children)}: count callees in their caller`,
    );
  }
  return { ...frames[0]!, samples, children };
}

function keyOf({ name, place }: FlameNode): string {
  return JSON.stringify([name, place]);
}

function sumOf(frames: readonly FlameNode[]): number {
  return frames.reduce((sum, { samples }) => sum + samples, 0);
}

function refuseEmpty({ samples }: FlameNode, name: string): void {
  if (samples === 0) throw new RangeError(`the profile of ${name} has no samples: profile for longer`);
}

/** Two shares beside each other, given as samples out of all. */
function compared(samples: number, all: number, otherSamples: number, otherAll: number): Comparison {
  const share = samples / all;
  const otherShare = otherSamples / otherAll;
  const error = Math.sqrt((share * (1 - share)) / all + (otherShare * (1 - otherShare)) / otherAll);
  const difference = share - otherShare;
  const isMuch = Math.abs(difference) >= MUCH_CHANGE;
  if (Math.abs(difference) <= Math.max(LEAST_CHANGE, NOISE_ERRORS * error)) {
    return { share, otherShare, change: "alike" };
  }
  if (difference > 0) return { share, otherShare, change: isMuch ? "much-more" : "more" };
  return { share, otherShare, change: isMuch ? "much-less" : "less" };
}

/** Functions of a worker by the samples that were in them and in nothing they called, most first. */
function ownSamples(worker: FlameNode): { readonly name: string; readonly samples: number }[] {
  const byFunction = new Map<string, { name: string; samples: number }>();
  const count = (frame: FlameNode): void => {
    const own = frame.samples - sumOf(frame.children);
    const { samples } = byFunction.get(keyOf(frame)) ?? { samples: 0 };
    if (own > 0) byFunction.set(keyOf(frame), { name: labelOf(frame), samples: samples + own });
    for (const child of frame.children) count(child);
  };
  for (const child of worker.children) count(child);
  return [...byFunction.values()].toSorted((a, b) => b.samples - a.samples || compare(a.name, b.name));
}

/** Frames that only the other profile has, the topmost of each stack, in one line. */
function onlyThereText({ tree, against }: Flamegraph): string[] {
  if (against === undefined) return [];
  const there = joined(against.tree.children);
  const missing = missingFrames(there, joined(tree.children)).toSorted(
    (a, b) => b.samples - a.samples || compare(keyOf(a), keyOf(b)),
  );
  if (missing.length === 0) return [];
  const told = missing
    .slice(0, MOST_TOLD)
    .map((frame) => `${labelOf(frame)} (${percent(frame.samples / there.samples)})`);
  const rest = missing.slice(MOST_TOLD);
  if (rest.length > 0) told.push(`${rest.length} more (${percent(sumOf(rest) / there.samples)} together)`);
  return [`Only in ${against.name}: ${told.join(", ")}`];
}

function missingFrames(there: FlameNode, here: FlameNode): FlameNode[] {
  return there.children.flatMap((frame) => {
    const same = sameFrame(here, frame);
    return same === undefined ? [frame] : missingFrames(frame, same);
  });
}

function readingText({ against }: Flamegraph): string[] {
  const reading =
    "A box is as wide as its samples; below it stands what it called, and the width left bare there is its own";
  if (against === undefined) return [reading];
  return [
    reading,
    `Colours: how a frame's share of its worker differs from its share of all workers of ${against.name}; the same frame is one of the same name, place and callers`,
  ];
}

/** Lines of text and boxes, by what they take of the height. */
interface Band {
  readonly heightPx: number;
  readonly body: readonly string[];
}

function textBand(texts: readonly string[], look: "title" | "quiet"): Band {
  const [linePx, letterPx] =
    look === "title" ? [TITLE_FONT_PX + INSET_PX, TITLE_LETTER_PX] : [LINE_PX, LETTER_PX];
  const lines = texts.flatMap((text) => wrapped(text, WIDTH_PX, letterPx));
  return {
    heightPx: lines.length * linePx,
    body: lines.map(
      (line, index) => `<text class="${look}" y="${index * linePx + BASELINE_PX}">${escaped(line)}</text>`,
    ),
  };
}

/** The legend, of the colours that occur. */
function legendBand(frames: readonly Drawn[]): Band {
  const used = new Set(frames.map(fillOf));
  const entries = (Object.keys(SAYINGS) as Fill[]).filter((fill) => used.has(fill));
  const widthPx = (fill: Fill) => SWATCH_PX + INSET_PX + SAYINGS[fill].length * LETTER_PX;
  const rows = flowed(entries, widthPx, LEGEND_GAP_PX);
  const body = rows.flatMap((row, index) => {
    let leftPx = 0;
    return row.map((fill) => {
      const topPx = index * ROW_PX;
      const swatch = `<rect x="${tenths(leftPx)}" y="${topPx + 3}" width="${SWATCH_PX}" height="${SWATCH_PX}"/>`;
      const text = `<text x="${tenths(leftPx + SWATCH_PX + INSET_PX)}" y="${topPx + BASELINE_PX}">${escaped(SAYINGS[fill])}</text>`;
      leftPx += widthPx(fill) + LEGEND_GAP_PX;
      return `<g class="${fill}">${swatch}${text}</g>`;
    });
  });
  return { heightPx: rows.length * ROW_PX, body };
}

function framesBand(frames: readonly Drawn[], picture: Flamegraph): Band {
  const depth = Math.max(...frames.map((frame) => frame.depth)) + 1;
  return { heightPx: depth * ROW_PX, body: frames.map((frame) => frameText(frame, picture)) };
}

function frameText(frame: Drawn, picture: Flamegraph): string {
  const pxAt = (samples: number) => tenths((samples / picture.tree.samples) * WIDTH_PX);
  const leftPx = pxAt(frame.from);
  // From rounded edge to rounded edge, so that neighbours meet.
  const widthPx = tenths(pxAt(frame.from + frame.samples) - leftPx);
  const topPx = frame.depth * ROW_PX;
  const label = labelWithin(frame, widthPx);
  const text =
    label === ""
      ? ""
      : `<text x="${tenths(leftPx + INSET_PX)}" y="${topPx + BASELINE_PX}">${escaped(label)}</text>`;
  const rect = `<rect x="${leftPx}" y="${topPx}" width="${widthPx}" height="${ROW_PX}"/>`;
  return `<g class="${fillOf(frame)}"><title>${escaped(tooltipText(frame, picture))}</title>${rect}${text}</g>`;
}

function fillOf({ part, comparison }: Drawn): Fill {
  return comparison?.change ?? part;
}

function tooltipText(frame: Drawn, { tree, against }: Flamegraph): string {
  const { name, place, samples, depth, worker, comparison } = frame;
  const words = [
    `${place === undefined ? name : `${name} (${place})`}: ${formatNumber(samples)} sample${samples === 1 ? "" : "s"}`,
  ];
  if (worker !== undefined && depth > 1) words.push(`${percent(samples / worker.samples)} of ${worker.name}`);
  if (worker !== undefined) words.push(`${percent(samples / tree.samples)} of all`);
  if (comparison !== undefined) {
    const { otherShare } = comparison;
    words.push(`${otherShare === 0 ? "none" : percent(otherShare)} in ${against!.name}`);
  }
  return words.join(", ");
}

/** Name, file and line, as far as there is room: all, the name, the beginning of it, or nothing. */
function labelWithin(frame: Drawn, widthPx: number): string {
  const room = Math.floor((widthPx - 2 * INSET_PX) / LETTER_PX);
  const label = labelOf(frame);
  if (label.length <= room) return label;
  const letters = [...frame.name];
  if (letters.length <= room) return frame.name;
  return room < LEAST_LETTERS ? "" : `${letters.slice(0, room - 1).join("")}…`;
}

/** Files of Node's own keep their path, as they may be called what others are. */
function labelOf({ name, place }: Pick<Drawn, "name" | "place">): string {
  if (place === undefined) return name;
  return `${name} · ${place.startsWith("node:") ? place : place.slice(place.lastIndexOf("/") + 1)}`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** Finer than any eye, and coarse enough to be short. */
function tenths(px: number): number {
  return Math.round(10 * px) / 10;
}

function styleText(): string {
  const rules = (mode: keyof Colours) =>
    [
      `.paper{fill:${TONES.paper[mode]}}`,
      `text{fill:${TONES.ink[mode]}}`,
      `.quiet{fill:${TONES.mutedInk[mode]}}`,
      `g rect{stroke:${TONES.paper[mode]}}`,
      ...Object.entries(FILLS).map(([fill, colours]) => `.${fill} rect{fill:${colours[mode]}}`),
    ].join("");
  return `g rect{stroke-width:${EDGE_PX}px}.title{font-size:${TITLE_FONT_PX}px;font-weight:bold}${rules("light")}@media (prefers-color-scheme:dark){${rules("dark")}}`;
}

/** Items in rows of the picture's width, as many in each as fit side by side. */
function flowed<T>(items: readonly T[], widthOf: (item: T) => number, gapPx: number): T[][] {
  const rows: T[][] = [];
  let usedPx = 0;
  for (const item of items) {
    const row = rows.at(-1);
    if (row !== undefined && usedPx + gapPx + widthOf(item) <= WIDTH_PX) {
      row.push(item);
      usedPx += gapPx + widthOf(item);
    } else {
      rows.push([item]);
      usedPx = widthOf(item);
    }
  }
  return rows;
}

/** For XML, which also forbids most control characters; a function may have any name. */
function escaped(text: string): string {
  return text
    .replaceAll(/[^\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
