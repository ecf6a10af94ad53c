import { formatNumber } from "../../../suites/engine/render/benchmark-reporter-markdown/src/index.ts";

/** How the page words what tables word otherwise, or not at all. */

/** A share in percent, to two digits: a limit and no measurement. */
export function percentText(share: number): string {
  return `${formatNumber(Number((100 * share).toPrecision(2)), 3)} %`;
}

/** What a verdict's colour and its sign follow. */
export type Standing =
  | "baseline"
  | "faster"
  | "slower"
  | "same"
  | "depends"
  | "cannot-tell"
  | "no-power"
  | "not-judged";

const STANDINGS = ["baseline", "faster", "slower", "same", "depends", "cannot tell", "no power"] as const;

/** Of a verdict as tables word it: it may be bold, and have more behind it. */
export function standingOf(verdict: string): Standing {
  const standing = STANDINGS.find((word) => verdict.replace("**", "").startsWith(word));
  return (standing?.replace(" ", "-") as Standing | undefined) ?? "not-judged";
}

/** Beside the words, for a reader who looks for them in a long table. */
export const SIGNS: Readonly<Record<Standing, string>> = {
  baseline: "◆",
  faster: "▼",
  slower: "▲",
  same: "=",
  depends: "◫",
  "cannot-tell": "?",
  "no-power": "∅",
  "not-judged": "·",
};

export const MEANINGS: readonly (readonly [Standing, string])[] = [
  ["faster", "the whole interval lies below the noise floor"],
  ["slower", "the whole interval lies above it"],
  ["same", "the whole interval lies within 3 %: no difference that matters"],
  [
    "cannot-tell",
    "open: more processes might tell; a smaller difference than it sees would have gone unseen",
  ],
  ["depends", "processes fall into two groups that answer differently; the row says what tells them apart"],
  ["no-power", "open, beside a noise floor over 10 %"],
];

/** `3 of 12`, or `12`. */
export function ofText(count: number, all: number): string {
  return count === all ? String(all) : `${count} of ${all}`;
}

/** In one sentence who leads, of those with a rank. */
export function leadersText(names: readonly string[]): string {
  if (names.length === 0) return "Fewer than two rows are judged.";
  const [first, ...others] = names;
  if (others.length === 0) return `${first} is shown to be the fastest of them.`;
  return `${first} has the lowest ratio; ${others.join(", ")} cannot be distinguished from it.`;
}
