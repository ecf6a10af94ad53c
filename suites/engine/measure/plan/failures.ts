import type { CrewPlan } from "./plan.ts";
import type { CrewResult, Failure } from "./protocol.ts";

/** A crew that was not measured. */
export function failedCrew(
  { name, workers }: Pick<CrewPlan, "name" | "workers">,
  failure: Failure,
): CrewResult {
  return {
    name,
    failure,
    warmUp: { slices: 0, flat: false },
    batches: [],
    rounds: [],
    workers: Array.from({ length: workers }, () => ({ operations: [], startNs: [], endNs: [], tagNs: [] })),
  };
}

/** What a competitor threw, in a line. */
export function thrown(error: unknown): string {
  return `it threw: ${messageOf(error)}`;
}

/** The first line of an error's message. Anything may be thrown, and be no text. */
export function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error)
      .trim()
      .split("\n", 1)[0]!;
  } catch {
    return `a value of type ${typeof error}`;
  }
}

/** What is waited for did not happen in this time, in ms. */
export function hung(who: string, limitMs: number): Failure {
  return { kind: "fault", reason: `hung: ${who} within ${(limitMs / 1000).toFixed(1)} s` };
}

/**
 * The instrument found itself broken: two crews ran at once, say. What the process measured is void, and no crew that it raced
 * is to blame.
 */
export class InstrumentBroken extends Error {}

/** A competitor has changed what all crews of its process share: what the process measures from then on is void. */
export class ProcessSpoilt extends Error {}

export function changedFlags(when: string): ProcessSpoilt {
  return new ProcessSpoilt(`it changed V8's flags ${when}, which all threads of a process share`);
}

/** The process of a fork's first crew, which all others refer to, is gone: there is nothing left to race. */
export class BaselineLost extends Error {}

/** Part of the free memory that a fork may be expected to need: the estimate is one, and others run here too. */
const USABLE_MEMORY = 0.8;

/** Why a fork that needs `bytes` is not started, if it is better not. */
export function beyondMemory(bytes: number): Failure | undefined {
  const free = process.availableMemory();
  if (bytes <= USABLE_MEMORY * free) return undefined;
  const gigabytes = (value: number) => `${(value / 1e9).toFixed(1)} GB`;
  return {
    kind: "fault",
    reason: `not started: it may need ${gigabytes(bytes)}, and ${gigabytes(free)} of memory are free`,
  };
}
