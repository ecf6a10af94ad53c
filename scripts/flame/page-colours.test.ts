import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { before, describe, it } from "node:test";
import { runInNewContext } from "node:vm";
import { mergedProfile } from "./cpu-profile.ts";
import { interactivePage } from "./interactive.ts";

/** The colours of 0x's chart, which its page computes as here. */
const chart = createRequire(import.meta.resolve("0x"))("d3-fg") as {
  readonly colors: Readonly<Record<string, unknown>>;
  colorHash(
    frame: { readonly name: string; readonly top: number; readonly type: string },
    darker: number | undefined,
    allSamples: number,
    tiers: boolean,
  ): string;
};

const SAMPLES = 1000;
/** Of a frame to which this number of all samples belongs; with `tiers` it is coloured by what kind of frame it is. */
function chartColour(top: number, type = "def", tiers = false): string {
  return chart.colorHash({ name: "any", top, type }, undefined, SAMPLES, tiers);
}

type Rgb = readonly number[];

/** What is seen where a canvas fills with a CSS colour over white: channels end at 255 there, and opacity at 1. */
function onWhite(colour: string): Rgb {
  const [red, green, blue, alpha] = colour.match(/[\d.]+/g)!.map(Number);
  const opacity = Math.min(1, alpha!);
  return [red!, green!, blue!].map((channel) => opacity * Math.min(255, channel) + (1 - opacity) * 255);
}

/** Relative luminance, as WCAG 2 defines it. */
function luminance(rgb: Rgb): number {
  const linear = rgb.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * linear[0]! + 0.7152 * linear[1]! + 0.0722 * linear[2]!;
}

const contrastToBlack = (rgb: Rgb) => (luminance(rgb) + 0.05) / 0.05;
const contrastToWhite = (rgb: Rgb) => 1.05 / (luminance(rgb) + 0.05);

/** As WCAG 2 asks for text of usual size. */
const LEGIBLE = 4.5;

describe("in 0x's page", () => {
  let page: string;
  /** What is filled with where 0x asks for a colour. */
  let filled: (colour: string) => string;
  before(async () => {
    const calls = [{ name: "hot", file: "structures/pick/parts/locked.ts", line: 45 }];
    const samples = [{ calls, sinceUs: 1 }];
    page = await interactivePage(mergedProfile([{ worker: "worker 0", samples }]), "pick/a/b/1w");
    class CanvasRenderingContext2D {
      own = "";
      get fillStyle() {
        return this.own;
      }
      set fillStyle(colour: string) {
        this.own = colour;
      }
    }
    const [first] = /(?<=<script>).*?(?=<\/script>)/s.exec(page)!;
    runInNewContext(first, { CanvasRenderingContext2D });
    const context = new CanvasRenderingContext2D();
    filled = (colour) => {
      context.fillStyle = colour;
      return context.fillStyle;
    };
  });
  const shares = Array.from({ length: SAMPLES + 1 }, (_, top) => top);

  it("every frame stands out from the page as the coldest does, and its name from the frame", () => {
    const coldest = contrastToWhite(onWhite(chartColour(0)));
    for (const top of shares) {
      const seen = onWhite(filled(chartColour(top)));
      assert.ok(contrastToWhite(seen) >= coldest - 0.01, `${top} of ${SAMPLES}: ${seen}`);
      assert.ok(contrastToBlack(seen) >= LEGIBLE, `${top} of ${SAMPLES}: ${seen}`);
    }
  });

  it("no kind of frame is white where colours distinguish kinds", () => {
    for (const kind of Object.keys(chart.colors)) {
      for (const top of shares) {
        const seen = onWhite(filled(chartColour(top, kind, true)));
        assert.ok(Math.min(...seen) < 230, `${kind}, ${top} of ${SAMPLES}: ${seen}`);
      }
    }
  });

  it("a frame hotter than the legend's hottest has that one's colour", () => {
    const legend = chartColour(0.1 * SAMPLES);
    for (const top of shares.slice(0.1 * SAMPLES + 1)) assert.equal(filled(chartColour(top)), legend);
  });

  it("all other colours are as 0x has them", () => {
    for (const colour of ["#000", "cyan", chartColour(0)]) {
      assert.deepEqual(filled(colour).replaceAll(" ", ""), colour.replaceAll(" ", ""));
    }
  });

  it("the background is white for dark screens too", () => {
    assert.ok(page.lastIndexOf("--background: white") > page.lastIndexOf("--background: #000"));
  });
});
