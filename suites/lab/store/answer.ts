import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Answer } from "../../engine/render/pages/answer.ts";
import { ANSWER_FILE } from "../../engine/render/pages/answer.ts";
import { HELD, withoutLinks } from "../../engine/render/pages/quotes.ts";
import { UsageError } from "../../engine/schema/usage.ts";

/** Characters of a first paragraph: what is read in one breath beside seven others. */
const IN_SHORT_MOST = 400;

/**
 * The answer in a folder of results, if there is one. Throws a UsageError unless its first line says that it is held to
 * the newest records, or names a record of the folder; unless its first paragraph below is a short one; or if it has a
 * heading of the first level, which the page has already.
 */
export function readAnswer(folder: string): Answer | undefined {
  const path = join(folder, ANSWER_FILE);
  if (!existsSync(path)) return undefined;
  const written = readFileSync(path, "utf8");
  const text = written.endsWith("\n") ? written : `${written}\n`;
  const isHeld = text.startsWith(`${HELD}\n`);
  const writtenFor = /^Written for (`?)([\w.-]+\.json(?:\.gz)?)\1\.\n/.exec(text)?.[2];
  if (!isHeld && writtenFor === undefined) {
    throw new UsageError(
      `${path} does not name its records: let its first line be "${HELD}" or "Written for <record file>."`,
    );
  }
  if (writtenFor !== undefined && !existsSync(join(folder, writtenFor))) {
    throw new UsageError(
      `${path} was written for ${writtenFor}, which is not beside it: let its first line name a record that is`,
    );
  }
  const outsideCode = text.replaceAll(/^```.*?^```/gms, "");
  if (/^# /m.test(outsideCode)) {
    throw new UsageError(
      `${path} has a heading of the first level, as its page has already: begin headings with ##`,
    );
  }
  return { text, inShort: inShort(text, path), writtenFor };
}

/** The first paragraph below the first line, and below a heading if that is next. */
function inShort(text: string, path: string): string {
  const [, ...blocks] = text.split(/\n(?:[^\S\n]*\n)+/);
  const paragraph =
    blocks
      .find((block) => !block.startsWith("#"))
      ?.replaceAll(/\s+/g, " ")
      .trim() ?? "";
  const isProse = /^(?![|>#-]|```)./.test(paragraph);
  const { length } = withoutLinks(paragraph);
  if (!isProse || length > IN_SHORT_MOST) {
    const has = isProse ? `its first paragraph has ${length} characters` : "it begins with no paragraph";
    throw new UsageError(
      `${path} has no summary (${has}): let the first paragraph give it in at most ${IN_SHORT_MOST}`,
    );
  }
  return paragraph;
}
