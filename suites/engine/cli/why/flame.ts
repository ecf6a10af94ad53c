import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { plainName } from "../../schema/lines.ts";

/** What a CPU profile of a task's thread says of the task itself, as a flame of text. Pure. */

/** What is used of V8's profiles. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly hitCount?: number;
  readonly children?: readonly number[];
}

/** A function where it was called, and the samples in it and below. */
export interface Frame {
  readonly name: string;
  readonly samples: number;
  /** The most samples first. */
  readonly below: readonly Frame[];
}

/**
 * What the loops of `ours`, a URL's beginning, called: the task, and collections of garbage. What the thread did before, such as
 * importing the file, is no part of it.
 */
export function framesIn({ nodes }: CpuProfile, ours: string, cwd: string): readonly Frame[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const below = (node: ProfileNode) => (node.children ?? []).map((id) => byId.get(id)!);
  const isOurs = ({ callFrame }: ProfileNode) => callFrame.url.startsWith(ours);
  const called = nodes
    .filter(isOurs)
    .flatMap((node) =>
      below(node).filter((child) => !isOurs(child) && child.callFrame.url.startsWith("file:")),
    );
  const collecting = nodes.filter(({ callFrame }) => callFrame.functionName === COLLECTOR);
  const merged = (own: readonly ProfileNode[]): Frame[] =>
    [...Map.groupBy(own, (node) => nameOf(node, cwd))]
      .map(([name, alike]) => {
        const inner = merged(alike.flatMap(below));
        const itself = alike.reduce((sum, { hitCount = 0 }) => sum + hitCount, 0);
        return { name, samples: inner.reduce((sum, { samples }) => sum + samples, itself), below: inner };
      })
      .sort((a, b) => b.samples - a.samples);
  return merged([...called, ...collecting]);
}

const COLLECTOR = "(garbage collector)";

function nameOf({ callFrame: { functionName, url, lineNumber } }: ProfileNode, cwd: string): string {
  const name = functionName || "(anonymous)";
  if (url === "") return name;
  const place = url.startsWith("file:") ? relative(cwd, fileURLToPath(url)) : url;
  return `${name} ${place}:${lineNumber + 1}`;
}

/**
 * How often V8 gave up optimised code of these frames, and why, by what its --trace-deopt prints: a line for each function and reason.
 * Code that it gives up for better code is none.
 */
export function deoptsIn(trace: string, frames: readonly Frame[]): string[] {
  const names = (own: readonly Frame[]): string[] =>
    own.flatMap(({ name, below }) => [name.split(" ", 1)[0]!, ...names(below)]);
  const known = new Set(names(frames));
  const seen = [...trace.matchAll(DEOPT)].flatMap(([, reason, name]) =>
    known.has(name!) && !reason!.startsWith("prepare for on") ? [`${name}, ${reason}`] : [],
  );
  return [...Map.groupBy(seen, (text) => text)].map(
    ([text, { length }]) => `deoptimised ${length} x: ${text}`,
  );
}
const DEOPT = /\[bailout \(kind: [\w-]+, reason: (.*?)\): begin\. deoptimizing \w+ <JSFunction ([^\s>]+)/g;

/** Frames of less are left out, as a share. */
const LEAST_SHARE = 0.02;
const DEEPEST = 8;
const BAR = 20;

/** A line for each frame: the share of samples in it and below, a bar of that, and its name, as far in as it is deep. */
export function flameText(title: string, frames: readonly Frame[], deopts: readonly string[] = []): string {
  const all = frames.reduce((sum, { samples }) => sum + samples, 0);
  const lines = (own: readonly Frame[], depth: number): string[] =>
    own.flatMap(({ name, samples, below }) => {
      const share = samples / all;
      if (share < LEAST_SHARE || depth > DEEPEST) return [];
      const bar = "█".repeat(Math.round(BAR * share)).padEnd(BAR);
      const percent = `${Math.round(100 * share)} %`.padStart(5);
      return [`${percent}  ${bar}  ${"  ".repeat(depth)}${plainName(name)}`, ...lines(below, depth + 1)];
    });
  const body = all === 0 ? ["it was in no sample"] : lines(frames, 0);
  return `${[plainName(`${title}, ${all} samples`), "", ...body, ...deopts.map(plainName)].join("\n")}\n\n`;
}
