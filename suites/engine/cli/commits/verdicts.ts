import type { Allocates, Figure } from "../../judge/allocates.ts";
import { driftsIn } from "../../judge/drift.ts";
import { changeText } from "../../judge/versions.ts";
import type { JudgedMeasured, Ratio } from "../../schema/verdict.ts";
import { present } from "../../words/present.ts";
import { type Raced, type ReportedRace, reportedRace } from "../report.ts";
import { ratioText } from "../report-text.ts";

/** From the races of a task's two commits to what is said of it. Pure. */

/** What one race of a task showed: its base's time and its own, and the one over the other. */
export interface SeenRace {
  /** Of its workers, where they have several. */
  readonly role?: string;
  readonly verdict: string;
  /** Time of the head over the base's. */
  readonly ratio?: Figure;
  /** Of the two groups that its processes fall into, where it depends on them. */
  readonly groups?: readonly { readonly ratio: Figure; readonly forks: number }[];
  /** ns an operation; undefined where either has no number. */
  readonly baseNs?: number;
  readonly headNs?: number;
  /** Least difference that would be called one, as a share; undefined where it could not be measured. */
  readonly floor?: number;
  /** The least difference that would have been seen, likewise; undefined where that is not known. */
  readonly sees?: number;
  /** Processes that raced; 0 where a look at both was enough. */
  readonly processes: number;
  /** Why it has no number or no verdict, or what is to be known of them. */
  readonly reason?: string;
  /** Whether V8 now compiles it the other way more often. */
  readonly compiled?: string;
  /** What an operation of the head allocates, and by how much that is more than the base's. */
  readonly allocates?: Allocates;
}

/** Labels of the two in their race. */
export const BASE = "base";
export const HEAD = "head";
/** In front of a reason of the base's. */
export const IN_BASE = "in the base: ";

/** What a race of the two showed. `hasLaw`: whether a law was checked. */
export function seenOf(raced: Raced, hasLaw: boolean): SeenRace {
  const [base, head] = ["t0", "t1"].map((name) => processesOf(raced, name));
  const compiled = changeText(base!, head!);
  const seen = { ...seenIn(reportedRace(raced, hasLaw)), ...present({ compiled }) };
  const ratio = slowerThanFloor(raced);
  if (ratio === undefined) return seen;
  const reason = "the base is at the floor of the loop: the ratio is a lower bound";
  return { ...seen, verdict: "slower", ratio, reason };
}

function processesOf({ judged }: Raced, name: string): JudgedMeasured["processes"] {
  const row = judged.rows.find(({ competitor }) => competitor === name);
  return row?.noNumber === undefined ? (row?.processes ?? []) : [];
}

/**
 * A base at the floor of the loop has no ratio of its own, and would hide any slow-down. The loop costs both about the same, and a slow
 * task at most what it costs a fast one. So the true ratio of a head that is slower, and itself beyond the floor, is at least
 * the one seen. Undefined of all other races.
 */
function slowerThanFloor({ judged, results, near }: Raced): Ratio | undefined {
  const [base, head] = ["t0", "t1"].map((name) => judged.rows.find(({ competitor }) => competitor === name));
  if (base === undefined || base.noNumber !== undefined) return undefined;
  if (head === undefined || head.noNumber !== undefined || head.verdict !== "slower") return undefined;
  const [isHidden, isBeyond] = [near.has(base.competitor), !near.has(head.competitor)];
  const isSteady = driftsIn(results.flatMap(({ forks }) => forks)).size === 0;
  return isHidden && isBeyond && isSteady ? head.ratio : undefined;
}

export function seenIn({ rows, floor, processes }: ReportedRace): SeenRace {
  const [base, head] = [BASE, HEAD].map((label) => rows.find(({ task }) => task === label));
  if (base === undefined || head === undefined)
    return { verdict: "no number", processes, reason: "it did not race" };
  if (head.ns === null)
    return { verdict: base.ns === null ? "no number" : "failed", processes, reason: whySo(head) };
  if (base.ns === null) return { verdict: "no base", processes, reason: whySo(base) };
  const { verdict, ratio, allocates } = head;
  const unjudged = [head, base].find(({ remarks }) => remarks.length > 0);
  return {
    verdict,
    ...(ratio === null ? {} : { ratio }),
    baseNs: base.ns.value,
    headNs: head.ns.value,
    ...(floor === null ? {} : { floor }),
    processes,
    ...(allocates === null ? {} : { allocates }),
    ...(ratio === null && unjudged !== undefined ? { reason: whySo(unjudged) } : {}),
  };
}

function whySo({ task, remarks: [why] }: ReportedRace["rows"][number]): string {
  return task === BASE ? IN_BASE + why : why!;
}

/** Whether any role has to be seen once more. */
export function areSuspect(seen: readonly SeenRace[]): boolean {
  return seen.some(isSuspect);
}

/** Whether a race left open which of the two is faster. */
export function isUnclear({ verdict }: SeenRace): boolean {
  return ["cannot tell", "no power", "depends"].includes(verdict);
}

/**
 * A race that is unclear because V8 compiled the code otherwise in each process, read once more in processes that all
 * compiled it alike. These scatter less, so they show smaller differences, but of one way to compile it: it may be one that
 * a server seldom gets. So they decide only what the first left open and did not speak against, where the intervals meet.
 */
export function withSecondReading(usual: SeenRace, alike: SeenRace | undefined): SeenRace {
  if (!isUnclear(usual) || usual.ratio === undefined || alike?.ratio === undefined) return usual;
  const [one, other] = [usual.ratio, alike.ratio];
  const meet = (one.low ?? 0) <= (other.high ?? Infinity) && (other.low ?? 0) <= (one.high ?? Infinity);
  if (meet && isUnclear(alike)) return usual;
  const reason = `as a server compiles it ${ratioText(one)}; compiled alike ${ratioText(other)}`;
  const { compiled } = usual;
  return meet && usual.verdict !== "depends"
    ? { ...alike, ...present({ compiled }), reason }
    : { ...usual, reason };
}

/** What is said of a task in the end. */
export interface Concluded {
  readonly seen: SeenRace;
  readonly remark?: string;
}

/** Whether it has to be seen once more before it counts: it would make a pull request fail. */
function isSuspect({ verdict }: SeenRace): boolean {
  return verdict === "slower" || verdict === "failed";
}

/**
 * Only what was slower or failed twice is so, in races of fresh processes with other seeds. A verdict is false in at most 0.4 % of
 * rows, and says "slower" in half of these. Of 100 tasks that did not change, one would be called slower in 18 of 100
 * pull requests (1 - 0.998^100). Twice, in races that share nothing, it is 4 of 10,000 (100 * 0.002^2). Where a noisy
 * runner makes false verdicts ten times as frequent, one race would fail 87 of 100 pull requests, and two fail 4.
 * What repeats in every process is no chance, and a second race would repeat it: against that stands the noise floor.
 *
 * What is called slower was chosen for its high ratio, so the figures of its first race are too high on average. The second
 * race was not chosen: its figures are shown.
 */
export function conclude(first: SeenRace, second: SeenRace | undefined): Concluded {
  if (!isSuspect(first)) return { seen: first };
  const what = first.verdict === "failed" ? `failed (${first.reason})` : "slower";
  if (second === undefined || second.verdict === "not raced") {
    const remark = `${what} in one race; the budget was over before a second one, so give a longer one`;
    return { seen: { ...first, verdict: "cannot tell" }, remark };
  }
  if (isSuspect(second)) return { seen: second };
  const verdict = second.verdict === "faster" ? "cannot tell" : second.verdict;
  return { seen: { ...second, verdict }, remark: `${what} in a first race, and not in a second` };
}
