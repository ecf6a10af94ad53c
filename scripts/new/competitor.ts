import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * A new competitor is its primitive's oracle until it is changed: short, obviously right, and with every member that the
 * contract asks for, so that tests and races run from the first minute on.
 */
export function competitorFile({
  root,
  primitive,
  oracle,
  name,
}: {
  readonly root: string;
  readonly primitive: string;
  readonly oracle: string;
  readonly name: string;
}): ReadonlyMap<string, string> {
  const folder = `structures/${primitive}/competitors`;
  const text = readFileSync(join(root, folder, `${oracle}.ts`), "utf8")
    // What the header says above its labels, and its bet; the rest is true of the copy as long as it is one.
    .replace(
      /\/\*\*\n(?: \*.*\n)*?(?= \* Promise:)/,
      `/**\n * A copy of ${oracle}, to be changed: one sentence that says what it is.\n *\n`,
    )
    .replace(/ \* Bet:(?:.*\n)(?: \* {3}.*\n)*/, " * Bet: the hypothesis that this file is there to test.\n")
    .replace(/\n {2}summary:\s*(["'`]).*?\1,\n/, `\n  summary: "a copy of ${oracle}, to be changed",\n`)
    // The oracle of slots is a variant, which races only when it is asked for.
    .replace(/\n {2}variantOf: .*\n/, "\n");
  return new Map([[`${folder}/${name}.ts`, text]]);
}
