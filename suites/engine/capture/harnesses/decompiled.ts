/** What benchmark.js runs of a test, as functions or as their texts. */
interface Parts {
  readonly fn: unknown;
  readonly setup?: unknown;
  readonly teardown?: unknown;
}

/**
 * Why benchmark.js would not run these functions as they are, or undefined. With a `setup` or a `teardown` it compiles the
 * texts of all three into one function, in which they share variables. They share none without a name in common.
 */
export function refusalOf({ fn, setup, teardown }: Parts): string | undefined {
  if ([fn, setup, teardown].some(isText)) return "is given as text, which only benchmark.js compiles";
  const around = new Set([...namesIn(setup), ...namesIn(teardown)]);
  if (!namesIn(fn).some((name) => around.has(name))) return undefined;
  return "setup shares variables with its test by decompilation (benchmark.js)";
}

/** A function with a `toString` of its own is one too. */
function isText(part: unknown): boolean {
  return typeof part === "string" || (typeof part === "function" && Object.hasOwn(part, "toString"));
}

/** All that may name a variable: each word but keywords and what follows a dot, also of strings and comments. */
function namesIn(part: unknown): string[] {
  const words = String(part ?? "").match(NAME) ?? [];
  return words.filter((word) => !KEYWORDS.has(word));
}

const NAME = /(?:(?<=\.\.\.)|(?<![\p{ID_Continue}$.]))[\p{ID_Start}$_][\p{ID_Continue}$]*/gu;

const KEYWORDS = new Set(
  (
    "async await break case catch class const continue default delete do else false finally for function if in " +
    "instanceof let new null of return switch this throw true try typeof undefined var void while yield"
  ).split(" "),
);
