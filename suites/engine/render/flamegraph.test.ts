import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { FlameNode } from "../schema/flame-tree.ts";
import { TONES } from "./dark.ts";
import { LETTER_PX, WIDTH_PX } from "./drawing.ts";
import { type Flamegraph, flamegraphAlt, flamegraphSvg } from "./flamegraph.ts";

const ROW_PX = 18;
/** Positions are rounded to tenths. */
const ROUNDING_PX = 0.1001;
const RUNS = { seed: 7, numRuns: 60 };

/** A frame with samples of its own and those of what it called. */
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

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };

function unescaped(text: string): string {
  // Anything but the four entities is not well-formed here.
  return text.replaceAll(/&([^;]*);?/g, (_, entity) => {
    assert.ok(entity in ENTITIES, `&${entity};`);
    return ENTITIES[entity]!;
  });
}

/** The root of an XML text, or a failed assertion where it is not well-formed. */
function parsed(xml: string): Element {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML forbids them.
  assert.doesNotMatch(xml, /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/);
  const token = /<\/(\w+)>|<(\w+)((?: [\w:-]+="[^"<]*")*)(\/?)>|([^<>]+)/y;
  const document: Element = { name: "", attributes: {}, children: [], text: "" };
  const open = [document];
  while (token.lastIndex < xml.length) {
    const at = token.lastIndex;
    const match = token.exec(xml);
    assert.ok(match !== null, `no XML: ${xml.slice(at, at + 60)}`);
    const [, closing, opening, attributes, empty, text] = match;
    if (closing !== undefined) assert.equal(open.pop()!.name, closing);
    if (text !== undefined) open.at(-1)!.text += unescaped(text);
    if (opening === undefined) continue;
    const pairs = [...attributes!.matchAll(/([\w:-]+)="([^"]*)"/g)].map(
      ([, key, value]) => [key!, unescaped(value!)] as const,
    );
    assert.equal(new Set(pairs.map(([key]) => key)).size, pairs.length, match[0]);
    const element: Element = {
      name: opening,
      attributes: Object.fromEntries(pairs),
      children: [],
      text: "",
    };
    open.at(-1)!.children.push(element);
    if (empty === "") open.push(element);
  }
  assert.deepEqual(open, [document]);
  assert.equal(document.children.length, 1);
  return document.children[0]!;
}

interface Box {
  readonly fill: string;
  readonly title: string;
  readonly name: string;
  readonly samples: number;
  readonly leftPx: number;
  readonly rightPx: number;
  readonly row: number;
  readonly text: string;
}

function elementsIn(element: Element): Element[] {
  return [element, ...element.children.flatMap(elementsIn)];
}

function boxesOf(svg: string): Box[] {
  return elementsIn(parsed(svg)).flatMap(({ name, attributes, children }) => {
    const [title, rect, text] = children;
    if (name !== "g" || title?.name !== "title") return [];
    const told = /^(.*?)(?: \([^()]*:\d+\))?: ([\d,]+) samples?(?:, |$)/s.exec(title.text);
    assert.ok(told !== null, title.text);
    const leftPx = Number(rect!.attributes.x);
    return {
      fill: attributes.class!,
      title: title.text,
      name: told[1]!,
      samples: Number(told[2]!.replaceAll(",", "")),
      leftPx,
      rightPx: leftPx + Number(rect!.attributes.width),
      row: Number(rect!.attributes.y) / ROW_PX,
      text: text?.text ?? "",
    };
  });
}

function boxCalled(svg: string, name: string): Box {
  const found = boxesOf(svg).filter((box) => box.name === name);
  assert.equal(found.length, 1, `${found.length} boxes of ${name}`);
  return found[0]!;
}

function contains(outer: Box, inner: Box): boolean {
  return inner.leftPx > outer.leftPx - 1e-6 && inner.rightPx < outer.rightPx + 1e-6;
}

/** What is drawn after a box, until another of its row or of one above it, belongs to it. */
function boxesBelow(box: Box, boxes: readonly Box[]): Box[] {
  const after = boxes.slice(boxes.indexOf(box) + 1);
  const end = after.findIndex(({ row }) => row <= box.row);
  return after.slice(0, end < 0 ? after.length : end).filter(({ row }) => row === box.row + 1);
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

describe("a flamegraph", () => {
  it("has boxes as wide as their samples, within their callers, beside one another", () => {
    fc.assert(
      fc.property(trees, (tree) => {
        const boxes = boxesOf(flamegraphSvg(pictureOf(tree)));
        for (const box of boxes) {
          const widthPx = (box.samples / tree.samples) * WIDTH_PX;
          assert.ok(Math.abs(box.rightPx - box.leftPx - widthPx) < ROUNDING_PX, box.title);
          for (const called of boxesBelow(box, boxes)) assert.ok(contains(box, called), called.title);
        }
        for (const row of Map.groupBy(boxes, (box) => box.row).values()) {
          const ordered = row.toSorted((a, b) => a.leftPx - b.leftPx || a.rightPx - b.rightPx);
          ordered.forEach((box, index) => {
            assert.ok(index === 0 || box.leftPx > ordered[index - 1]!.rightPx - 1e-6, box.title);
          });
        }
      }),
      RUNS,
    );
  });

  it("loses no sample: below a box, and in what is gathered there, are those of all that it called", () => {
    let gatheredSeen = 0;
    const account = (caller: FlameNode, box: Box, boxes: readonly Box[]): void => {
      const below = boxesBelow(box, boxes);
      const called = caller.children.filter(({ samples }) => samples > 0);
      const sum = (those: readonly { samples: number }[]) =>
        those.reduce((total, { samples }) => total + samples, 0);
      assert.equal(box.samples, caller.samples);
      assert.equal(sum(below), sum(called), box.title);
      const gathered = below.filter(({ fill }) => fill === "gathered");
      gatheredSeen += gathered.length;
      const more = gathered.map(({ name }) => Number(/^(\d+) more$/.exec(name)![1]));
      assert.equal(below.length - gathered.length + (more[0] ?? 0), called.length);
      assert.ok(gathered.length <= 1);
      for (const one of below) {
        const node = called.find(({ name }) => name === one.name);
        if (node !== undefined) account(node, one, boxes);
        else assert.equal(one.fill, "gathered");
      }
    };
    fc.assert(
      fc.property(trees, (tree) => {
        const boxes = boxesOf(flamegraphSvg(pictureOf(tree)));
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
    const names = boxesOf(flamegraphSvg(pictureOf(tree))).filter(({ row }) => row === 3);
    assert.deepEqual(
      names.map(({ name }) => name),
      ["many", "few", "many", "few", "only here"],
    );
  });

  it("says in tooltips what a frame is, how many samples, and their shares", () => {
    const tree = cell([frame("next", 1234), frame("rest", 8766)], [frame("rest", 10000)]);
    const svg = flamegraphSvg(pictureOf(tree));
    const titles = boxesOf(svg).map(({ title }) => title);
    assert.deepEqual(titles.slice(0, 2), ["cell: 20,000 samples", "worker 0: 10,000 samples, 50.0 % of all"]);
    assert.ok(
      titles.includes("next (structures/pick/next.ts:42): 1,234 samples, 12.3 % of worker 0, 6.2 % of all"),
      titles.join("\n"),
    );
  });

  it("joins what a frame called under one name from one place, and nothing from another", () => {
    const elsewhere = { ...frame("next", 30), place: "structures/pick/next.ts:43" };
    const tree = cell([
      frame("loop", 0, frame("next", 50, frame("spin", 5)), frame("next", 60, frame("spin", 7)), elsewhere),
    ]);
    const svg = flamegraphSvg(pictureOf(tree));
    assert.equal(boxCalled(svg, "spin").samples, 12);
    assert.deepEqual(
      boxesOf(svg).flatMap(({ name, samples }) => (name === "next" ? [samples] : [])),
      [122, 30],
    );
  });

  it("has no box of what has no samples", () => {
    const tree = cell([frame("next", 10), frame("never", 0)], [frame("never", 0)]);
    const names = boxesOf(flamegraphSvg(pictureOf(tree))).map(({ name }) => name);
    assert.deepEqual(names, ["cell", "worker 0", "next"]);
  });

  it("writes name, file and line where they fit, then the name, then its beginning, then nothing", () => {
    const long = "a-long-name-of-a-function";
    const texts = [4, 6, 12, 97].map((percent) => {
      const tree = cell([{ ...frame(long, percent), place: "a/b/file.ts:7" }, frame("rest", 100 - percent)]);
      return boxCalled(flamegraphSvg(pictureOf(tree)), long).text;
    });
    assert.equal(texts[0], "");
    assert.match(texts[1]!, /^a-l.*…$/);
    assert.match(texts[2]!, /^a-long.*…$/);
    assert.equal(texts[3], `${long} · file.ts:7`);
    assert.ok(texts[1]!.length < texts[2]!.length);
    const node = cell([{ ...frame("hrtime", 1), place: "node:internal/process/per_thread:71" }]);
    assert.equal(
      boxCalled(flamegraphSvg(pictureOf(node)), "hrtime").text,
      "hrtime · node:internal/process/per_thread:71",
    );
  });

  it("has no text wider than its box", () => {
    fc.assert(
      fc.property(trees, (tree) => {
        for (const { text, leftPx, rightPx } of boxesOf(flamegraphSvg(pictureOf(tree)))) {
          assert.ok(text === "" || text.length * LETTER_PX <= rightPx - leftPx - 8 + ROUNDING_PX, text);
        }
      }),
      RUNS,
    );
  });

  it("wraps what stands above and below it", () => {
    const words = Array.from({ length: 60 }, (_, index) => `word-${index}`);
    const picture = {
      ...pictureOf(cell([frame("next", 1)])),
      title: words.join(" "),
      notes: [words.join(" ")],
    };
    const lines = elementsIn(parsed(flamegraphSvg(picture))).flatMap(({ name, text }) =>
      name === "text" && text.includes("word-") ? [text] : [],
    );
    assert.deepEqual(lines.join(" ").split(" "), [...words, ...words]);
    assert.ok(lines.length > 4 && lines.every((line) => line.length * LETTER_PX <= WIDTH_PX));
  });

  it("is well-formed whatever functions are called", () => {
    const name = `<script>alert("&amp;'")</script>\u0000\ud800]]>`;
    const tree = cell([{ ...frame(name, 10), place: `a"<&>.ts:1` }, frame("rest", 1)]);
    const picture = { ...pictureOf(tree, cell([{ ...frame(name, 10), place: `b"<&>.ts:1` }])), title: name };
    const svg = parsed(flamegraphSvg({ ...picture, subtitle: [name], notes: [name] }));
    const texts = elementsIn(svg).map(({ text }) => text);
    const shown = name.replace("\u0000", "\ufffd").replace("\ud800", "\ufffd");
    assert.equal(texts.filter((text) => text === shown).length, 4, "the title twice, subtitle and note");
    assert.equal(texts.filter((text) => text.startsWith(`${shown} (a"<&>.ts:1): 10 samples`)).length, 1);
    assert.ok(texts.some((text) => text.startsWith("Only in the other:") && text.includes(shown)));
    assert.ok(!elementsIn(svg).some(({ name }) => name === "script"));
  });

  it("is the same bytes whenever it is drawn, and in whatever order frames were counted", () => {
    const reversed = (node: FlameNode): FlameNode => ({
      ...node,
      children:
        node.part === "thread" && node.name === "cell"
          ? node.children.map(reversed)
          : node.children.map(reversed).toReversed(),
    });
    fc.assert(
      fc.property(trees, (tree) => {
        const svg = flamegraphSvg(pictureOf(tree, tree));
        assert.equal(flamegraphSvg(structuredClone(pictureOf(tree, tree))), svg);
        assert.equal(flamegraphSvg(pictureOf(reversed(tree), reversed(tree))), svg);
      }),
      RUNS,
    );
  });

  it("stays under 60 kB with thousands of frames", () => {
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
    const bytes = Buffer.byteLength(flamegraphSvg(pictureOf(cell(worker, worker))));
    assert.ok(bytes < 60_000, `${bytes} bytes`);
    assert.ok(bytes > 10_000, `${bytes} bytes are no test`);
  });

  it("refuses what has no samples, and what cannot be", () => {
    const some = cell([frame("next", 1)]);
    const none = cell([frame("next", 0)]);
    const impossible = cell([{ ...frame("next", 1, frame("spin", 5)), samples: 4 }]);
    for (const draw of [flamegraphSvg, flamegraphAlt]) {
      assert.throws(() => draw(pictureOf(none)), {
        message: "the profile of pick/uniform-8/cas-ring/2w has no samples: profile for longer",
      });
      assert.throws(() => draw(pictureOf(some, none)), {
        message: "the profile of the other has no samples: profile for longer",
      });
      assert.throws(() => draw(pictureOf(impossible)), /next has 4 samples, and what it called 5: /);
      assert.throws(() => draw(pictureOf(some, impossible)), /next has 4 samples, and what it called 5: /);
    }
  });

  it("tells in words which functions each worker was in", () => {
    const tree = cell(
      [frame("loop", 10, frame("next", 60, frame("spin", 10)), frame("spin", 15), frame("fourth", 5))],
      [frame("loop", 5, frame("check", 95))],
    );
    assert.equal(
      flamegraphAlt(pictureOf(tree)),
      "Flamegraph of pick/uniform-8/cas-ring/2w. Own time, worker 0: next · next.ts:42 60.0 %, spin · spin.ts:42 25.0 %, loop · loop.ts:42 10.0 %; worker 1: check · check.ts:42 95.0 %, loop · loop.ts:42 5.0 %",
    );
  });
});

describe("a flamegraph beside another profile", () => {
  const fillsBeside = (tree: FlameNode, other: FlameNode): Record<string, string> =>
    Object.fromEntries(boxesOf(flamegraphSvg(pictureOf(tree, other))).map(({ name, fill }) => [name, fill]));

  it("is grey all over if both are the same", () => {
    fc.assert(
      fc.property(trees, (tree) => {
        // Workers of one profile differ from all its workers together, so that one is taken.
        const alone = thread("cell", tree.children.toSorted((a, b) => b.samples - a.samples)[0]!);
        for (const { fill, title } of boxesOf(flamegraphSvg(pictureOf(alone, alone))))
          assert.ok(["thread", "alike", "gathered"].includes(fill), title);
      }),
      RUNS,
    );
  });

  it("is orange where a frame has a larger share than there, blue where it has a smaller one", () => {
    const here = cell([
      frame("much up", 30_000),
      frame("up", 12_000),
      frame("same", 20_000),
      frame("down", 8_000),
      frame("much down", 30_000),
    ]);
    const there = cell([
      frame("much up", 20_000),
      frame("up", 10_000),
      frame("same", 20_100),
      frame("down", 10_000),
      frame("much down", 39_900),
    ]);
    assert.deepEqual(fillsBeside(here, there), {
      cell: "thread",
      "worker 0": "thread",
      "much up": "much-more",
      up: "more",
      same: "alike",
      down: "less",
      "much down": "much-less",
    });
  });

  it("takes for a difference what counting does not explain", () => {
    const half = (samples: number, share: number) =>
      cell([frame("next", samples * share), frame("rest", samples * (1 - share))]);
    // Of 1,000 samples and 1,000, three standard errors of a half are 6.7 points; of 100,000, 0.7.
    assert.equal(fillsBeside(half(1000, 0.55), half(1000, 0.5)).next, "alike");
    assert.equal(fillsBeside(half(100_000, 0.55), half(100_000, 0.5)).next, "much-more");
    assert.equal(fillsBeside(half(100_000, 0.51), half(1000, 0.5)).next, "alike");
    assert.equal(fillsBeside(half(100_000, 0.51), half(100_000, 0.5)).next, "more");
    // Of ten million samples all but nothing is explained, and 0.4 points are not worth a colour.
    assert.equal(fillsBeside(half(1e7, 0.504), half(1e7, 0.5)).next, "alike");
    assert.equal(fillsBeside(half(1e7, 0.506), half(1e7, 0.5)).next, "more");
  });

  it("compares each worker with all workers there, however many", () => {
    const worker = (share: number) => [frame("next", 100_000 * share), frame("rest", 100_000 * (1 - share))];
    const boxes = boxesOf(
      flamegraphSvg(pictureOf(cell(worker(0.4), worker(0.8)), cell(worker(0.5), worker(0.6), worker(0.7)))),
    ).filter(({ name }) => name === "next");
    assert.deepEqual(
      boxes.map(({ fill, title }) => [fill, title.replace(/^.*samples, /, "")]),
      [
        ["much-less", "40.0 % of worker 0, 20.0 % of all, 60.0 % in the other"],
        ["much-more", "80.0 % of worker 1, 40.0 % of all, 60.0 % in the other"],
      ],
    );
  });

  it("knows a frame again by its callers, not by its name alone", () => {
    const here = cell([frame("a", 0, frame("spin", 5_000)), frame("b", 5_000)]);
    const there = cell([frame("b", 0, frame("spin", 5_000)), frame("a", 5_000)]);
    const svg = flamegraphSvg(pictureOf(here, there));
    assert.match(boxCalled(svg, "spin").title, /, none in the other$/);
    assert.equal(boxCalled(svg, "spin").fill, "much-more");
    assert.equal(boxCalled(svg, "a").fill, "alike");
  });

  it("lists what only the other has: the topmost frames, the largest by name, the rest together", () => {
    const here = cell([frame("loop", 100)]);
    const missing = [1, 2, 3, 4, 5, 6, 7].map((size) =>
      frame(`gone-${size}`, size, frame(`below-${size}`, size)),
    );
    const picture = pictureOf(here, cell([frame("loop", 144, ...missing)]));
    const told =
      "Only in the other: gone-7 · gone-7.ts:42 (7.0 %), gone-6 · gone-6.ts:42 (6.0 %), gone-5 · gone-5.ts:42 (5.0 %), gone-4 · gone-4.ts:42 (4.0 %), gone-3 · gone-3.ts:42 (3.0 %), 2 more (3.0 % together)";
    const texts = elementsIn(parsed(flamegraphSvg(picture))).map(({ name, text }) =>
      name === "text" ? text : "",
    );
    assert.ok(texts.join(" ").includes(told), texts.join("\n"));
    assert.ok(flamegraphAlt(picture).endsWith(told), flamegraphAlt(picture));
    assert.ok(!flamegraphSvg(pictureOf(here, here)).includes("Only in"));
  });

  it("tells in words where it differs most", () => {
    const here = cell([
      frame("loop", 14_000, frame("next", 60_000), frame("check", 6_000)),
      frame("rest", 20_000),
    ]);
    const there = cell([
      frame("loop", 27_000, frame("next", 50_000), frame("check", 3_000)),
      frame("rest", 20_000),
    ]);
    assert.match(
      flamegraphAlt(pictureOf(here, there)),
      /\. Largest differences to the other: next 60\.0 % of worker 0 against 50\.0 %, check 6\.0 % of worker 0 against 3\.0 %$/,
    );
    assert.match(
      flamegraphAlt(pictureOf(here, here)),
      /\. Largest differences to the other: none beyond noise$/,
    );
    const turned = (shares: readonly number[]) =>
      cell(shares.map((share, index) => frame(`f${index}`, 10_000 * share)));
    const many = flamegraphAlt(pictureOf(turned([1, 2, 3, 4, 5, 6, 7]), turned([7, 6, 5, 1, 4, 3, 2])));
    assert.equal(many.match(/ of worker 0 against /g)!.length, 5, many);
  });
});

type Rgb = readonly [number, number, number];

/** Linear light of #rrggbb. */
function lightOf(colour: string): Rgb {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return [r!, g!, b!];
}

function mixed(rows: readonly Rgb[], [r, g, b]: Rgb): Rgb {
  const [x, y, z] = rows.map((row) => row[0] * r + row[1] * g + row[2] * b);
  return [x!, y!, z!];
}

/** WCAG 2. */
function contrast(a: string, b: string): number {
  const [dark, bright] = [a, b]
    .map((colour) => mixed([[0.2126, 0.7152, 0.0722]], lightOf(colour))[0])
    .toSorted((x, y) => x - y);
  return (bright! + 0.05) / (dark! + 0.05);
}

/** What is left of linear light without one kind of cone (Machado, Oliveira and Fernandes 2009, severity 1). */
const EYES: Readonly<Record<string, readonly Rgb[]>> = {
  "all cones": [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** How far apart two colours are seen by an eye: CIE 1976, where 2.3 is just noticed. */
function distance(a: string, b: string, eye: readonly Rgb[]): number {
  const [one, other] = [a, b].map((colour) => {
    const xyz = mixed(
      [
        [0.4124 / 0.9505, 0.3576 / 0.9505, 0.1805 / 0.9505],
        [0.2126, 0.7152, 0.0722],
        [0.0193 / 1.089, 0.1192 / 1.089, 0.9505 / 1.089],
      ],
      mixed(eye, lightOf(colour)),
    );
    const [x, y, z] = xyz.map((value) => (value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116));
    return [116 * y! - 16, 500 * (x! - y!), 200 * (y! - z!)];
  });
  return Math.hypot(...one!.map((value, index) => value - other![index]!));
}

describe("colours of a flamegraph", () => {
  const PARTS = ["structure", "engine", "runtime", "thread", "gathered"];
  const CHANGES = ["much-more", "more", "alike", "less", "much-less", "thread", "gathered"];
  const [light, dark] = parsed(flamegraphSvg(pictureOf(cell([frame("next", 1)]))))
    .children.find(({ name }) => name === "style")!
    .text.split("@media (prefers-color-scheme:dark)")
    .map(
      (css) =>
        new Map(
          [...css.matchAll(/([^{}]+)\{(?:fill|stroke):(#[0-9a-f]{6})\}/g)].map(
            ([, selector, colour]) => [selector!.replace(/^\.(.*) rect$/, "$1"), colour!] as const,
          ),
        ),
    );

  it("change together, paper and all", () => {
    assert.ok(light!.size > 10);
    assert.deepEqual([...light!.keys()], [...dark!.keys()]);
    assert.equal(light!.get(".paper"), TONES.paper.light);
    assert.equal(dark!.get(".paper"), TONES.paper.dark);
    for (const colours of [light!, dark!]) assert.equal(colours.get("g rect"), colours.get(".paper"));
  });

  for (const [mode, colours] of [
    ["light", light!],
    ["dark", dark!],
  ] as const) {
    it(`let text be read, ${mode}`, () => {
      for (const name of [...PARTS, ...CHANGES, ".paper"]) {
        const ratio = contrast(colours.get("text")!, colours.get(name)!);
        assert.ok(ratio >= 4.5, `${name}: ${ratio}`);
      }
      assert.ok(contrast(colours.get(".quiet")!, colours.get(".paper")!) >= 4.5);
    });

    for (const [kind, eye] of Object.entries(EYES)) {
      it(`are told apart, ${mode}, with ${kind}`, () => {
        for (const those of [PARTS, CHANGES]) {
          const pairs = those.flatMap((a, index) => those.slice(index + 1).map((b) => [a, b] as const));
          for (const [a, b] of pairs) {
            const apart = distance(colours.get(a)!, colours.get(b)!, eye);
            assert.ok(apart >= 7, `${a} and ${b}: ${apart}`);
          }
        }
        for (const up of ["more", "much-more"]) {
          for (const down of ["less", "much-less"]) {
            const apart = distance(colours.get(up)!, colours.get(down)!, eye);
            assert.ok(apart >= 20, `${up} and ${down}: ${apart}`);
          }
        }
      });
    }
  }
});
