/**
 * Whether two texts of TypeScript say the same, comments and blanks apart. A tokenizer and no parser: it knows where
 * strings, templates, regular expressions and comments end, and that is all it has to know.
 */

/** Blanks and comments, which separate tokens and are none. */
const SEPARATOR = /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const STRING = /"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'/y;
/** A template up to its end or its next hole, from its beginning or from the end of its last hole. */
const TEMPLATE_PART = /[`}](?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y;
const REGULAR_EXPRESSION = /\/(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const WORD = /[\p{L}\p{N}_$#@\\]+(?:\.\d+)?/uy;
/** A run of operators is one token, so that `a + +b` and `a ++b` differ; brackets stand alone. */
const PUNCTUATION = /[-+*%&|^!=<>?.~]+|[/:;,(){}[\]]/y;

/** Words behind which an expression begins, where a slash is no division. */
const BEFORE_EXPRESSION = new Set(["return", "typeof", "case", "in", "of", "void", "delete", "do", "else"]);

/** The tokens of a source text. Throws an Error where something begins that does not end, or is none of TypeScript. */
export function tokensOf(source: string): string[] {
  const tokens: string[] = [];
  // Of each open brace, whether it is a template's hole.
  const holes: boolean[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(source)?.[0];
    at += found?.length ?? 0;
    return found;
  };
  const takeToken = (): string | undefined => {
    if (source[at] === "`" || (source[at] === "}" && holes.at(-1) === true)) {
      if (source[at] === "}") holes.pop();
      const part = take(TEMPLATE_PART);
      if (part?.endsWith("${")) holes.push(true);
      return part;
    }
    if (source[at] === "/" && mayBeginExpression(tokens.at(-1))) return take(REGULAR_EXPRESSION);
    const token = take(STRING) ?? take(WORD) ?? take(PUNCTUATION);
    if (token === "{") holes.push(false);
    if (token === "}") holes.pop();
    return token;
  };
  while (true) {
    while (take(SEPARATOR) !== undefined);
    if (at === source.length) break;
    const token = takeToken();
    if (token === undefined)
      throw new Error(`cannot be read from ${JSON.stringify(source.slice(at, at + 20))} on`);
    tokens.push(token);
  }
  if (holes.length > 0) throw new Error("ends within braces");
  return tokens;
}

/**
 * A slash behind a bracket that closes is taken for a division. A regular expression there (`if (x) /y/.test(z)`) is
 * rare, and one that holds a quote or a comment's beginning is most likely found out by what then does not end.
 */
function mayBeginExpression(before: string | undefined): boolean {
  return (
    before === undefined || BEFORE_EXPRESSION.has(before) || /^[-+*%&|^!=<>?.~/:;,({[]+$|\$\{$/.test(before)
  );
}

/** Whether two texts are the same but for comments and blanks. Texts that cannot be read must be the same to the letter. */
export function isSameApartFromComments(one: string, other: string): boolean {
  if (one === other) return true;
  try {
    const tokens = tokensOf(one);
    const others = tokensOf(other);
    return tokens.length === others.length && tokens.every((token, index) => token === others[index]);
  } catch {
    return false;
  }
}
