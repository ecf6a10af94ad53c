import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Starter {
  readonly root: string;
  readonly primitive: string;
  /** Name of the competitor to begin with: the primitive's oracle. */
  readonly oracle: string;
}

/**
 * A new competitor is its primitive's oracle until it is changed: short, obviously right, and with every member that the
 * contract asks for, so that tests and races run from the first minute on.
 */
export function competitorFile(starter: Starter & { readonly name: string }): ReadonlyMap<string, string> {
  return new Map([[fileOf(starter.primitive, starter.name), copyOf(starter)]]);
}

/** A competitor's file, from the repository's folder. */
export function fileOf(primitive: string, name: string): string {
  return `structures/${primitive}/competitors/${name}.ts`;
}

/** The oracle's text, which says that it is a copy. */
export function copyOf({ root, primitive, oracle }: Starter): string {
  return (
    readFileSync(join(root, fileOf(primitive, oracle)), "utf8")
      // What the header says above its labels, and its bet; the rest is true of the copy as long as it is one.
      .replace(
        /\/\*\*\n(?: \*.*\n)*?(?= \* Promise:)/,
        `/**\n * A copy of ${oracle}, to be changed: one sentence that says what it is.\n *\n`,
      )
      .replace(
        / \* Bet:(?:.*\n)(?: \* {3}.*\n)*/,
        " * Bet: the hypothesis that this file is there to test.\n",
      )
      .replace(/\n {2}summary:\s*(["'`]).*?\1,\n/, `\n  summary: "a copy of ${oracle}, to be changed",\n`)
      // The oracle of slots is a variant, which races only when it is asked for.
      .replace(/\n {2}variantOf: .*\n/, "\n")
  );
}
