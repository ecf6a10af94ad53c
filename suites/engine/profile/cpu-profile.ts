import type { Window } from "../measure/protocol.ts";
import { type CodeFrame, isWithin, readableFile, type Sample, type WorkerSamples } from "./samples.ts";

/**
 * V8's profile format, a `.cpuprofile` as Chrome, speedscope and 0x read it: a tree of calls, and for each sample the
 * node it was in and the time since the one before (Chrome DevTools Protocol, Profiler.Profile).
 */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  /** In us. */
  readonly startTime: number;
  readonly endTime: number;
  /** Ids of nodes. */
  readonly samples: readonly number[];
  /** In us. */
  readonly timeDeltas: readonly number[];
}

export interface ProfileNode {
  readonly id: number;
  readonly callFrame: {
    readonly functionName: string;
    readonly scriptId: string;
    readonly url: string;
    /** From 0; -1 where unknown. */
    readonly lineNumber: number;
    readonly columnNumber: number;
  };
  readonly hitCount: number;
  readonly children?: readonly number[];
}

/** V8 writes times into a profile as the low 32 bits of the monotonic clock's microseconds. */
const CLOCK_US = 2 ** 32;

/**
 * The samples of one thread's profile that were taken within the windows. `stoppedNs` is a reading of the monotonic
 * clock soon after the last of them, by which the profile's own clock is completed; a profile may last 71 minutes.
 * Throws an Error with one line if the text is no profile.
 */
export function samplesWithin(text: string, windows: readonly Window[], stoppedNs: number): Sample[] {
  const profile = parsed(text);
  const stoppedUs = Math.floor(stoppedNs / 1000);
  const agoUs = (((stoppedUs - profile.startTime) % CLOCK_US) + CLOCK_US) % CLOCK_US;
  const calls = callsByNode(profile.nodes);
  const usualUs = middle(profile.timeDeltas);
  const samples: Sample[] = [];
  let timeUs = stoppedUs - agoUs;
  let isCounted = false;
  for (const [index, id] of profile.samples.entries()) {
    const sinceUs = profile.timeDeltas[index]!;
    timeUs += sinceUs;
    const wasCounted = isCounted;
    isCounted = isWithin(windows, 1000 * timeUs);
    if (isCounted) samples.push({ calls: calls.get(id)!, sinceUs: wasCounted ? sinceUs : usualUs });
  }
  return samples;
}

function parsed(text: string): CpuProfile {
  try {
    const profile = JSON.parse(text) as CpuProfile;
    if (profile.samples.length === profile.timeDeltas.length) return profile;
  } catch {
    // Told below, as what is no profile for another reason.
  }
  throw new Error("V8 gave no profile that can be read");
}

/** The calls that lead to each node; V8's own root is none. */
function callsByNode(nodes: readonly ProfileNode[]): ReadonlyMap<number, readonly CodeFrame[]> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const calls = new Map<number, readonly CodeFrame[]>();
  const visit = (id: number, above: readonly CodeFrame[]) => {
    calls.set(id, above);
    for (const child of byId.get(id)?.children ?? []) {
      const { functionName, url, lineNumber } = byId.get(child)!.callFrame;
      visit(child, [...above, { name: functionName, file: readableFile(url), line: lineNumber + 1 }]);
    }
  };
  visit(nodes[0]!.id, []);
  return calls;
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}

/**
 * One profile of all workers: below the root a frame for each worker, and below that its calls. Their samples follow
 * one another, first worker first, because the format knows one thread; so the whole lasts as long as all together.
 */
export function mergedProfile(workers: readonly WorkerSamples[]): CpuProfile {
  const nodes: Growing[] = [];
  const grow = ({ name, file, line }: CodeFrame): Growing => {
    const node = { id: nodes.length + 1, name, file, line, hits: 0, children: new Map<string, Growing>() };
    nodes.push(node);
    return node;
  };
  const below = (node: Growing, frame: CodeFrame): Growing => {
    const key = `${frame.name}\n${frame.file}\n${frame.line}`;
    const known = node.children.get(key) ?? grow(frame);
    node.children.set(key, known);
    return known;
  };
  const root = grow({ name: "(root)", file: "", line: 0 });
  const samples: number[] = [];
  const timeDeltas: number[] = [];
  for (const { worker, samples: own } of workers) {
    const thread = below(root, { name: worker, file: "", line: 0 });
    for (const { calls, sinceUs } of own) {
      const node = calls.reduce(below, thread);
      node.hits++;
      samples.push(node.id);
      timeDeltas.push(sinceUs);
    }
  }
  return {
    nodes: nodes.map(({ id, name, file, line, hits, children }) => ({
      id,
      callFrame: { functionName: name, scriptId: "0", url: file, lineNumber: line - 1, columnNumber: -1 },
      hitCount: hits,
      children: [...children.values()].map((child) => child.id),
    })),
    startTime: 0,
    endTime: timeDeltas.reduce((sum, delta) => sum + delta, 0),
    samples,
    timeDeltas,
  };
}

interface Growing extends CodeFrame {
  readonly id: number;
  hits: number;
  readonly children: Map<string, Growing>;
}
