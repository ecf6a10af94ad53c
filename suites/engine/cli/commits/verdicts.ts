import type { Ratio } from "../../schema/verdict.ts";
import type { ReportedRace } from "../report.ts";

/** From the races of a task's two commits to what is said of it. Pure. */

/** What one race of a task showed: its base's time and its own, and the one over the other. */
export interface Seen {
  readonly verdict: string;
  /** Time of the head over the base's. */
  readonly ratio?: Ratio;
  /** ns an operation; undefined where either has no number. */
  readonly baseNs?: number;
  readonly headNs?: number;
  /** Least difference that would be called one, as a share; undefined where it could not be measured. */
  readonly floor?: number;
  readonly processes: number;
  /** Why it has no number, or no verdict. */
  readonly reason?: string;
}

/** Labels of the two in their race. */
export const BASE = "base";
export const HEAD = "head";

export function seenIn({ rows, floor, processes }: ReportedRace): Seen {
  const [base, head] = [BASE, HEAD].map((label) => rows.find(({ task }) => task === label));
  if (base === undefined || head === undefined)
    return { verdict: "no number", processes, reason: "it did not race" };
  const failed = [base, head].find(({ ns }) => ns === null);
  if (failed !== undefined) return { verdict: "no number", processes, reason: whySo(failed) };
  const { verdict, ratio } = head;
  const unjudged = [head, base].find(({ remarks }) => remarks.length > 0);
  return {
    verdict,
    ...(ratio === null ? {} : { ratio }),
    baseNs: base.ns!.value,
    headNs: head.ns!.value,
    ...(floor === null ? {} : { floor }),
    processes,
    ...(ratio === null && unjudged !== undefined ? { reason: whySo(unjudged) } : {}),
  };
}

function whySo({ task, remarks: [why] }: ReportedRace["rows"][number]): string {
  return task === BASE ? `in the base: ${why}` : why!;
}

/** What is said of a task in the end. */
export interface Concluded {
  readonly seen: Seen;
  /** Whether it was slower twice. */
  readonly isSlower: boolean;
  readonly remark?: string;
}

/**
 * Only what was slower twice is slower, in races of fresh processes with other seeds. A verdict is false in at most 0.4 % of
 * rows, and says "slower" in half of these. Of 100 tasks that did not change, one would be called slower in 18 of 100
 * pull requests (1 - 0.998^100). Twice, in races that share nothing, it is 4 of 10,000 (100 * 0.002^2). Where a noisy
 * runner makes false verdicts ten times as frequent, one race would fail 87 of 100 pull requests, and two fail 4.
 * What repeats in every process is no chance, and a second race would repeat it: against that stands the noise floor.
 *
 * What is called slower was chosen for its high ratio, so the figures of its first race are too high on average. The second
 * race was not chosen: its figures are shown.
 */
export function conclude(first: Seen, second: Seen | undefined): Concluded {
  if (first.verdict !== "slower") return { seen: first, isSlower: false };
  if (second === undefined) {
    const remark = "slower in one race; the budget was over before a second one, so give a longer one";
    return { seen: { ...first, verdict: "cannot tell" }, isSlower: false, remark };
  }
  if (second.verdict === "slower") return { seen: second, isSlower: true };
  const verdict = second.verdict === "faster" ? "cannot tell" : second.verdict;
  return {
    seen: { ...second, verdict },
    isSlower: false,
    remark: "slower in a first race, and not in a second",
  };
}
