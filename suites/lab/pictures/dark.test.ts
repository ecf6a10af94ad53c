import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { COLOUR, SHADE_OPACITY, TONES, withDarkMode } from "./dark.ts";

const MODES = ["light", "dark"] as const;
type Mode = (typeof MODES)[number];
type Rgb = readonly [number, number, number];

/** By what colours say of a point. */
const EMPHASES = ["ink", "faster", "slower", "same", "grey", "noPower"] as const;

/** 0 to 1 each, as written, gamma and all. */
function rgbOf(colour: string): Rgb {
  assert.match(colour, /^#[0-9a-f]{6}$/);
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255);
  return [red!, green!, blue!];
}

function linear(channel: number): number {
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
}

/** Relative luminance as WCAG 2 defines it, 0 to 1. */
function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map(linear);
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

/** 1 to 21. */
function contrast(a: Rgb, b: Rgb): number {
  const [darker, lighter] = [luminance(a), luminance(b)].toSorted((one, other) => one - other);
  return (lighter! + 0.05) / (darker! + 0.05);
}

/** What a viewer sees of a colour of this opacity; viewers mix colours as they are written. */
function over(ground: Rgb, colour: Rgb, opacity: number): Rgb {
  const [red, green, blue] = colour.map(
    (channel, index) => opacity * channel + (1 - opacity) * ground[index]!,
  );
  return [red!, green!, blue!];
}

/** Paper, and paper shaded. */
function groundsOf(mode: Mode): Rgb[] {
  const paper = rgbOf(TONES.paper[mode]);
  return [paper, over(paper, rgbOf(TONES.shade[mode]), SHADE_OPACITY)];
}

/** Of linear red, green and blue, as who lacks the red or the green cones sees them (Viénot, Brettel and Mollon, 1999). */
const VISIONS: Readonly<Record<string, readonly Rgb[]>> = JSON.parse(
  readFileSync(join(import.meta.dirname, "testdata", "visions.json"), "utf8"),
);

/** CIE L*a*b* under D65, in which equal distances look about equally large. 2 is just noticed side by side. */
function labOf(colour: Rgb, vision: readonly Rgb[]): Rgb {
  const light = colour.map(linear);
  const times = (rows: readonly Rgb[], vector: readonly number[]) =>
    rows.map((row) => row.reduce((sum, share, index) => sum + share * vector[index]!, 0));
  const xyz = times(
    [
      [0.4124 / 0.9505, 0.3576 / 0.9505, 0.1805 / 0.9505],
      [0.2126, 0.7152, 0.0722],
      [0.0193 / 1.089, 0.1192 / 1.089, 0.9505 / 1.089],
    ],
    times(vision, light),
  );
  const [x, y, z] = xyz.map((part) =>
    part > (6 / 29) ** 3 ? Math.cbrt(part) : part / (3 * (6 / 29) ** 2) + 4 / 29,
  );
  return [116 * y! - 16, 500 * (x! - y!), 200 * (y! - z!)];
}

describe("the colours of pictures, light and dark", () => {
  for (const mode of MODES) {
    it(`${mode}: what says something stands out from the paper, shaded or not`, () => {
      const leastOf: Partial<Record<string, number>> = { text: 4.5, mark: 3 };
      for (const ground of groundsOf(mode)) {
        for (const [name, { purpose, ...tone }] of Object.entries(TONES)) {
          const found = contrast(rgbOf(tone[mode]), ground);
          const least = leastOf[purpose] ?? 1;
          assert.ok(found >= least, `${name}: ${found.toFixed(2)} of ${least}`);
        }
      }
    });

    it(`${mode}: what is faint is seen, and stays behind what says something`, () => {
      const [paper, shaded] = groundsOf(mode);
      const { shade: _letThrough, paper: _ground, ...rest } = TONES;
      const [faint, telling] = [["faint"], ["text", "mark"]].map((purposes) =>
        Object.values(rest)
          .filter(({ purpose }) => purposes.includes(purpose))
          .map((tone) => contrast(rgbOf(tone[mode]), paper!)),
      );
      faint!.push(contrast(shaded!, paper!));
      assert.ok(Math.min(...faint!) >= 1.1, String(faint));
      assert.ok(Math.max(...faint!) < Math.min(...telling!), `${faint} and ${telling}`);
    });

    it(`${mode}: ink is legible on every ground, and grounds are distinguishable, also to viewers who lack red or green cones`, () => {
      const grounds = Object.entries(TONES).filter(([, { purpose }]) => purpose === "ground");
      for (const [name, tone] of grounds) {
        const found = contrast(rgbOf(TONES.ink[mode]), rgbOf(tone[mode]));
        assert.ok(found >= 4.5, `ink on ${name}: ${found.toFixed(2)}`);
      }
      for (const [eye, vision] of Object.entries(VISIONS)) {
        const [orange, paleOrange, blue, paleBlue, ...greys] = grounds.map(([, tone]) =>
          labOf(rgbOf(tone[mode]), vision),
        );
        const apart = (a: Rgb, b: Rgb) => Math.hypot(...a.map((part, axis) => part - b[axis]!));
        const all = [orange!, paleOrange!, blue!, paleBlue!, ...greys];
        for (const [index, one] of all.entries()) {
          for (const other of all.slice(index + 1))
            assert.ok(apart(one, other) >= 7, `${eye}: ${one}, ${other}`);
        }
        for (const more of [orange!, paleOrange!]) {
          for (const less of [blue!, paleBlue!])
            assert.ok(apart(more, less) >= 20, `${eye}: ${more}, ${less}`);
        }
      }
    });

    // 20 is ten times what is just noticed: far enough for points of five pixels that do not touch.
    it(`${mode}: verdicts are distinguishable, also to viewers who lack red or green cones`, () => {
      for (const [name, vision] of Object.entries(VISIONS)) {
        for (const [index, one] of EMPHASES.entries()) {
          for (const other of EMPHASES.slice(index + 1)) {
            const [a, b] = [one, other].map((emphasis) => labOf(rgbOf(TONES[emphasis][mode]), vision));
            const distance = Math.hypot(...a!.map((part, axis) => part - b![axis]!));
            assert.ok(distance >= 20, `${name}: ${one} and ${other}: ${distance.toFixed(1)}`);
          }
        }
      }
    });

    it(`${mode}: a grey line is distinguishable from one of ink`, () => {
      const [ink, grey] = [TONES.ink, TONES.grey].map((tone) => rgbOf(tone[mode]));
      assert.ok(contrast(ink!, grey!) >= 2);
    });
  }

  it("are written differently, so that each has one counterpart", () => {
    assert.equal(new Set(Object.values(COLOUR)).size, Object.keys(TONES).length);
  });
});

describe("a picture in dark mode", () => {
  const opening = '<svg width="9" height="9">';

  it("has a rule for each attribute and colour that it has, once, before all else", () => {
    const body = `<rect fill="${COLOUR.paper}"/><path fill="none" stroke="${COLOUR.ink}"/><path stroke="${COLOUR.ink}"/></svg>`;
    assert.equal(
      withDarkMode(opening + body),
      `${opening}<style>@media (prefers-color-scheme:dark){[fill="${COLOUR.paper}"]{fill:${TONES.paper.dark}}[stroke="${COLOUR.ink}"]{stroke:${TONES.ink.dark}}}</style>${body}`,
    );
  });

  it("is refused with a colour that has no counterpart, in whichever attribute", () => {
    for (const shape of [
      '<rect fill="#123456"/>',
      '<g fill="none" stroke="red"/>',
      '<path fill="url(#fading)"/>',
    ]) {
      assert.throws(
        () => withDarkMode(`${opening}${shape}</svg>`),
        /is no colour of dark\.ts: use one, or add it/,
      );
    }
  });

  it("is refused where a rule would not reach: text without a colour, and style=", () => {
    assert.throws(() => withDarkMode(`${opening}<text x="1">dark</text></svg>`), /text without fill=/);
    assert.throws(() => withDarkMode(`${opening}<rect style="fill:red"/></svg>`), /style=/);
  });

  it("takes text for text, whatever it says", () => {
    const text = `<text fill="${COLOUR.ink}">a fill="red" and a style="b"</text></svg>`;
    assert.ok(withDarkMode(opening + text).endsWith(text));
  });
});
