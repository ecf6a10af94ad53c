import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { golden } from "../../engine/golden.trials.ts";
import type { FlameNode } from "../schema/flame.ts";
import { drawSvg, LETTER_PX } from "./drawing.ts";
import { type Box, boxesOf, type Flamegraph, flamegraphSpec, labelWithin } from "./flamegraph.ts";
import { assertWhole } from "./races.synthetic.ts";

const RUNS = { seed: 7, numRuns: 60 };

/** A frame with samples of its own and the samples of what it called. */
function frame(name: string, own: number, ...children: FlameNode[]): FlameNode {
  return {
    name,
    place: `structures/pick/${name}.ts:42`,
    part: "structure",
    samples: children.reduce((sum, { samples }) => sum + samples, own),
    children,
  };
}

/** The cell, or one of its workers. */
function thread(name: string, ...children: FlameNode[]): FlameNode {
  const { place: _, ...rest } = frame(name, 0, ...children);
  return { ...rest, part: "thread" };
}

function cell(...workers: FlameNode[][]): FlameNode {
  return thread("cell", ...workers.map((frames, index) => thread(`worker ${index}`, ...frames)));
}

function pictureOf(tree: FlameNode, other?: FlameNode): Flamegraph {
  const against = other === undefined ? {} : { against: { name: "the other", tree: other } };
  return { title: "pick/uniform-8/cas-ring/2w", subtitle: ["Samples"], tree, notes: ["Machine"], ...against };
}

/** Trees of several workers, with frames of a thousand samples and of one, and names that workers share. */
const trees = fc
  .array(
    fc.letrec<{ frames: FlameNode[] }>((tie) => ({
      frames: fc
        .uniqueArray(
          fc.tuple(
            fc.constantFrom("take", "next", "check", "a name that is too long for almost any box", "spin"),
            fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 100, max: 3000 })),
            fc.oneof({ depthSize: "small", withCrossShrink: true }, fc.constant([]), tie("frames")),
          ),
          { selector: ([name]) => name, maxLength: 5 },
        )
        .map((those) => those.map(([name, own, children]) => frame(name, own, ...(children as FlameNode[])))),
    })).frames,
    { minLength: 1, maxLength: 4 },
  )
  .map((workers) => cell(...workers))
  .filter(({ samples }) => samples > 0);

/** What is drawn after a box, until another of its row or of one above it, belongs to it. */
function boxesBelow(box: Box, boxes: readonly Box[]): Box[] {
  const after = boxes.slice(boxes.indexOf(box) + 1);
  const end = after.findIndex(({ depth }) => depth <= box.depth);
  return after.slice(0, end < 0 ? after.length : end).filter(({ depth }) => depth === box.depth + 1);
}

async function svgOf(picture: Flamegraph): Promise<string> {
  const svg = await drawSvg(flamegraphSpec(picture), "flame");
  assertWhole(svg);
  return svg;
}

/** Its frames have shares from a half to a tenth. */
const MUCH = cell(
  [frame("loop", 14_000, frame("next", 60_000), frame("check", 6_000)), frame("rest", 20_000)],
  [1, 2, 3, 4, 5, 6, 7].map((share) => frame(`f${share}`, 10_000 * share)),
);

describe("a flamegraph", () => {
  it("loses no sample: below a box, side by side, are all that it called, what is gathered among them", () => {
    let gatheredSeen = 0;
    const account = (caller: FlameNode, box: Box, boxes: readonly Box[]): void => {
      assert.equal(box.samples, caller.samples);
      let { from } = box;
      for (const below of boxesBelow(box, boxes)) {
        assert.equal(below.from, from);
        from += below.samples;
        const node = caller.children.find(({ name }) => name === below.name);
        if (node !== undefined) account(node, below, boxes);
        else assert.equal(below.fill, "gathered");
        gatheredSeen += node === undefined ? 1 : 0;
      }
      const called = caller.children.reduce((sum, { samples }) => sum + samples, 0);
      assert.equal(from - box.from, called, box.name);
    };
    fc.assert(
      fc.property(trees, (tree) => {
        const boxes = boxesOf(pictureOf(tree));
        account(tree, boxes[0]!, boxes);
      }),
      RUNS,
    );
    assert.ok(gatheredSeen > 0);
  });

  it("has what a frame called in the same order under every worker: of all samples, not its own", () => {
    const tree = cell(
      [frame("loop", 0, frame("few", 50), frame("many", 40))],
      [frame("loop", 0, frame("few", 10), frame("many", 200), frame("only here", 30))],
    );
    const names = boxesOf(pictureOf(tree)).filter(({ depth }) => depth === 3);
    assert.deepEqual(
      names.map(({ name }) => name),
      ["many", "few", "many", "few", "only here"],
    );
  });

  it("writes name, file and line where they fit, then the name, then its beginning, then nothing", () => {
    const box = { name: "a-long-name-of-a-function", place: "a/b/file.ts:7" };
    assert.equal(labelWithin(box, 30), "");
    assert.equal(labelWithin(box, 80), "a-long…");
    assert.equal(labelWithin(box, 250), box.name);
    assert.equal(labelWithin(box, 400), "a-long-name-of-a-function · file.ts:7");
    const node = { name: "hrtime", place: "node:internal/process/per_thread:71" };
    assert.equal(labelWithin(node, 450), "hrtime · node:internal/process/per_thread:71");
    for (let widthPx = 0; widthPx < 400; widthPx++) {
      assert.ok(labelWithin(box, widthPx).length * LETTER_PX <= Math.max(0, widthPx - 8));
    }
  });

  it("has one worker below the other, and beside another profile what differs, also in words", async (t) => {
    const tree = cell(
      [frame("loop", 10, frame("next", 60, frame("spin", 10)), frame("spin", 15), frame("fourth", 5))],
      [frame("loop", 5, frame("check", 95))],
    );
    const missing = [1, 2, 3, 4, 5, 6, 7].map((size) =>
      frame(`gone-${size}`, size, frame(`below-${size}`, size)),
    );
    golden(t, "testdata/flame-alone.svg", await svgOf(pictureOf(tree)));
    golden(t, "testdata/flame-beside-itself.svg", await svgOf(pictureOf(tree, tree)));
    const other = cell([frame("loop", 144, ...missing)]);
    golden(t, "testdata/flame-beside-another.svg", await svgOf(pictureOf(MUCH, other)));
  });

  it("is well-formed whatever functions are called", async () => {
    const name = `<script>alert("&amp;'")</script>\u0000\ud800]]>`;
    const picture = pictureOf(cell([{ ...frame(name, 10), place: `a"<&>.ts:1` }]));
    const svg = await svgOf(picture);
    assert.doesNotMatch(svg, /<script|[\0\ud800]/);
    assert.ok(svg.includes("&lt;script&gt;alert"));
    for (const [entity] of svg.matchAll(/&[^;]{0,5};?/g))
      assert.match(entity, /^&(amp|lt|gt|quot|apos|#\d+);$/);
  });

  it("is the same bytes whenever it is drawn, and in whatever order frames were counted", async () => {
    const reversed = (node: FlameNode): FlameNode => ({
      ...node,
      children: node.name === "cell" ? node.children.map(reversed) : node.children.map(reversed).toReversed(),
    });
    const [tree] = fc.sample(trees, { seed: 7, numRuns: 1 });
    const svg = await svgOf(pictureOf(tree!, tree!));
    assert.equal(await svgOf(pictureOf(reversed(tree!), reversed(tree!))), svg);
    fc.assert(
      fc.property(trees, (any) => {
        assert.deepEqual(boxesOf(pictureOf(reversed(any), reversed(any))), boxesOf(pictureOf(any, any)));
      }),
      RUNS,
    );
  });

  it("stays under 60 kB with thousands of frames", async () => {
    const stack = (depth: number, own: number): FlameNode =>
      depth === 0
        ? frame("leaf", own)
        : frame(
            `called-at-depth-${depth}`,
            own,
            ...[1, 2, 3, 4].map((index) => ({
              ...stack(depth - 1, own / 4 ** index),
              name: `called-${depth}-${index}`,
            })),
          );
    const worker = [stack(6, 4 ** 24)];
    const picture = pictureOf(cell(worker, worker));
    assert.ok(boxesOf(picture).length > 50, "many are wide enough to be drawn");
    const bytes = Buffer.byteLength(await svgOf(picture));
    assert.ok(bytes < 60_000, `${bytes} bytes`);
  });
});

describe("a flamegraph beside another profile", () => {
  it("is grey all over if both are the same", () => {
    fc.assert(
      fc.property(trees, (tree) => {
        // Workers of one profile differ from all its workers together, so that one is taken.
        const alone = thread("cell", tree.children.toSorted((a, b) => b.samples - a.samples)[0]!);
        for (const { fill, name } of boxesOf(pictureOf(alone, alone)))
          assert.ok(["thread", "alike", "gathered"].includes(fill), name);
      }),
      RUNS,
    );
  });

  it("is orange where a frame has a larger share than there, and blue where a smaller one, beyond noise", (t) => {
    /** A worker with these frames, by how many samples each has. */
    const flat = (...samples: readonly Readonly<Record<string, number>>[]) =>
      cell(...samples.map((one) => Object.entries(one).map(([name, own]) => frame(name, own))));
    const half = (samples: number, share: number) =>
      flat({ next: samples * share, rest: samples * (1 - share) });
    const cases: Readonly<Record<string, readonly [here: FlameNode, there: FlameNode]>> = {
      "more and less": [
        flat({ "much up": 30_000, up: 12_000, same: 20_000, down: 8_000, "much down": 30_000 }),
        flat({ "much up": 20_000, up: 10_000, same: 20_100, down: 10_000, "much down": 39_900 }),
      ],
      // Of 1,000 samples and 1,000, three standard errors of a half are 6.7 points; of 100,000, 0.7.
      "noise of 1,000": [half(1000, 0.55), half(1000, 0.5)],
      "no noise of 100,000": [half(100_000, 0.55), half(100_000, 0.5)],
      "noise of the other": [half(100_000, 0.51), half(1000, 0.5)],
      "one point of 100,000": [half(100_000, 0.51), half(100_000, 0.5)],
      // Of ten million samples all but nothing is explained, and 0.4 points are not worth a colour.
      "0.4 points of ten million": [half(1e7, 0.504), half(1e7, 0.5)],
      "0.6 points of ten million": [half(1e7, 0.506), half(1e7, 0.5)],
      "each worker beside all workers there": [
        flat({ next: 40_000, rest: 60_000 }, { next: 80_000, rest: 20_000 }),
        flat(...[50_000, 60_000, 70_000].map((next) => ({ next, rest: 100_000 - next }))),
      ],
      "a frame is known by its callers, not by its name alone": [
        cell([frame("a", 0, frame("spin", 5_000)), frame("b", 5_000)]),
        cell([frame("b", 0, frame("spin", 5_000)), frame("a", 5_000)]),
      ],
    };
    const lines = Object.entries(cases).map(([name, [here, there]]) => {
      const boxes = boxesOf(pictureOf(here, there)).map(
        ({ name, fill, comparison }) =>
          `${name}: ${fill}${comparison === undefined ? "" : ` ${JSON.stringify(comparison)}`}`,
      );
      return `${name}\n  ${boxes.join("\n  ")}\n`;
    });
    golden(t, "testdata/flame-fills.txt", lines.join("\n"));
  });
});
