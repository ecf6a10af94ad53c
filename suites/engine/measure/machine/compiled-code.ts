import { openCodeFile } from "./code-file.ts";

/**
 * Which optimised code each worker of a fork ran. V8 compiles a loop on another thread, from what it has seen by then. So a
 * loop has other code in each process, for the life of the process, and costs up to three times as much.
 *
 * V8 writes a line for each function that it compiles: address, size in bytes, tier and name. Each thread has its code in a
 * region of its own. To show which region is whose, a worker compiles a function with a name of its own, its mark.
 */
const file = openCodeFile();
/** A process may do several jobs, and their threads may get the same regions. */
let begun = 0;

/** From here on notes are of the next job. */
export function beginNotes(): void {
  begun = file?.length() ?? 0;
}

/** The name of the function by which a worker is known; undefined where nothing is noted. */
export function markOf(crew: number, worker: number): string | undefined {
  return file === undefined ? undefined : `hotpathCrew${crew}Worker${worker}`;
}

/** The versions of all workers of the job, by their marks. */
export function versionsNoted(): ReadonlyMap<string, string> {
  return versionsIn(file?.since(begun) ?? "");
}

/** V8 compiles a function while it runs this many rounds of a loop, in a millisecond or two. */
const MARKING_ROUNDS = 200_000;

/** Has a worker's mark compiled, before it imports what it races. It stays unknown where strings must not become code. */
export function leaveMark(mark: string): void {
  const loop = "let sum = 0; for (let i = 0; i < rounds; i++) sum = (sum * 31 + i) | 0; return sum;";
  try {
    new Function(`return function ${mark}(rounds) { ${loop} }`)()(MARKING_ROUNDS);
  } catch {}
}

/**
 * Address, size, tier (`*` TurboFan, `+` Maglev, `^` Sparkplug), a quote, and the name. The quote is for code of one closure
 * (`is_context_specialized` in V8's src/logging/log.cc). Only calls enter such code.
 */
const LINE = /^([0-9a-f]+) ([0-9a-f]+) JS:([*+^])('?)(hotpathCrew\d+Worker\d+|run|runAsync) (.*)$/;
/** Bits of an address within a region. */
const WITHIN_REGION = 24n;

/** Code of a function. */
interface Code {
  readonly tier: string;
  readonly bytes: number;
  /** Whether it is made for one closure. Otherwise the function has several, or the code is entered within a loop. */
  readonly isOfOne: boolean;
}

/**
 * The version of each marked worker: the size of the code that its batches ran in, such as `1036`. A runner's `run`, called
 * out of line, holds their loop. A quote is for code of one closure, a plus for Maglev's. Empty where V8 optimised none.
 */
export function versionsIn(text: string): ReadonlyMap<string, string> {
  const codes = new Map<bigint, Map<string, Code>>();
  const regions = new Map<string, bigint>();
  // The last line may not be whole.
  for (const line of text.split("\n").slice(0, -1)) {
    const [, address, bytes, tier, quote, name, place] = LINE.exec(line) ?? [];
    if (name === undefined) continue;
    const region = BigInt(`0x${address}`) >> WITHIN_REGION;
    if (name.startsWith("hotpath")) regions.set(name, region);
    else if (tier !== "^") {
      const own = codes.get(region) ?? new Map<string, Code>();
      const code = { tier: tier!, bytes: Number.parseInt(bytes!, 16), isOfOne: quote !== "" };
      codes.set(region, own.set(place!, later(own.get(place!), code)));
    }
  }
  return new Map(
    [...regions].map(([mark, region]) => [mark, versionOf([...(codes.get(region)?.values() ?? [])])]),
  );
}

/** The one of two codes of a function that runs once both are there. */
function later(before: Code | undefined, code: Code): Code {
  if (before === undefined) return code;
  if (code.isOfOne === before.isOfOne) return code;
  // Where calls enter the best code, a loop that is still running may get code of its own later.
  if (before.isOfOne) return before.tier === "*" ? before : code;
  return betterOf(before, code);
}

/** Of two codes of which one does not end the other; the second if they are alike. */
function betterOf(before: Code, code: Code): Code {
  return before.tier === "*" && code.tier === "+" ? before : code;
}

function versionOf(codes: readonly Code[]): string {
  const versions = codes.map(
    ({ tier, bytes, isOfOne }) => `${tier === "+" ? "+" : ""}${bytes}${isOfOne ? "'" : ""}`,
  );
  return versions.sort().join(",");
}
