import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../command/usage.ts";
import type { Answer } from "../pages/answer.ts";
import { ANSWER_FILE, withoutLinks } from "../pages/answer.ts";
import type { Newest } from "../pages/newest.ts";
import { RESULTS } from "./results.ts";

/** Characters of a first paragraph: what is read in one breath beside seven others. */
const IN_SHORT_MOST = 400;

/**
 * The answer in a folder of results, if there is one. Throws a UsageError unless its first line gives the day on which it
 * was written, and its first paragraph below is a short one; or if it has a heading of the first level, which the page has
 * already.
 */
export function readAnswer(folder: string): Answer | undefined {
  const path = join(folder, ANSWER_FILE);
  if (!existsSync(path)) return undefined;
  const written = readFileSync(path, "utf8");
  const text = written.endsWith("\n") ? written : `${written}\n`;
  const writtenOn = /^Written on (\d{4}-\d\d-\d\d)\.\n/.exec(text)?.[1];
  if (writtenOn === undefined) {
    throw new UsageError(`${path} has no date: let its first line be "Written on <year-month-day>."`);
  }
  const outsideCode = text.replaceAll(/^```.*?^```/gms, "");
  if (/^# /m.test(outsideCode)) {
    throw new UsageError(
      `${path} has a heading of the first level, as its page has already: begin headings with ##`,
    );
  }
  return { text, inShort: inShort(text, path), writtenOn };
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

/** Paths of the answers that are older than a record in their tables: the record may contradict them. */
export function outdatedAnswers(
  newest: ReadonlyMap<string, Pick<Newest, "sources">>,
  results = RESULTS,
): string[] {
  return [...newest].flatMap(([primitive, { sources }]) => {
    const folder = join(results, primitive);
    const answer = readAnswer(folder);
    const isOutdated = sources.some(
      ({ record }) => answer && record.startedAt.slice(0, 10) > answer.writtenOn,
    );
    return isOutdated ? [join(folder, ANSWER_FILE)] : [];
  });
}
