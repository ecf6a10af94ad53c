import type { ProbedWork } from "../../capture/probe.ts";
import { readableTime } from "../../table/progress.ts";
import { type PlannedRace, type ProbedTask, planRaces, type RacesAsked } from "../plan-races.ts";
import type { RacingTime } from "./race-commits.ts";
import type { Turn } from "./race-pairs.ts";
import { IN_BASE, type SeenRace } from "./verdicts.ts";

/** What is said of a task's two commits where they do not race. Pure. */

/** What it means that either commit, or both, cannot be raced: undefined where both can. */
export function refusalOf(
  inHead: string | undefined,
  inBase: string | undefined,
): { readonly verdict: "failed" | "no base" | "refused"; readonly reason: string } | undefined {
  if (inHead !== undefined) return { verdict: inBase === undefined ? "failed" : "refused", reason: inHead };
  return inBase === undefined ? undefined : { verdict: "no base", reason: IN_BASE + inBase };
}

/** What a task takes, in ms. */
interface Needs extends Pick<PlannedRace, "leastMs"> {
  /** A race in the fewest processes. */
  readonly raceMs: number;
  /** The look at its two commits. */
  readonly lookMs: number;
}

/** Why a race does not fit into the time that was left before the look at its task; undefined where it does. */
export function whyTooLong(
  { leastMs, raceMs, lookMs }: Needs,
  { races, leftMs }: Pick<Turn, "races" | "leftMs">,
  { importsMs, racingMs }: Pick<RacingTime, "importsMs" | "racingMs">,
): string | undefined {
  // Most tasks race only once: it is enough if the operations of a second race have time, too.
  const needsMs = lookMs + Math.max(races * leastMs, raceMs);
  if (needsMs <= leftMs) return undefined;
  // What races before it take grows with the budget at most.
  const enoughMs = importsMs + (racingMs * needsMs) / Math.max(1, leftMs);
  return `two races take at least ${readableTime(2 * Math.max(leastMs, raceMs))}: give --budget ${Math.ceil(enoughMs / 60_000)}m`;
}

/** A look takes one process: times that are less far apart may be of the machine. */
const TIMES_APART_IN_A_LOOK = 1.5;
/** A share of waiting that is off by so much of itself may be of the machine too. */
const WAITING_OFF_BY = 1.25;

/** What a look shows of two that a race can say nothing about; undefined where it can. */
export function withoutRace(base: ProbedTask, head: ProbedTask, group: RacesAsked): SeenRace | undefined {
  const why = (task: ProbedTask): string | undefined => {
    const [refusal] = planRaces([task], group).refusals;
    return refusal?.slice(`${task.label}: `.length);
  };
  const [inBase, inHead] = [why(base), why(head)];
  const [ofBase, ofHead] = [base.probe?.work, head.probe?.work];
  if (inBase !== undefined && inHead !== undefined)
    return { verdict: "refused", processes: 0, reason: inHead };
  const refusal = refusalOf(inHead, inBase);
  if (ofBase === undefined || ofHead === undefined) return refusal && { ...refusal, processes: 0 };
  if (refusal === undefined) {
    if (ofBase.isAsync !== ofHead.isAsync)
      return ofHead.isAsync
        ? { verdict: "failed", processes: 0, reason: "it returns promises, and in the base it does not" }
        : { verdict: "no base", processes: 0, reason: `${IN_BASE}it returns promises, and now it does not` };
    return planRaces([base, head], group).races.length > 1 ? seenApart(ofBase, ofHead, FAR_APART) : undefined;
  }
  const as = (task: ProbedTask, work: Partial<ProbedWork>): ProbedTask => ({
    ...task,
    probe: { ...task.probe, work: { ...task.probe!.work!, ...work } },
  });
  const [refused, other] = inHead !== undefined ? [head, base] : [base, head];
  const { nsPerOperation, waitingShare } = other.probe!.work!;
  if (why(as(refused, { nsPerOperation })) === undefined)
    return seenApart(ofBase, ofHead, `${refusal.reason}: these are the times of one look`);
  const isNear =
    waitingShare !== undefined &&
    why(as(other, { waitingShare: WAITING_OFF_BY * waitingShare })) !== undefined;
  return { ...refusal, ...(isNear ? { verdict: "refused" } : {}), processes: 0 };
}

const FAR_APART = "too far apart to share slices: these are the times of one look";

/** What a look shows of two that cannot share slices. */
function seenApart(base: ProbedWork, head: ProbedWork, reason: string): SeenRace {
  const [baseNs, headNs] = [base.nsPerOperation, head.nsPerOperation];
  const isFar = Math.max(headNs / baseNs, baseNs / headNs) > TIMES_APART_IN_A_LOOK;
  const verdict = isFar ? (headNs > baseNs ? "slower" : "faster") : "cannot tell";
  return { verdict, baseNs, headNs, processes: 0, reason };
}
