import { isAbsolute, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Window } from "../measure/protocol.ts";

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
  /** Time since the sample before, in us; the sampler's usual where that one was not counted. */
  readonly sinceUs: number;
}

/** A function as the sampler knows it. */
export interface CodeFrame {
  /** Empty for a function without a name. */
  readonly name: string;
  /**
   * File, relative to the repository's root where it is one of ours (`structures/pick/cas-ring.ts`), `node:` and a
   * module's name for Node's own, the library for compiled code; empty where the sampler knows none.
   */
  readonly file: string;
  /** Line where the function begins, from 1; 0 where unknown. */
  readonly line: number;
}

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** A script's URL as a reader of this repository would write it; nothing of it says where on a machine it lies. */
export function readableFile(url: string): string {
  if (!url.startsWith("file://")) return url;
  const path = relative(ROOT, fileURLToPath(url));
  if (isAbsolute(path) || path.startsWith(`..${sep}`)) return `(elsewhere)/${path.split(sep).at(-1)}`;
  return path.split(sep).join("/");
}

/** Whether a time in ns lies in one of the windows, which are in order and apart. */
export function isWithin(windows: readonly Window[], timeNs: number): boolean {
  let [low, high] = [0, windows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (windows[middle]!.toNs < timeNs) low = middle + 1;
    else high = middle;
  }
  return low < windows.length && windows[low]!.fromNs <= timeNs;
}
