import type { Window } from "../../suites/engine/measure/plan/protocol.ts";
import type { V8Profile } from "../../suites/lab/kinds/profile/profile-job.ts";
import {
  type CodeFrame,
  readableFile,
  type Sample,
  samplesIn,
  type TimedCalls,
  type WorkerSamples,
} from "./samples.ts";

/**
 * V8's profile format, a `.cpuprofile` as Chrome, speedscope and 0x read it. It is a tree of calls, and for each sample
 * the node it was in and the time since the last (Chrome DevTools Protocol, Profiler.Profile).
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

/** V8 writes times into a profile as the low 32 bits of its clock's microseconds. */
const CLOCK_US = 2 ** 32;

/**
 * The samples of one thread's profile that were taken within the windows. Throws an Error with one line for an invalid
 * profile.
 */
export function samplesWithin({ text, ended }: V8Profile, windows: readonly Window[]): Sample[] {
  const profile = parsed(text);
  const calls = callsByNode(profile.nodes);
  let timeUs = startUs(profile, ended);
  const timed = profile.samples.map((id, index): TimedCalls => {
    timeUs += profile.timeDeltas[index]!;
    return { calls: calls.get(id)!, timeNs: 1000 * timeUs };
  });
  return samplesIn(windows, timed);
}

/**
 * When a profile that lasted less than 71 minutes began, in us of the monotonic clock, from when it ended. That is V8's
 * clock too, but not on macOS, where V8's stands still while the machine sleeps. There a profile is taken to end when
 * it was asked to, half a millisecond before it did.
 */
function startUs({ startTime, endTime }: CpuProfile, { fromNs, toNs }: Window): number {
  const endedUs = Math.floor(toNs / 1000);
  const readUs = endedUs - sinceOnV8Clock(endedUs, endTime);
  const reportedUs = Math.floor(fromNs / 1000);
  return (readUs >= reportedUs ? readUs : reportedUs) - sinceOnV8Clock(endTime, startTime);
}

function sinceOnV8Clock(us: number, earlierUs: number): number {
  return (((us - earlierUs) % CLOCK_US) + CLOCK_US) % CLOCK_US;
}

function parsed(text: string): CpuProfile {
  try {
    const profile = JSON.parse(text) as CpuProfile;
    if (profile.samples.length === profile.timeDeltas.length) return profile;
  } catch {
    // Reported below, as what is no profile for another reason.
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
