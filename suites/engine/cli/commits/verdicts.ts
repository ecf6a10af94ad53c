import type { Interval } from "../../run-race.ts";
import type { JudgedScenario } from "../../schema/verdict.ts";

/** From the races of a task's two commits to what is said of it. Pure. */

/** What one race of a task showed: its base's time and its own, and the one over the other. */
export interface Seen {
  readonly verdict: string;
  /** Time of the head over the base's. */
  readonly ratio?: Interval;
  /** ns an operation; undefined where a side has no number. */
  readonly baseNs?: number;
  readonly headNs?: number;
  /** Least difference that would be called one, as a share; undefined where it could not be measured. */
  readonly floor?: number;
  readonly processes: number;
  /** Why it has no number. */
  readonly reason?: string;
}

/** Places of the two in their race. */
export const BASE = 0;
const HEAD = 1;

export function seenIn({ conditions, rows }: JudgedScenario): Seen {
  const [{ floors, forks }] = conditions as [JudgedScenario["conditions"][number]];
  const [base, head] = [BASE, HEAD].map((place) => rows.find(({ competitor }) => competitor === `t${place}`));
  const floor = floors.length === 0 ? {} : { floor: Math.max(...floors) };
  const failed = [base, head].find((row) => row?.noNumber !== undefined);
  if (
    base?.noNumber !== undefined ||
    head?.noNumber !== undefined ||
    base === undefined ||
    head === undefined
  ) {
    const side = failed === base ? "the base: " : "";
    const reason = `${side}${failed?.noNumber ?? "it was not raced"}`;
    return { verdict: "no number", processes: forks, reason };
  }
  return {
    verdict: head.verdict,
    ...(head.ratio === undefined ? {} : { ratio: head.ratio }),
    baseNs: base.median,
    headNs: head.median,
    ...floor,
    processes: forks,
  };
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
    const remark = "slower in one race; the budget was over before a second one";
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
