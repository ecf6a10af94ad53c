/**
 * The colours of all pictures, light and dark, and how an SVG comes to have both.
 *
 * A picture is shown by an `<img>` on pages that it cannot see. Its media query follows the viewer's browser, and the
 * page around it may have a theme switch of its own. A dark picture may thus stand on a light page and the other way
 * round. Paper and ink therefore change together, and the picture paints both.
 *
 * Pictures are written in light colours, as attributes. A style sheet in each replaces those colours, attribute by
 * attribute, where dark is preferred; a rule beats an attribute, within what `<use>` repeats too. A viewer without style
 * sheets shows the light picture.
 */

/**
 * How far a colour has to stand out, in contrast as WCAG 2 defines it. Text needs 4.5 and more, a mark that says
 * something 3 and more, both on shaded paper too. What is faint has less, as all that it says is said by something else
 * too. A ground is what ink is written on: ink stands out from it as text does from paper.
 */
type Purpose = "paper" | "text" | "mark" | "faint" | "ground";

interface Tone {
  readonly purpose: Purpose;
  /** #rrggbb; no two tones share one, as it is by this one that the dark one is found. */
  readonly light: string;
  readonly dark: string;
}

/** Every tone, by what it is for. */
export const TONES = {
  /** The ground, what is hollow, and the rim of letters that lines run behind. */
  paper: { purpose: "paper", light: "#ffffff", dark: "#0d1117" },
  /** Text, the line that its frame is about, and the baseline. */
  ink: { purpose: "text", light: "#222222", dark: "#e6edf3" },
  /** Text around a picture's body. */
  mutedInk: { purpose: "text", light: "#555555", dark: "#a9b3be" },
  /** Lines that are not in front, what fills a trace, and points that cannot be distinguished from the baseline. */
  grey: { purpose: "mark", light: "#777777", dark: "#8d96a0" },
  faster: { purpose: "mark", light: "#0072b2", dark: "#4aa8f0" },
  slower: { purpose: "mark", light: "#d55e00", dark: "#ff9248" },
  /** Green. In grey it is far from the baseline's ink; its shape tells it from the others there. */
  same: { purpose: "mark", light: "#4b965a", dark: "#3c875a" },
  noPower: { purpose: "mark", light: "#8f2fd6", dark: "#a85cf8" },
  /** Between two series, which have a line of ink each. */
  band: { purpose: "faint", light: "#c4c4c4", dark: "#4d5561" },
  /** Where there are more workers than cores, as hollow points say too, and of noise floors. See `SHADE_OPACITY`. */
  shade: { purpose: "faint", light: "#c8b060", dark: "#e0b84d" },
  /** Beside numbers. */
  axis: { purpose: "faint", light: "#bbbbbb", dark: "#5a636e" },
  frame: { purpose: "faint", light: "#dddddd", dark: "#343b44" },
  grid: { purpose: "faint", light: "#eeeeee", dark: "#20262e" },
  /** Of boxes with names in them. Every kind of colour blindness distinguishes blue and orange. */
  orangeGround: { purpose: "ground", light: "#ec8b3f", dark: "#a34e08" },
  paleOrangeGround: { purpose: "ground", light: "#f8cda6", dark: "#693c18" },
  blueGround: { purpose: "ground", light: "#6aaee0", dark: "#21659f" },
  paleBlueGround: { purpose: "ground", light: "#bcdaf3", dark: "#1f4263" },
  darkGreyGround: { purpose: "ground", light: "#9f9f9f", dark: "#646a73" },
  greyGround: { purpose: "ground", light: "#d6d6d6", dark: "#464c54" },
  paleGreyGround: { purpose: "ground", light: "#ececec", dark: "#2b3036" },
} as const satisfies Readonly<Record<string, Tone>>;

/** What pictures are written in. */
export const COLOUR = Object.fromEntries(
  Object.entries(TONES).map(([name, { light }]) => [name, light]),
) as Readonly<Record<keyof typeof TONES, string>>;

/** Opacity of `shade`: the grid shows on shaded ground too. */
export const SHADE_OPACITY = 0.18;

const TONE_OF: ReadonlyMap<string, Tone> = new Map(Object.values(TONES).map((tone) => [tone.light, tone]));

/**
 * An SVG that is dark where dark is preferred. Throws if it has a colour that no tone is written in. Also throws for
 * text without a colour of its own, or a colour in `style=`: a rule would reach neither.
 */
export function withDarkMode(svg: string): string {
  if (/<text(?![^>]* fill=)|<[^>]* style="/.test(svg)) {
    throw new Error(
      "A picture has text without fill=, or style=: give it a colour of dark.ts as an attribute",
    );
  }
  const painted = [...svg.matchAll(/<[^>]* (?:fill|stroke)="[^>]*>/g)].flatMap(([tag]) => [
    ...tag.matchAll(/ (fill|stroke)="([^"]*)"/g),
  ]);
  const rules = painted
    .filter(([, , colour]) => colour !== "none")
    .map(([, attribute, colour]) => {
      const tone = TONE_OF.get(colour!);
      if (tone === undefined) {
        throw new Error(
          `A picture has ${attribute}="${colour}", which is no colour of dark.ts: use one, or add it there`,
        );
      }
      return `[${attribute}="${colour}"]{${attribute}:${tone.dark}}`;
    });
  const sheet = `@media (prefers-color-scheme:dark){${[...new Set(rules)].toSorted().join("")}}`;
  return svg.replace(/^<svg [^>]*>/, (opening) => `${opening}<style>${sheet}</style>`);
}
