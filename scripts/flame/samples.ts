import { isAbsolute, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Window } from "../../suites/engine/measure/plan/protocol.ts";

/**
 * What a sampler saw, whichever it was: for each worker the calls it was in at each sample. Pictures and merged
 * profiles are made from these alone.
 */
export interface WorkerSamples {
  /** `worker 0`, or with what it does where workers differ: `worker 1, writer`. */
  readonly worker: string;
  /** In the order of time. */
  readonly samples: readonly Sample[];
}

export interface Sample {
  /** From the thread's first call to the one it was in. Samples of the same calls may share it. */
  readonly calls: readonly CodeFrame[];
  /** Time since the sample before, in us; the usual one where that was not counted in the same window. */
  readonly sinceUs: number;
}

/** A function as the sampler knows it. */
export interface CodeFrame {
  /** Empty for a function without a name. */
  readonly name: string;
  /**
   * File, relative to the repository's root where it is one of ours (`structures/pick/competitors/cas-ring.ts`).
   * `node:` and a module's name for Node's own, the library for compiled code. Empty where the sampler knows none.
   */
  readonly file: string;
  /** Line where the function begins, from 1; 0 where unknown. */
  readonly line: number;
}

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/**
 * What V8 calls a script, as a reader of this repository would write it. It does not reveal where on a machine the
 * script lies. V8 knows a module by its URL and a CommonJS one, as many packages are, by its path.
 */
export function readableFile(script: string): string {
  if (!script.startsWith("file://") && !isAbsolute(script)) return script;
  const path = relative(ROOT, isAbsolute(script) ? script : fileURLToPath(script));
  if (isAbsolute(path) || path.startsWith(`..${sep}`)) return `(elsewhere)/${path.split(sep).at(-1)}`;
  return path.split(sep).join("/");
}

/** What a sampler saw of a thread at a time of the monotonic clock, in ns. */
export interface TimedCalls {
  readonly calls: readonly CodeFrame[];
  readonly timeNs: number;
}

/** Of all that was seen of a thread, in the order of time, what was seen within the windows. */
export function samplesIn(windows: readonly Window[], timed: readonly TimedCalls[]): Sample[] {
  const sinceUs = timed.map(({ timeNs }, index) => (timeNs - (timed[index - 1]?.timeNs ?? timeNs)) / 1000);
  const usualUs = sinceUs.toSorted((a, b) => a - b)[sinceUs.length >> 1]!;
  const within = timed.map(({ timeNs }) => windowAt(windows, timeNs));
  return timed.flatMap(({ calls }, index) => {
    const window = within[index];
    if (window === undefined) return [];
    return [{ calls, sinceUs: within[index - 1] === window ? sinceUs[index]! : usualUs }];
  });
}

/** The one of the windows, which are in order and apart, in which a time in ns lies. */
function windowAt(windows: readonly Window[], timeNs: number): Window | undefined {
  let [low, high] = [0, windows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (windows[middle]!.toNs < timeNs) low = middle + 1;
    else high = middle;
  }
  const next = windows[low];
  return next !== undefined && next.fromNs <= timeNs ? next : undefined;
}
