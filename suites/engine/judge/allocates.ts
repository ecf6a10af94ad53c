import type { CrewResult } from "../measure/plan/protocol.ts";
import { median, sum } from "../statistics.ts";
import { evidenceOf, intervalOf } from "./verdict.ts";

/** What tasks allocate on V8's heap, and which allocate more than their baseline. Pure. */

/** With its interval; null where fewer than four processes show none. */
export interface Figure {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
}

/** Of one operation. What awaiting takes is part of an async one; arguments and hooks are of none. */
export interface Allocates {
  /** The mean of the processes, in bytes; null where collections left nothing to measure. */
  readonly bytes: Figure | null;
  /** By how many bytes more than the baseline, in the same processes; null for the baseline, and where either is not known. */
  readonly more: Figure | null;
  readonly verdict: "more" | "less" | "same" | "cannot tell" | "baseline";
  readonly collectionsPerOperation: number;
  /** The part of its time in which its thread collected, 0 .. 1: the middle of the processes, as one may have had a whole collection. */
  readonly collectingShare: number;
}

/**
 * Equal tasks are called different in so few cases. No task has to be seen twice before a command fails: of 100 equal tasks one
 * is called larger in 2 of 10,000 runs, as with two races of times. Processes agree so well that this hides hardly anything.
 */
const ERROR = 4e-6;
/** A difference of less is never called one, in bytes. */
const LEAST = 1;
/** Half of the smallest object, in bytes; and a share, for large ones that do not fill V8's pages. */
const SAME_WITHIN = { bytes: 8, share: 0.01 };

/** By crew, for all that allocate anything that was measured. */
export function allocatesIn(
  processes: readonly { readonly crews: readonly CrewResult[] }[],
  baseline: string | undefined,
): ReadonlyMap<string, Allocates> {
  const seen = processes.map(
    ({ crews }) =>
      new Map(
        crews.flatMap(({ name, failure, allocation }) =>
          failure === undefined && allocation !== undefined ? [[name, allocation] as const] : [],
        ),
      ),
  );
  const names = new Set(seen.flatMap((crews) => [...crews.keys()]));
  return new Map(
    [...names].map((name) => {
      const own = seen.flatMap((crews) => crews.get(name) ?? []);
      const bytes = figureOf(own.flatMap((one) => one.bytes ?? []));
      const more = name === baseline ? null : figureOf(seen.flatMap((crews) => differences(crews, name)));
      const totalOf = (key: "operations" | "collections") => sum(own.map((one) => one[key]));
      return [
        name,
        {
          bytes,
          more,
          verdict: name === baseline ? "baseline" : verdictOn(more, (bytes?.value ?? 0) - (more?.value ?? 0)),
          collectionsPerOperation: totalOf("collections") / totalOf("operations"),
          collectingShare: median(own.map((one) => one.collectingNs / one.tookNs)),
        },
      ];
    }),
  );

  function differences(crews: (typeof seen)[number], name: string): number[] {
    const [own, other] = [name, baseline].map((one) => crews.get(one ?? "")?.bytes);
    return own === undefined || other === undefined ? [] : [own - other];
  }
}

function figureOf(values: readonly number[]): Figure | null {
  if (values.length === 0) return null;
  const { middle: value, low, high } = intervalOf(evidenceOf(values, []), 1 - ERROR);
  return Number.isFinite(high) ? { value, low, high } : { value, low: null, high: null };
}

function verdictOn(more: Figure | null, baseBytes: number): Allocates["verdict"] {
  if (more === null || more.low === null || more.high === null) return "cannot tell";
  if (more.low > LEAST) return "more";
  if (more.high < -LEAST) return "less";
  const within = Math.max(SAME_WITHIN.bytes, SAME_WITHIN.share * baseBytes);
  return more.low >= -within && more.high <= within ? "same" : "cannot tell";
}
