import { isDeepStrictEqual } from "node:util";
import jsTokens from "js-tokens";

const SEPARATORS = ["WhiteSpace", "LineTerminatorSequence", "SingleLineComment", "MultiLineComment"];

/**
 * Whether two texts of TypeScript are the same but for comments and blanks. The slash of `a! / b` is taken for the
 * beginning of a regular expression, so that a comment behind it counts.
 *
 * The installed tools do not help. Node's stripTypeScriptTypes removes types, and contracts consist of types. Biome's
 * formatter keeps comments, and TypeScript's own scanner is not stable yet.
 */
export function isSameApartFromComments(one: string, other: string): boolean {
  return isDeepStrictEqual(tokensOf(one), tokensOf(other));
}

function tokensOf(source: string): string[] {
  return [...jsTokens(source)].filter(({ type }) => !SEPARATORS.includes(type)).map(({ value }) => value);
}
