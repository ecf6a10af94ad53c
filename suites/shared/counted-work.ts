import { Session } from "node:inspector/promises";
import nodeModule from "node:module";
import jsTokens from "js-tokens";

/**
 * What a structure does for an operation, counted and not timed: the same on every machine, and no cache has a say.
 *
 * A copy of its source runs under V8's precise coverage, which reports how often each block of the code ran. Every
 * comparison, loop and element access in a block ran that often. What V8 does inside one call, such as a look in a Map,
 * counts as nothing. So code that moves memory by copyWithin or splice cannot be compared with code that moves it word
 * by word. Code of packages and WebAssembly is not counted.
 */
export interface Work {
  /** Rounds of loops: nodes visited. */
  readonly visits: number;
  /** By <, <=, >, >=, === and !==. */
  readonly comparisons: number;
  /** Elements of arrays and fields of objects read or written, except fields of `this`. */
  readonly words: number;
}

/** All of it. */
export function stepsIn({ visits, comparisons, words }: Work): number {
  return visits + comparisons + words;
}

type Kind = keyof Work;

/** The position of something in a source, as offsets whose counts add up to its own. */
export interface Site {
  readonly kind: Kind;
  readonly offsets: readonly number[];
}

const STRUCTURES = new URL("../../structures/", import.meta.url).href;

export class CountedCopy<Competitor> {
  readonly competitor: Competitor;
  readonly #session: Session;
  readonly #query: string;
  /** By script. */
  readonly #sites = new Map<string, readonly Site[]>();

  private constructor(competitor: Competitor, session: Session, query: string) {
    this.competitor = competitor;
    this.#session = session;
    this.#query = query;
  }

  /** The competitor at `url` with a copy of all that it imports of structures. */
  static async of<Competitor>(url: string): Promise<CountedCopy<Competitor>> {
    const session = new Session();
    session.connect();
    await session.post("Profiler.enable");
    await session.post("Debugger.enable");
    // What was compiled before has no counters, hence the copy.
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    const query = `?counted=${made++}`;
    // By its name it could not even be imported on Bun, where suites are read too.
    const hooks = nodeModule.registerHooks({
      resolve(specifier, context, next) {
        const resolved = next(specifier, context);
        const isCopied = context.parentURL?.endsWith(query) && resolved.url.startsWith(STRUCTURES);
        return isCopied ? { ...resolved, url: resolved.url + query } : resolved;
      },
    });
    try {
      const { default: competitor } = (await import(url + query)) as { default: Competitor };
      return new CountedCopy(competitor, session, query);
    } finally {
      hooks.deregister();
    }
  }

  /** What the copy's own code does while `body` runs. */
  async workOf(body: () => void): Promise<Work> {
    await this.#session.post("Profiler.takePreciseCoverage");
    body();
    const { result } = await this.#session.post("Profiler.takePreciseCoverage");
    const work = { visits: 0, comparisons: 0, words: 0 };
    for (const { scriptId, url, functions } of result) {
      if (!url.endsWith(this.#query)) continue;
      const ranges = functions.flatMap((each) => each.ranges);
      for (const { kind, offsets } of await this.#sitesOf(scriptId)) {
        for (const offset of offsets) work[kind] += countAt(offset, ranges);
      }
    }
    return work;
  }

  end(): void {
    this.#session.disconnect();
  }

  async #sitesOf(scriptId: string): Promise<readonly Site[]> {
    const known = this.#sites.get(scriptId);
    if (known !== undefined) return known;
    const { scriptSource } = await this.#session.post("Debugger.getScriptSource", { scriptId });
    const sites = sitesIn(scriptSource);
    this.#sites.set(scriptId, sites);
    return sites;
  }
}

let made = 0;

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** Ranges lie within one another; the smallest around an offset says how often the code there ran. */
function countAt(offset: number, ranges: readonly Range[]): number {
  let smallest: Range | undefined;
  for (const range of ranges) {
    const { startOffset, endOffset } = range;
    if (offset < startOffset || offset >= endOffset) continue;
    if (smallest === undefined || endOffset - startOffset <= smallest.endOffset - smallest.startOffset)
      smallest = range;
  }
  return smallest?.count ?? 0;
}

interface Token {
  readonly value: string;
  readonly offset: number;
  readonly isName: boolean;
}

/** The loops, comparisons and accesses in a text of JavaScript without types. */
export function sitesIn(source: string): Site[] {
  const tokens = tokensOf(source);
  const loops = loopsIn(tokens);
  const sites: Site[] = loops.map(({ body }) => ({ kind: "visits", offsets: [tokens[body]!.offset] }));
  for (const [index, { offset }] of tokens.entries()) {
    const kind = kindAt(tokens, index);
    if (kind === undefined) continue;
    const loop = loops.findLast(({ from, to }) => from < index && index < to);
    sites.push({ kind, offsets: loop === undefined ? [offset] : offsetsInHeader(tokens, index, loop) });
  }
  return sites;
}

const BLANKS: ReadonlySet<string> = new Set([
  "WhiteSpace",
  "LineTerminatorSequence",
  "SingleLineComment",
  "MultiLineComment",
]);

function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  let offset = 0;
  for (const { type, value } of jsTokens(source)) {
    if (!BLANKS.has(type))
      tokens.push({ value, offset, isName: type === "IdentifierName" || type === "PrivateIdentifier" });
    offset += value.length;
  }
  return tokens;
}

const COMPARISONS: ReadonlySet<string> = new Set(["<", "<=", ">", ">=", "===", "!=="]);
/** Words behind which `[` begins an array or a pattern. */
const NOT_ACCESSED: ReadonlySet<string> = new Set([
  ...["const", "let", "var", "return", "of", "in", "yield", "await", "case", "typeof", "throw", "else"],
  ...["new", "void", "static", "get", "set"],
]);

function kindAt(tokens: readonly Token[], index: number): Kind | undefined {
  const { value, isName } = tokens[index]!;
  const before = tokens[index - 1];
  if (isName || before === undefined) return undefined;
  if (COMPARISONS.has(value)) return "comparisons";
  if (value === "[") {
    const isAccessed = before.isName ? !NOT_ACCESSED.has(before.value) : [")", "]"].includes(before.value);
    return isAccessed ? "words" : undefined;
  }
  if (value !== "." && value !== "?.") return undefined;
  const isCall = tokens[index + 2]?.value === "(";
  // What begins with a capital is a library's: Math.max, Int32Array.BYTES_PER_ELEMENT.
  const isOfOthers = ["this", "super", "import"].includes(before.value) || /^[A-Z]/.test(before.value);
  return isCall || isOfOthers ? undefined : "words";
}

/** Indices of tokens: the brackets of a loop's header, and the first token that each round runs. */
interface Loop {
  readonly from: number;
  readonly to: number;
  readonly body: number;
}

function loopsIn(tokens: readonly Token[]): Loop[] {
  return tokens.flatMap(({ value, isName }, index): Loop[] => {
    if (!isName || tokens[index - 1]?.value === ".") return [];
    if (value === "do") return [{ from: index, to: index, body: index + 2 }];
    if (value !== "for" && value !== "while") return [];
    const from = tokens[index + 1]!.value === "await" ? index + 2 : index + 1;
    const to = closing(tokens, from);
    const after = tokens[to + 1]!.value;
    // The end of a `do`.
    if (value === "while" && after === ";") return [];
    return [{ from, to, body: after === "{" ? to + 2 : to + 1 }];
  });
}

function closing(tokens: readonly Token[], from: number): number {
  let depth = 0;
  for (let index = from; index < tokens.length; index++) {
    const { value } = tokens[index]!;
    if (value === "(") depth++;
    else if (value === ")" && --depth === 0) return index;
  }
  throw new Error("a loop's header does not end");
}

/**
 * V8 counts no header by itself. Its condition is evaluated once when the loop is entered and once after each round.
 * Its initializer runs once, and its update after each round.
 */
function offsetsInHeader(tokens: readonly Token[], index: number, { from, to, body }: Loop): number[] {
  const here = tokens[index]!.offset;
  const rounds = tokens[body]!.offset;
  const ends = endsOfParts(tokens, from, to);
  if (ends.length === 0) return tokens[from - 1]!.value === "while" ? [here, rounds] : [here];
  if (index < ends[0]!) return [here];
  return index < ends[1]! ? [here, rounds] : [rounds];
}

/** The semicolons of a `for`. */
function endsOfParts(tokens: readonly Token[], from: number, to: number): number[] {
  const ends: number[] = [];
  let depth = 0;
  for (let index = from; index < to; index++) {
    const { value } = tokens[index]!;
    if ("([{".includes(value)) depth++;
    else if (")]}".includes(value)) depth--;
    else if (value === ";" && depth === 1) ends.push(index);
  }
  return ends;
}
